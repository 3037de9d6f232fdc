/** What is found out about an existing table before a resource is to make it, in a preview too. */
import { takeFingerprint } from "../freshness/follow-inputs";
import { objectsNamed, withExpandedPatterns } from "../freshness/input-objects";
import type { CheckFailure, LifecycleContext, PreflightContext } from "../lifecycle";
import { isKnownEmpty } from "../queries/results";
import { splitRequest, type SplitInputs } from "../queries/split-request";
import { hasUnknown } from "../schema/check";
import { folderOfTable } from "../schema/table-names";
import {
  createdFirstText,
  existingTable,
  mayChange,
  type Adoptable,
  type NotAdoptable,
  type TableToMake,
} from "./existing-table";

/** The inputs of a table that tell whether an existing one can be adopted. */
export type WantedTable = SplitInputs & Pick<TableToMake, "deletionPolicy" | "rerunOnInputChange">;

/**
 * Returns why a table cannot be made where it is to be.
 * @param isReplacement true for a resource that this run replaces
 */
export async function tableFailures(
  news: WantedTable,
  context: PreflightContext,
  isReplacement: boolean,
): Promise<CheckFailure[]> {
  const { outputDatabase: database, outputTable: table } = news;
  const isThere = isReplacement && !hasUnknown([database, table]) && context.ownFolder === folderOfTable(news);
  const reason = isThere ? await createdFirstProblem(news, context) : await existingProblem(news, context);
  if (reason === undefined) return [];
  if (!isReplacement || isThere) return [{ property: "outputTable", reason }];
  // Another resource of the program may have that table, and move away in the same run.
  context.warn(`"pulumi up" will fail as things are: ${reason}`);
  return [];
}

/** Returns why a table that exists already cannot be made; undefined if it can, or when nobody can tell, after a warning. */
async function existingProblem(news: WantedTable, context: PreflightContext): Promise<string | undefined> {
  const { outputDatabase: database, outputTable: table } = news;
  const { serviceTables, storage, warn, secret, client, urn, submissionToken = false, programTables } = context;
  if (secret || table === undefined || hasUnknown([database, table])) return undefined;
  const found = await serviceTables?.table({ database, table });
  // A table that is only declared, or whose objects were deleted, can be made.
  if (!found || found.source === "declared" || (await isKnownEmpty(storage, folderOfTable(news)))) return undefined;
  const warnOfBoth = () =>
    warn(
      `the table ${database}.${table} exists already: it is adopted if a split of identical inputs made it, and otherwise ` +
        `"pulumi up" fails: set another outputTable, or delete its objects`,
    );
  if (!client || urn === undefined || hasUnknown(news)) return void warnOfBoth();
  try {
    const asked = { client, urn, submissionToken, storage, secret, programTables, warn };
    const existing = await findExisting(news, asked);
    if (!("problem" in existing)) {
      const unless = existing.isOwn ? ", unless this run deletes it before" : "";
      warn(`the table ${database}.${table} exists already: it ${existing.text}${unless}`);
    } else if (mayChange(existing)) warnOfBoth();
    else return existing.problem;
  } catch {
    // The inputs cannot be listed, which is said of them, or the service does not answer.
    warnOfBoth();
  }
  return undefined;
}

/** Finds out who made the table that exists where one is to be made. */
export async function findExisting(
  news: WantedTable,
  context: Pick<
    LifecycleContext,
    "client" | "urn" | "submissionToken" | "storage" | "secret" | "programTables" | "warn"
  >,
): Promise<Adoptable | NotAdoptable> {
  const expanded = await withExpandedPatterns(news, context);
  const source = objectsNamed(news.inputObjectKeys);
  const followed = news.rerunOnInputChange ? await takeFingerprint(source, context) : {};
  const request = splitRequest(expanded, followed, context);
  return existingTable({ ...news, ...request }, request.label, context);
}

/** Returns why a replacement that is created first cannot be made in the folder of the table that it replaces. */
async function createdFirstProblem(
  news: WantedTable,
  { createsFirst, ownFolder, storage, secret }: PreflightContext,
): Promise<string | undefined> {
  if (!createsFirst || hasUnknown([news.outputDatabase, news.outputTable])) return undefined;
  const folder = folderOfTable(news);
  if (ownFolder !== folder || (await isKnownEmpty(storage, folder))) return undefined;
  return createdFirstText(news, { secret });
}

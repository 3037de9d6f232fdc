/** What is found out about an existing table before a resource is to make it, in a preview too. */
import { takeFingerprint } from "../freshness/follow-inputs";
import { objectsNamed, withExpandedPatterns } from "../freshness/input-objects";
import type { LifecycleContext, Preflight, PreflightContext } from "../lifecycle";
import { isKnownEmpty } from "../queries/results";
import { storageFailures } from "../queries/service-storage";
import { splitRequest, type SplitInputs } from "../queries/split-request";
import { hasUnknown } from "../schema/check";
import { folderOfTable } from "../schema/table-names";
import {
  createdFirstText,
  existingTable,
  mayChange,
  type Adoptable,
  type NotAdoptable,
  type Outlived,
  type TableToMake,
} from "./existing-table";

/** The inputs of a table that tell whether an existing one can be adopted. */
export type WantedTable = SplitInputs & Pick<TableToMake, "deletionPolicy" | "rerunOnInputChange">;

/**
 * Finds out whether a table can be made where it is to be, or is adopted.
 * @param isReplacement true for a resource that this run replaces
 */
export async function tablePreflight(
  news: WantedTable,
  context: PreflightContext,
  isReplacement: boolean,
): Promise<Pick<Preflight, "adopts" | "deletes" | "failures">> {
  const { outputDatabase: database, outputTable: table } = news;
  const folder = hasUnknown([database, table]) ? undefined : folderOfTable(news);
  const failures = folder === undefined ? [] : await storageFailures(folder, context);
  if (failures.length > 0) return { failures };
  const isThere = isReplacement && folder !== undefined && context.ownFolder === folder;
  const { problem: reason, ...found } = await (isThere ? createdFirstProblem(news, context) : existing(news, context));
  if (reason === undefined) return found;
  if (!isReplacement || isThere) return { failures: [{ property: "outputTable", reason }] };
  // Another resource of the program may have that table, and move away in the same run.
  const unless = "unless another resource of the program has this table and leaves it in the same run";
  context.warn(`"pulumi up" will fail, ${unless}: ${reason}`);
  return {};
}

/** What a preflight finds out about an existing table. */
interface Found {
  /** Why the table cannot be made. */
  readonly problem?: string | undefined;
  readonly adopts?: boolean;
  /** Folder of the table, where the run may delete it before. */
  readonly deletes?: string;
}

/** Finds out about a table that exists already; warns when nobody can tell. */
async function existing(news: WantedTable, context: PreflightContext): Promise<Found> {
  const { outputDatabase: database, outputTable: table } = news;
  const { serviceTables, storage, warn, secret, client, urn, submissionToken = false, programTables } = context;
  if (secret || table === undefined || hasUnknown([database, table])) return {};
  const found = await serviceTables?.table({ database, table });
  // A table that is only declared, or whose objects were deleted, can be made.
  if (!found || found.source === "declared" || (await isKnownEmpty(storage, folderOfTable(news)))) return {};
  const warnOfBoth = (): Found => {
    warn(
      `the table ${database}.${table} exists already: it is adopted if a split of identical inputs made it, and otherwise ` +
        `"pulumi up" fails: set another outputTable, or delete its objects`,
    );
    return {};
  };
  if (!client || urn === undefined || hasUnknown(news)) return warnOfBoth();
  try {
    const asked = { client, urn, submissionToken, storage, secret, programTables, warn };
    const made = await findExisting(news, asked);
    if ("rebuilt" in made) {
      warn(`the table ${database}.${table} exists already: it ${made.rebuilt}`);
      return made.record.status === "running" ? {} : { deletes: folderOfTable(news) };
    }
    if ("problem" in made && mayChange(made)) return warnOfBoth();
    // With --replace, the engine asks the provider about the resource as about a new one.
    const deletesFirst = context.deletesFirst === true;
    const isPurged = made.isOwn && deletesFirst && news.deletionPolicy === "purge";
    const deletes = `${folderOfTable(news)} (with --replace)`;
    if ("problem" in made) {
      if (!isPurged) return { problem: made.problem };
      warn(
        `with --replace, the table is deleted before, and its query runs; otherwise "pulumi up" will fail: ${made.problem}`,
      );
      return { deletes };
    }
    const replaced = isPurged
      ? "it is deleted before, and its query runs"
      : '"pulumi up" fails, because the table stays';
    const unless = deletesFirst ? `; with --replace, ${replaced}` : "";
    warn(`the table ${database}.${table} exists already: it ${made.text}${unless}`);
    if (made.outdated !== undefined) warn(`the table ${database}.${table}: ${made.outdated}`);
    return { adopts: true, ...(isPurged && { deletes }) };
  } catch {
    // The inputs cannot be listed, which is said of them, or the service does not answer.
    return warnOfBoth();
  }
}

/** Finds out who made the table that exists where one is to be made. */
export async function findExisting(
  news: WantedTable,
  context: Pick<
    LifecycleContext,
    "client" | "urn" | "submissionToken" | "storage" | "secret" | "programTables" | "warn"
  >,
): Promise<Adoptable | Outlived | NotAdoptable> {
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
): Promise<Found> {
  if (!createsFirst || hasUnknown([news.outputDatabase, news.outputTable])) return {};
  const folder = folderOfTable(news);
  if (ownFolder !== folder || (await isKnownEmpty(storage, folder))) return {};
  return { problem: createdFirstText(news, { secret }) };
}

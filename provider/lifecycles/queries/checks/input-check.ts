/** What is found out about the input objects of a split before it runs, in a preview too. */
import { errors, isWithin, parseColumns, parseLocation } from "../../../../contract";
import { headerWarning, requireInputFormat } from "../../../../storage";
import { describeError } from "../../describe-error";
import {
  forEachName,
  isPattern,
  lookUpObjects,
  NoMatchError,
  withExpandedPatterns,
} from "../../freshness/input-objects";
import type { CheckFailure, CheckOptions, Preflight, PreflightContext } from "../../lifecycle";
import { hasUnknown } from "../../schema/check";
import { schemaProblem } from "../../schema/table-columns";
import { OtherStorageError } from "../folder-comparison";
import { storageRemedy } from "../../configuration";
import { expandedSizeProblem } from "./request-size";
import type { SplitInputs } from "../split-request";

type CheckedInputs = Pick<SplitInputs, "inputObjectKeys" | "inputFormat" | "schema">;

/** Returns why a pattern without a match is refused. */
export function noMatchReason(error: NoMatchError, { secret }: { readonly secret: boolean }): string {
  return secret ? "a pattern matches no object" : describeError(error);
}

/**
 * Returns the problems of the names of input objects.
 * @param options `storage` is true when patterns can be expanded; no name is quoted when an input is secret
 */
export function inputKeyProblems(
  {
    inputObjectKeys,
    outputDatabase,
    outputTable,
  }: Pick<SplitInputs, "inputObjectKeys" | "outputDatabase" | "outputTable">,
  { storage: hasStorage, secret }: Pick<CheckOptions, "storage" | "secret">,
): CheckFailure[] {
  const table = { bucket: outputDatabase, key: `${outputTable}/` };
  const found: CheckFailure[] = [];
  const seen = new Map<string, number>();
  inputObjectKeys.forEach((key, index) => {
    const named = `inputObjectKeys[${index}]${secret ? "" : ` "${key}"`}`;
    const add = (reason: string) => found.push({ property: "inputObjectKeys", reason: `${named} ${reason}` });
    if (!hasStorage && isPattern(key)) add(`has a "*", which needs access to the object storage: ${storageRemedy()}`);
    const first = seen.get(key) ?? index;
    seen.set(key, first);
    if (first < index) {
      add(`is inputObjectKeys[${first}] again, and its rows would be in the table twice: list each object once`);
    }
    if (isWithin(parseLocation(key), table)) add("is inside the folder of the output table: set another outputTable");
  });
  return found;
}

/**
 * Refuses patterns that match nothing, or more than a request can name, or that are expanded in a storage that is not the
 * service's. Warns of objects that do not exist, of an input that begins with the names of the declared columns, and of one
 * of another format. Results that the program has yet to make are left out.
 */
export async function checkInputObjects(news: SplitInputs, context: PreflightContext): Promise<Preflight> {
  const { storage, warn, secret, programTables } = context;
  if (!storage || hasUnknown(news.inputObjectKeys)) return {};
  const isThere = (name: string) => programTables?.containing(name)?.exists !== false;
  const there = { ...news, inputObjectKeys: news.inputObjectKeys.filter(isThere) };
  const warnThatCannot = (what: string, error: unknown) =>
    warn(`cannot ${what} the input objects${secret ? "" : `: ${describeError(error)}`}`);
  let expanded: SplitInputs;
  try {
    expanded = await withExpandedPatterns(there, context);
  } catch (error) {
    if (error instanceof OtherStorageError) return { failures: [{ property: "", reason: error.message }] };
    if (error instanceof NoMatchError) {
      return { failures: [{ property: "inputObjectKeys", reason: noMatchReason(error, { secret }) }] };
    }
    warnThatCannot("list", error);
    return {};
  }
  const tooLarge = expandedSizeProblem(there, expanded, context);
  // A resource of the program may write other objects before the table is made.
  const isWritten = there.inputObjectKeys.some((name) => isPattern(name) && programTables?.containing(name));
  if (tooLarge && !isWritten) return { failures: [tooLarge] };
  if (tooLarge) warn(`"pulumi up" will fail as things are: ${tooLarge.reason}`);
  await warnOfMissing(there.inputObjectKeys, context).catch((error) => warnThatCannot("look up", error));
  await warnOfHeader(expanded, context).catch((error) => warnThatCannot("read", error));
  await warnOfFormat(expanded, context);
  return {};
}

/**
 * Warns of objects that do not exist and that no resource of the program writes. Something else may still put them there
 * before the table is made, so this is no failure.
 */
async function warnOfMissing(
  names: readonly string[],
  { storage, programTables, warn, secret }: PreflightContext,
): Promise<void> {
  const [first, ...more] = await missingObjects(names, { storage, programTables });
  if (first === undefined) return;
  const found = `inputObjectKeys "${first}" does not exist${more.length > 0 ? ` (and ${more.length} more)` : ""}`;
  warn(
    `${secret ? "an object of inputObjectKeys does not exist" : found}: put it there before the table is made, or correct ` +
      "the name; the split fails without it",
  );
}

/** Returns the names whose object does not exist, and that no resource of the program writes. */
export async function missingObjects(
  names: readonly string[],
  { storage, programTables }: Pick<PreflightContext, "storage" | "programTables">,
): Promise<string[]> {
  if (!storage) return [];
  const objects = await lookUpObjects(
    storage,
    names.filter((name) => !programTables?.containing(name)),
  );
  return objects.filter(({ object }) => object === undefined).map(({ name }) => name);
}

/** In a table with a schema, the first row is data. */
async function warnOfHeader(
  { inputObjectKeys, inputFormat = "csv", schema }: CheckedInputs,
  { storage, warn, secret }: PreflightContext,
): Promise<void> {
  const isKnown =
    schema !== undefined && !hasUnknown([schema, inputFormat]) && schemaProblem(schema, { secret }) === undefined;
  if (!storage || !isKnown) return;
  const inputs = inputObjectKeys.map(parseLocation);
  const warning = await headerWarning(storage, { inputs, format: inputFormat, columns: parseColumns(schema) });
  if (warning === undefined) return;
  warn(secret ? "the first row of an input has the names of the columns in schema, and counts as data" : warning);
}

/** Number of inputs whose content is looked at in a preview, as for their header. */
const maxReads = 20;

/** Warns of an object of another format, whose split is refused. Objects that cannot be read are reported by others. */
async function warnOfFormat(
  { inputObjectKeys, inputFormat = "csv" }: CheckedInputs,
  { storage, warn, secret }: PreflightContext,
): Promise<void> {
  if (!storage || hasUnknown(inputFormat)) return;
  let found: string | undefined;
  await forEachName(inputObjectKeys.slice(0, maxReads), async (name) => {
    try {
      await requireInputFormat(storage, parseLocation(name), inputFormat);
    } catch (error) {
      if (error instanceof errors.InvalidFormat) found ??= error.message;
    }
  });
  if (found === undefined) return;
  const problem = secret ? "an object of inputObjectKeys does not have its format" : found;
  warn(`"pulumi up" will fail as things are: ${problem}`);
}

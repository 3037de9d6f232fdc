/** Expectations: what a result must fulfil when its query has finished. */
import { isDeepStrictEqual } from "node:util";
import { parse } from "csv-parse/sync";
import * as z from "zod";
import type { Storage } from "../../../storage";
import { storageRemedy } from "../configuration";
import { describeError } from "../describe-error";
import type { CheckFailure, CheckOptions, LifecycleContext } from "../lifecycle";
import { PartialCreate } from "../lifecycle";
import { OtherStorageError } from "../queries/folder-comparison";
import { listObjects, readFirstRows } from "../queries/results";
import { redacted } from "../redaction";
import { hasUnknown } from "../schema/check";
import { optional, sometimes } from "../schema/properties";
import { countRows } from "./row-count";

const countRule = "it must be a whole number of at least 0";
const columnsRule = "it must be a list of at least one name";
const rowsRule = "it must be {min?, max?}";

const rowsSchema = z
  .strictObject(
    {
      min: z.int({ error: countRule }).min(0, countRule).optional().describe("Least number of rows."),
      max: z
        .int({ error: countRule })
        .min(0, countRule)
        .optional()
        .describe("Greatest number of rows; 0 for a query that looks for bad rows."),
    },
    { error: rowsRule },
  )
  .meta({ title: "ExpectedRows", description: "How many rows a result must have." });

const schema = z
  .strictObject(
    {
      rows: rowsSchema.optional().describe("How many rows the result must have."),
      columns: z
        .array(z.string({ error: columnsRule }).min(1, columnsRule), { error: columnsRule })
        .min(1, columnsRule)
        .optional()
        .describe("Names of the columns, all of them and in order; upper and lower case are the same."),
    },
    { error: "it must be {rows?: {min?, max?}, columns?: [names]}" },
  )
  .meta({ title: "Expectation", description: "What a result must fulfil." });

export type Expectation = z.output<typeof schema>;

/** The input `expect`. */
export const expectationInput = {
  expect: optional(schema, {
    change: "update",
    description:
      "What the result must fulfil when the query has finished: a number of rows, names of columns. Otherwise the " +
      "deployment fails with what was found and the first rows (with a secret input, without either), the result is kept, and the next `pulumi up` runs the " +
      "query again; where a table with a given `outputTable` is kept, after its objects are deleted. Requires `dag:storage`.",
  }),
};

/** The output of a result that does not fulfil its expectation. */
export const expectationOutput = {
  unmetExpectation: sometimes(z.string(), "How the result differs from `expect`."),
};

/** Returns the problems of an expectation. */
export function expectationProblems(
  expect: Expectation | undefined,
  { storage, secret }: Pick<CheckOptions, "storage" | "secret">,
): CheckFailure[] {
  if (expect === undefined || hasUnknown(expect)) return [];
  const failure = (reason: string) => [{ property: "expect", reason }];
  if (!storage) return failure(`expect needs access to the object storage: ${storageRemedy()}, or remove expect`);
  const { min = 0, max = Number.POSITIVE_INFINITY } = expect.rows ?? {};
  const [least, most] = secret ? ["", ""] : [` ${min}`, ` ${max}`];
  return min > max
    ? failure(`expect.rows.min${least} is greater than expect.rows.max${most}: set min to at most max`)
    : [];
}

/**
 * Returns the problem of expected columns that a result cannot have.
 * @param columns what its statement or schema tells; undefined while that is unknown.
 * @param secret true when messages must not quote names.
 */
export function expectedColumnsProblem(
  expect: Expectation | undefined,
  columns: readonly string[] | undefined,
  secret: boolean,
): CheckFailure[] {
  if (expect?.columns === undefined || columns === undefined || hasUnknown(expect)) return [];
  if (sameNames(expect.columns, columns)) return [];
  const found = secret
    ? "expect.columns are not the columns that the result will have"
    : `expect.columns is ${expect.columns.join(", ")}, but the result will have the columns ${columns.join(", ")}`;
  return [{ property: "expect", reason: `${found}: name all of them, in order` }];
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.join("\0").toLowerCase() === other.join("\0").toLowerCase();
}

/** Returns true when an update must check a result: its expectation is not the one that it has met. */
export function isOtherExpectation(expect: Expectation | undefined, met: Expectation | undefined): boolean {
  return expect !== undefined && !isDeepStrictEqual(expect, met);
}

/** A finished result. */
export interface Result {
  readonly queryId: number;
  readonly folder: string;
  readonly format: "csv" | "tsv" | "json";
  /** Names of its columns; undefined if they are unknown. */
  readonly columns: readonly string[] | undefined;
  /** What makes unknown names known, for a message. */
  readonly columnsRemedy: string;
  /** True when objects may begin with a line of column names. */
  readonly mayHaveHeader: boolean;
  /** What must be done before the query can run again, such as `delete its objects`; undefined for nothing. */
  readonly beforeRerun?: string | undefined;
}

/**
 * Checks a result.
 * @throws {PartialCreate} when the result does not fulfil the expectation, or cannot be read. The stored state makes the
 * next update run the query again, or check the result again.
 */
export async function requireExpected<State extends object>(
  expect: Expectation,
  result: Result,
  state: State,
  context: LifecycleContext,
): Promise<void> {
  const { storage } = context;
  if (!storage) return;
  const id = String(result.queryId);
  context.report(`[3/3] checking the result of query ${id}`);
  const found = await problemOf(expect, result, storage).catch((error: unknown) => {
    const unread = { ...state, status: "running" };
    // That of another storage quotes no secret.
    const why = context.secret && !(error instanceof OtherStorageError) ? "" : `: ${describeError(error)}`;
    const reason = `query ${id} finished, but its result cannot be checked${why}\nRun "pulumi up" to check it again.`;
    throw new PartialCreate(id, unread, [reason], { cause: error });
  });
  if (found === undefined) return;
  const problem = context.secret ? "how is not shown, because an input is secret" : found;
  // The message is about the expectation, also when there are no rows that can be shown.
  const rows = context.secret ? "" : await firstRows(result, storage).catch(() => "");
  const reason =
    `query ${id} finished, but its result is not as expected: ${problem}${rows}\n` +
    `The result is kept in ${redacted(result.folder, context)}. ` +
    (result.beforeRerun === undefined
      ? 'Run "pulumi up" to run the query again.'
      : `To run the query again, ${result.beforeRerun}, then run "pulumi up".`);
  throw new PartialCreate(id, { ...state, unmetExpectation: problem }, [reason]);
}

/**
 * Returns the state of a result that a refresh found finished, with its unmet expectation if there is one.
 * @param check throws what {@link requireExpected} throws.
 */
export async function checkedState<State extends object>(state: State, check: () => Promise<void>): Promise<State> {
  try {
    await check();
    return state;
  } catch (error) {
    if (error instanceof PartialCreate) return error.state as State;
    throw error;
  }
}

async function problemOf({ rows, columns }: Expectation, result: Result, storage: Storage) {
  const problems = [
    rows && (await rowsProblem(rows, result, storage)),
    columns && (await columnsProblem(columns, result, storage)),
  ].filter((problem) => problem !== undefined);
  return problems.length > 0 ? problems.join("; ") : undefined;
}

async function rowsProblem(
  { min, max }: NonNullable<Expectation["rows"]>,
  { folder, format, columns, mayHaveHeader }: Result,
  storage: Storage,
): Promise<string | undefined> {
  if (min === undefined && max === undefined) return undefined;
  // One row more than the maximum decides, or, without a maximum, the last row of the minimum.
  const limit = max ?? min! - 1;
  const header = mayHaveHeader ? columns?.join().toLowerCase() : undefined;
  const isHeader = (line: string) => headerNames(line, format).join().toLowerCase() === header;
  const found = await countRows(storage, folder, format, limit, header === undefined ? undefined : isHeader);
  if (max !== undefined && found > max) return `expected at most ${count(max)}, found more than ${max}`;
  return min !== undefined && found < min ? `expected at least ${count(min)}, found ${found}` : undefined;
}

/** Returns the cells of a line; none of one that cannot be parsed. */
function headerNames(line: string, format: Result["format"]): string[] {
  if (format === "tsv") return line.split("\t").map((cell) => cell.trim());
  const [cells = []] = parse(line, { trim: true, bom: true, skip_records_with_error: true, to: 1 }) as string[][];
  return cells;
}

function count(rows: number): string {
  return rows === 1 ? "1 row" : `${rows} rows`;
}

async function columnsProblem(
  expected: readonly string[],
  { folder, format, columns, columnsRemedy }: Result,
  storage: Storage,
) {
  if (columns) {
    return sameNames(columns, expected)
      ? undefined
      : `expected the columns ${expected.join(", ")}, found ${columns.join(", ")}`;
  }
  // Without names, the number of columns is all that the objects tell.
  const { objects } = await listObjects(storage, folder);
  const [row] = format === "json" ? [] : await readFirstRows(storage, objects, format, 1);
  const found = row === undefined ? "no row" : `${row.length} without names`;
  return `expected the columns ${expected.join(", ")}, found ${found}: ${columnsRemedy}`;
}

/** Number of rows in a message, and characters of each. */
const shownRows = 5;
const shownCharacters = 200;

async function firstRows({ folder, format }: Result, storage: Storage): Promise<string> {
  const { objects } = await listObjects(storage, folder);
  const rows = await readFirstRows(storage, objects, format === "json" ? "tsv" : format, shownRows);
  if (rows.length === 0) return "\nThe result has no rows.";
  const lines = rows.map((row) => row.map((value) => value ?? "NULL").join(" | "));
  return `\nThe first rows:\n${lines.map((line) => `  ${line.slice(0, shownCharacters)}`).join("\n")}`;
}

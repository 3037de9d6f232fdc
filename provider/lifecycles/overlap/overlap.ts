/**
 * Detects resources of one program that would delete each other's objects: equal or nested output folders, an output
 * inside a table that another resource reads, and an input inside another resource's output. Reading exactly the folder
 * that another resource writes, or its result objects, is allowed.
 */
import {
  asFolder,
  formatLocation,
  isWithin,
  LocationError,
  overlaps,
  parseLocation,
  type Location,
} from "../../../contract/location";
import { Refusal } from "../refusal";
import { cycleMessage, DependencyOrder } from "./dependency-order";
import { FolderIndex, longestToken, TokenIndex, tokens } from "./location-index";

/** A table that a statement reads. */
interface TableName {
  readonly database: string;
  readonly table: string;
}

/** Two resources of the program have conflicting locations. The message names both and the remedy. */
export class OverlapError extends Refusal {
  override readonly name = "OverlapError";
  readonly code = "Overlap";
}

interface Claim {
  /** The resource, such as `SelectQuery "daily"`. */
  readonly owner: string;
  readonly location: Location;
}

interface Output extends Claim {
  /** True when existing objects in the folder are deleted. */
  readonly deletes: boolean;
}

interface Statement {
  readonly owner: string;
  readonly text: string;
  /** True when its resource runs again with the tables that it reads. */
  readonly follows: boolean;
}

/** The locations that the resources of one program write and read, and which statement reads which output. */
export class LocationClaims {
  readonly #outputs = new FolderIndex<Output>();
  readonly #inputs = new FolderIndex<Claim>();
  /** Outputs by the longest token of their table's name, and statements by their tokens: a filter before parsing. */
  readonly #outputsByWord = new TokenIndex<Output>();
  readonly #statements = new TokenIndex<Statement>();
  readonly #order = new DependencyOrder();
  /** The first conflict of each resource that has one. */
  readonly #conflicts = new Map<string, OverlapError>();
  /** The comparisons that have not ended. */
  readonly #comparisons = new Set<Promise<void>>();

  /** @param tablesRead returns the tables that a statement reads; none for an invalid statement. */
  constructor(private readonly tablesRead: (statement: string) => Promise<readonly TableName[]>) {}

  /**
   * Waits for the comparisons so far.
   * @throws {OverlapError} when the resource has a conflict, also if it was there first.
   */
  async requireNoConflict(owner: string): Promise<void> {
    await Promise.allSettled(this.#comparisons);
    const conflict = this.#conflicts.get(owner);
    if (conflict) throw conflict;
  }

  /** Adds a folder that a resource writes. @throws {OverlapError} */
  addOutput(owner: string, location: string, options: { readonly deletes: boolean }): Promise<void> {
    return this.#compared(this.#addOutput(owner, location, options));
  }

  async #addOutput(owner: string, location: string, { deletes }: { readonly deletes: boolean }): Promise<void> {
    const parsed = locationOf(location);
    if (!parsed) return;
    const folder = asFolder(parsed);
    const output = { owner, location: folder, deletes };
    const token = longestToken(tableAt(folder));
    // Read and updated before the first await, so that the second of two concurrent calls sees the first.
    const outputs = new Set([...this.#outputs.containing(folder), ...this.#outputs.within(folder)]);
    const inputs = this.#inputs.within(folder);
    const statements = this.#statements.matching([token]);
    this.#outputs.add(folder, output);
    this.#outputsByWord.add([token], output);
    for (const other of outputs) this.#assertNone(output, other, outputsProblem);
    for (const input of inputs) this.#assertNone(output, input, inputProblem);
    for (const statement of statements) await this.#assertNotRead(output, statement);
  }

  /** Adds an object that a resource reads. @throws {OverlapError} */
  addInput(owner: string, location: string): void {
    const object = locationOf(location);
    if (!object) return;
    const input = { owner, location: object };
    this.#inputs.add(object, input);
    for (const output of this.#outputs.containing(object)) this.#assertNone(output, input, inputProblem);
  }

  /**
   * Adds a statement that a resource runs.
   * @param options `follows` is true when statements that read each other's outputs are an error.
   * @throws {OverlapError}
   */
  addStatement(owner: string, text: string, options: { readonly follows: boolean }): Promise<void> {
    return this.#compared(this.#addStatement(owner, text, options));
  }

  async #addStatement(owner: string, text: string, { follows }: { readonly follows: boolean }): Promise<void> {
    const statement = { owner, text, follows };
    const statementTokens = tokens(text);
    const outputs = this.#outputsByWord.matching(statementTokens);
    this.#statements.add(statementTokens, statement);
    for (const output of outputs) await this.#assertNotRead(output, statement);
  }

  async #assertNotRead(output: Output, { owner, text, follows }: Statement) {
    const { location } = output;
    if (owner === output.owner || !mentions(text, location)) return;
    for (const { database, table } of await this.tablesRead(text)) {
      const folder = { bucket: database, key: `${table}/` };
      if (!overlaps(location, folder)) continue;
      if (location.key === folder.key) {
        const cycle = follows ? this.#order.add(owner, [output.owner]) : undefined;
        if (cycle) throw this.#conflict([owner, output.owner], cycleMessage(cycle));
        continue;
      }
      const inside = isWithin(location, folder);
      throw this.#conflict(
        [owner, output.owner],
        `${output.owner} writes to ${formatLocation(location)}, which ${inside ? "is inside" : "contains"} the table ` +
          `${database}.${table} that ${owner} reads: ${inside ? "its objects would become rows of the table" : "the table would be deleted"}. ` +
          `Set the output of ${output.owner} to a folder outside ${formatLocation(folder)}.`,
      );
    }
  }

  #assertNone<Other extends Claim>(
    output: Output,
    other: Other,
    problemOf: (output: Output, other: Other) => string | undefined,
  ): void {
    const problem = problemOf(output, other);
    if (problem !== undefined) throw this.#conflict([output.owner, other.owner], problem);
  }

  #conflict(owners: readonly string[], message: string): OverlapError {
    const error = new OverlapError(message);
    for (const owner of owners) if (!this.#conflicts.has(owner)) this.#conflicts.set(owner, error);
    return error;
  }

  #compared(comparison: Promise<void>): Promise<void> {
    const ended = comparison.finally(() => this.#comparisons.delete(ended));
    this.#comparisons.add(ended);
    return ended;
  }
}

/** Returns true when a statement's text may name a table at or around a folder. A fast filter before parsing. */
export function mentions(text: string, location: Location): boolean {
  const lower = text.toLowerCase();
  const { bucket } = location;
  return lower.includes(tableAt(location).toLowerCase()) && (bucket === "default" || lower.includes(bucket));
}

/** Returns the name of the table whose folder is or contains a location; empty for a bucket. */
function tableAt({ key }: Location): string {
  const [table = ""] = key.split("/");
  return table;
}

function outputsProblem(output: Output, other: Output): string | undefined {
  if (output.owner === other.owner || !overlaps(output.location, other.location)) return undefined;
  const [here, there] = [formatLocation(output.location), formatLocation(other.location)];
  const relation = here === there ? `to ${here} too` : `to ${there}, and one of the two folders contains the other`;
  const deleting = [output, other].filter(({ deletes }) => deletes);
  const harm =
    deleting.length === 2
      ? "each would delete the other's objects"
      : deleting.length === 1
        ? `${deleting[0]!.owner} would delete the other's objects`
        : "each would write among the other's objects";
  return (
    `${output.owner} writes to ${here}, and ${other.owner} writes ${relation}: ${harm}. ` +
    `Set the outputs to two separate folders.`
  );
}

/** Names of result objects. An input with such a name is another query's result, which the query may read. */
export const resultObject = /(^|\/)\d{6}_\d+$/;
/** Patterns that result objects can match. */
const resultPattern = /^[\d_]*\*[\d_*]*$/;

function inputProblem(output: Output, input: Claim): string | undefined {
  if (!output.deletes || output.owner === input.owner || isResult(input.location, output)) return undefined;
  if (!isWithin(input.location, output.location)) return undefined;
  return (
    `${output.owner} writes to ${formatLocation(output.location)}, which contains the input ${formatLocation(input.location)} of ` +
    `${input.owner}: the input would be deleted. Set the output of ${output.owner} to another folder.`
  );
}

/** Returns true when an input stands for result objects. A pattern does directly in the folder of the result. */
function isResult({ bucket, key }: Location, { location: folder }: Output): boolean {
  if (resultObject.test(key)) return true;
  return bucket === folder.bucket && key.startsWith(folder.key) && resultPattern.test(key.slice(folder.key.length));
}

/** Parses a location; undefined for an invalid one. */
export function locationOf(text: unknown): Location | undefined {
  try {
    return typeof text === "string" ? parseLocation(text) : undefined;
  } catch (error) {
    // The resource's own check reports the invalid location.
    if (error instanceof LocationError) return undefined;
    throw error;
  }
}

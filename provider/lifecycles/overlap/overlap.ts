/**
 * Finds resources of one program that would destroy each other's objects: equal or nested outputs, an output inside
 * what another reads, another's input inside an output. Reading exactly what another writes is a chain, and fine.
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
import { FolderIndex, longestToken, TokenIndex, tokens } from "./location-index";

/** A table that a statement reads. */
interface TableName {
  readonly database: string;
  readonly table: string;
}

/** Two resources of the program get into each other's way; the message names both and the remedy. */
export class OverlapError extends Error {
  override readonly name = "OverlapError";
  readonly code = "Overlap";
}

interface Claim {
  /** The resource, such as `SelectQuery "daily"`. */
  readonly owner: string;
  readonly location: Location;
}

interface Output extends Claim {
  /** Whether what lies there already is deleted. */
  readonly deletes: boolean;
}

interface Statement {
  readonly owner: string;
  readonly text: string;
}

/** What the resources of one program write and read. */
export class LocationClaims {
  readonly #outputs = new FolderIndex<Output>();
  readonly #inputs = new FolderIndex<Claim>();
  /** Outputs by a word of the table that they may be in, and statements by their words: few need a closer look. */
  readonly #outputsByWord = new TokenIndex<Output>();
  readonly #statements = new TokenIndex<Statement>();

  /** @param tablesRead the tables that a statement reads; none where it cannot be read. */
  constructor(private readonly tablesRead: (statement: string) => Promise<readonly TableName[]>) {}

  /** A folder that a resource writes. @throws {OverlapError} */
  async addOutput(owner: string, location: string, { deletes }: { readonly deletes: boolean }): Promise<void> {
    const given = locationOf(location);
    if (!given) return;
    const folder = asFolder(given);
    const output = { owner, location: folder, deletes };
    const word = longestToken(tableAt(folder));
    // Taken before anything is awaited, so that of two who come at once the second sees the first.
    const outputs = new Set([...this.#outputs.holding(folder), ...this.#outputs.within(folder)]);
    const inputs = this.#inputs.within(folder);
    const statements = this.#statements.having([word]);
    this.#outputs.add(folder, output);
    this.#outputsByWord.add([word], output);
    for (const other of outputs) assertApart(output, other);
    for (const input of inputs) assertKept(output, input);
    for (const statement of statements) await this.#assertNotRead(output, statement);
  }

  /** An object that a resource reads. @throws {OverlapError} */
  addInput(owner: string, location: string): void {
    const object = locationOf(location);
    if (!object) return;
    const input = { owner, location: object };
    this.#inputs.add(object, input);
    for (const output of this.#outputs.holding(object)) assertKept(output, input);
  }

  /** A statement that a resource runs. @throws {OverlapError} */
  async addStatement(owner: string, text: string): Promise<void> {
    const statement = { owner, text };
    const words = tokens(text);
    const outputs = this.#outputsByWord.having(words);
    this.#statements.add(words, statement);
    for (const output of outputs) await this.#assertNotRead(output, statement);
  }

  async #assertNotRead(output: Output, { owner, text }: Statement) {
    const { location } = output;
    if (owner === output.owner || !mentions(text, location)) return;
    for (const { database, table } of await this.tablesRead(text)) {
      const folder = { bucket: database, key: `${table}/` };
      if (!overlaps(location, folder) || location.key === folder.key) continue;
      const inside = isWithin(location, folder);
      throw new OverlapError(
        `${output.owner} writes to ${formatLocation(location)}, which ${inside ? "lies in" : "holds"} the table ` +
          `${database}.${table} that ${owner} reads: ${inside ? "its objects would become rows of the table" : "the table would be deleted"}. ` +
          `Give ${output.owner} a folder outside ${formatLocation(folder)}.`,
      );
    }
  }
}

/** Whether a statement's text can name a table at or around a folder: a cheap look before the statement is parsed. */
export function mentions(text: string, location: Location): boolean {
  const lower = text.toLowerCase();
  const { bucket } = location;
  return lower.includes(tableAt(location).toLowerCase()) && (bucket === "default" || lower.includes(bucket));
}

/** Name of the table whose folder holds a location, or is it; empty at a bucket. */
function tableAt({ key }: Location): string {
  const [table = ""] = key.split("/");
  return table;
}

function assertApart(output: Output, other: Output): void {
  if (output.owner === other.owner || !overlaps(output.location, other.location)) return;
  const [here, there] = [formatLocation(output.location), formatLocation(other.location)];
  const relation = here === there ? `to ${here} too` : `to ${there}, and one of the two holds the other`;
  throw new OverlapError(
    `${output.owner} writes to ${here}, and ${other.owner} writes ${relation}: each would delete what the other wrote. ` +
      `Give each a folder of its own.`,
  );
}

/** Objects of a result have such names: an input of that name is another query's result, which is a chain. */
const resultObject = /(^|\/)\d{6}_\d+$/;

function assertKept(output: Output, input: Claim): void {
  if (!output.deletes || output.owner === input.owner || resultObject.test(input.location.key)) return;
  if (!isWithin(input.location, output.location)) return;
  throw new OverlapError(
    `${output.owner} writes to ${formatLocation(output.location)}, where the input ${formatLocation(input.location)} of ` +
      `${input.owner} lies: it would be deleted. Give ${output.owner} another folder.`,
  );
}

function locationOf(text: string): Location | undefined {
  try {
    return parseLocation(text);
  } catch (error) {
    // The resource's own check says what is wrong with it.
    if (error instanceof LocationError) return undefined;
    throw error;
  }
}

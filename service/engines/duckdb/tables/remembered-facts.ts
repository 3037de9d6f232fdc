/**
 * Remembers what was found out by reading all rows of a table, in files that the processes of a cluster share: a process
 * that has run a large select ends, and the next one need not read the rows again.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claim, ifPossible } from "./claim";

/** What is known of a table's files, as long as none of them changes. */
export interface FileFacts {
  /** The inferred columns. */
  readonly columns?: readonly FoundColumn[];
  /** True when a quoted cell has a newline: only one thread can read a file. */
  readonly serial?: boolean;
  /** The facts of each file's bytes, in the order of the files. */
  readonly bytes?: {
    /** True when the files were searched for underscores. */
    readonly searched: boolean;
    readonly files: readonly {
      readonly blankLines: number;
      readonly underscores: boolean;
      readonly bufferBytes: number;
      readonly spacedQuotes: boolean;
      readonly widestRow: number;
    }[];
  };
}

interface FoundColumn {
  readonly name: string;
  readonly type: string;
  readonly form?: "plain" | "plain-never-empty";
  readonly nonNumber?: string;
}

/** Changes when the rules of the inference change, so that facts of other rules are not used. */
const rules = 9;
/** Tables whose facts are kept; then those of the one that was written first are deleted. */
const maxTables = 2000;

/** Facts of tables in a directory. It is only a cache: nothing of it is flushed, and what cannot be read is not there. */
export class RememberedFacts {
  constructor(private readonly directory: string) {}

  /** @param identity identifies the files and their content */
  read(identity: string): FileFacts {
    try {
      const found: unknown = JSON.parse(readFileSync(this.#path(identity), "utf8"));
      return isFileFacts(found) ? found : {};
    } catch {
      return {};
    }
  }

  write(identity: string, facts: FileFacts): void {
    const temporary = join(this.directory, `new-${randomUUID()}`);
    try {
      mkdirSync(this.directory, { recursive: true });
      writeFileSync(temporary, JSON.stringify(facts));
      renameSync(temporary, this.#path(identity));
      this.#evict();
    } catch {
      // As on a full disk: the rows are read again.
      ifPossible(() => rmSync(temporary, { force: true }));
    }
  }

  /** Waits until no other process finds out facts of the files, and lets others wait until it is disposed of. */
  claim(identity: string, signal: AbortSignal): Promise<Disposable> {
    ifPossible(() => mkdirSync(this.directory, { recursive: true }));
    return claim(`${this.#path(identity)}-claim`, signal);
  }

  #path(identity: string): string {
    return join(this.directory, createHash("sha256").update(`${rules} ${identity}`).digest("hex"));
  }

  #evict(): void {
    const names = readdirSync(this.directory);
    if (names.length <= maxTables) return;
    const ages = names.map((name) => {
      const path = join(this.directory, name);
      return { path, written: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
    });
    const oldest = ages.toSorted((a, b) => a.written - b.written).slice(0, names.length - maxTables);
    for (const { path } of oldest) rmSync(path, { force: true });
  }
}

/** True when a file has facts. A library that validates would take longer to load than most facts to find out again. */
function isFileFacts(value: unknown): value is FileFacts {
  if (!isObject(value)) return false;
  const { columns, serial, bytes, ...others } = value;
  return (
    Object.keys(others).length === 0 &&
    (columns === undefined || (Array.isArray(columns) && columns.every(isFoundColumn))) &&
    (serial === undefined || typeof serial === "boolean") &&
    (bytes === undefined || areByteFacts(bytes))
  );
}

function isFoundColumn(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, type, form, nonNumber } = value;
  const isKnownForm = form === undefined || form === "plain" || form === "plain-never-empty";
  const isKnownValue = nonNumber === undefined || typeof nonNumber === "string";
  return typeof name === "string" && typeof type === "string" && isKnownForm && isKnownValue;
}

function areByteFacts(value: unknown): boolean {
  if (!isObject(value) || typeof value["searched"] !== "boolean" || !Array.isArray(value["files"])) return false;
  return value["files"].every(
    (file: unknown) =>
      isObject(file) &&
      Number.isInteger(file["blankLines"]) &&
      Number(file["blankLines"]) >= 0 &&
      typeof file["underscores"] === "boolean" &&
      Number.isInteger(file["bufferBytes"]) &&
      Number(file["bufferBytes"]) > 0 &&
      typeof file["spacedQuotes"] === "boolean" &&
      Number.isInteger(file["widestRow"]) &&
      Number(file["widestRow"]) >= 0,
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

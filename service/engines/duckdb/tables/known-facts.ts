/** Caches what was found out of tables. */
import type { EngineFile } from "../files";
import type { RememberedFacts, FileFacts } from "./remembered-facts";
import type { ResolvedTable } from "./resolve";

/** Total size in bytes of the files of a table from which on its rows are not read again by another process. */
const rememberedBytes = 1024 * 1024;
/** Maximum number of cached tables; the least recently stored entry is evicted. */
const maxCachedTables = 1000;

export class KnownFacts {
  readonly #facts = new Map<string, FileFacts>();

  /** @param remembered keeps facts beyond the end of the process */
  constructor(private readonly remembered?: RememberedFacts) {}

  of({ identity }: Pick<ResolvedTable, "identity">): FileFacts {
    const known = this.#facts.get(identity) ?? this.remembered?.read(identity) ?? {};
    this.#keep(identity, known);
    return known;
  }

  /** Adds facts to those that are known. */
  remember(table: ResolvedTable, facts: FileFacts): void {
    const { identity, isSettled } = table;
    const merged = { ...this.of(table), ...facts };
    this.#keep(identity, merged);
    if (isSettled && bytesOf(table.table.files) >= rememberedBytes) this.remembered?.write(identity, merged);
  }

  #keep(identity: string, facts: FileFacts): void {
    this.#facts.delete(identity);
    this.#facts.set(identity, facts);
    if (this.#facts.size > maxCachedTables) this.#facts.delete(this.#facts.keys().next().value!);
  }
}

/** Returns the total size of files. */
export const bytesOf = (files: readonly EngineFile[]) => files.reduce((sum, { size }) => sum + size, 0);

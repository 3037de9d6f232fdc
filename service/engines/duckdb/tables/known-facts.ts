/** Caches what was found out of tables. */
import type { EngineFile } from "../files";
import type { RememberedFacts, FileFacts } from "./remembered-facts";
import type { ResolvedTable } from "./resolve";

/** Total size in bytes of the files of a table from which on only one process reads its rows for facts. */
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
    const shared = this.#sharedOf(table);
    const merged = { ...shared?.read(table.identity), ...this.of(table), ...facts };
    this.#keep(table.identity, merged);
    shared?.write(table.identity, merged);
  }

  /** Runs `find` while no other process reads the table's rows for its facts; those of others are known then. */
  async finding<Result>(table: ResolvedTable, signal: AbortSignal, find: () => Promise<Result>): Promise<Result> {
    const shared = this.#sharedOf(table);
    if (!shared) return find();
    using _claim = await shared.claim(table.identity, signal);
    this.#keep(table.identity, { ...shared.read(table.identity), ...this.of(table) });
    return await find();
  }

  /** Returns the facts that the processes share, if the table is large and has not changed just now. */
  #sharedOf({ isSettled, table }: ResolvedTable): RememberedFacts | undefined {
    return isSettled && bytesOf(table.files) >= rememberedBytes ? this.remembered : undefined;
  }

  #keep(identity: string, facts: FileFacts): void {
    this.#facts.delete(identity);
    this.#facts.set(identity, facts);
    if (this.#facts.size > maxCachedTables) this.#facts.delete(this.#facts.keys().next().value!);
  }
}

/** Returns the total size of files. */
export const bytesOf = (files: readonly EngineFile[]) => files.reduce((sum, { size }) => sum + size, 0);

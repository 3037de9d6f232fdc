/** Keeps the records of ended queries that lists have shown: they do not change, so the next list need not read them. */
import type { ListedQuery } from "../../core/ports/state";

/** Maximum number of records; the one that was added first is dropped. */
const maxRecords = 4096;

export class EndedQueries {
  readonly #records = new Map<number, ListedQuery>();

  /**
   * Returns the records with these IDs, in their order. A record of an ended query is frozen and the same object every
   * time.
   * @param read reads records; those that do not exist are left out.
   */
  page(ids: readonly number[], read: (ids: readonly number[]) => readonly ListedQuery[]): ListedQuery[] {
    const missing = ids.filter((id) => !this.#records.has(id));
    if (missing.length === 0) return ids.map((id) => this.#records.get(id)!);
    const fresh = new Map(read(missing).map((record) => [record.id, record]));
    const page = ids.flatMap((id) => this.#records.get(id) ?? fresh.get(id) ?? []);
    for (const record of fresh.values()) if (record.status !== "running") this.#add(record);
    return page;
  }

  /** Forgets all records, because queries were deleted or their clusters restarted. */
  clear(): void {
    this.#records.clear();
  }

  #add(record: ListedQuery): void {
    this.#records.set(record.id, Object.freeze(record));
    if (this.#records.size > maxRecords) this.#records.delete(this.#records.keys().next().value!);
  }
}

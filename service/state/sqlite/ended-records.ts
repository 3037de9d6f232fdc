/**
 * Keeps the records of ended queries that were read: they do not change, so the next request need not read them. Each is
 * frozen and the same object every time, so that what is made of it can be kept, too.
 */

interface Ended {
  readonly id: number;
  readonly status: string;
}

export class EndedRecords<Value extends Ended> {
  readonly #records = new Map<number, Value>();
  #size = 0;

  /**
   * @param maxSize of all records together; those that were added first are dropped.
   * @param sizeOf estimates the bytes that a record takes, with what is made of it.
   */
  constructor(
    private readonly maxSize: number,
    private readonly sizeOf: (record: Value) => number,
  ) {}

  /** Returns the record with this ID. @param read reads it; undefined when it does not exist */
  one(id: number, read: () => Value | undefined): Value | undefined {
    const known = this.#records.get(id);
    if (known !== undefined) return known;
    const record = read();
    if (record !== undefined) this.#add(record);
    return record;
  }

  /** Returns the records with these IDs, in their order. @param read reads records; those that do not exist are left out */
  page(ids: readonly number[], read: (ids: readonly number[]) => readonly Value[]): Value[] {
    const page: Value[] = [];
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.#records.get(id);
      if (known === undefined) missing.push(id);
      else page.push(known);
    }
    if (missing.length === 0) return page;
    const found = new Map(page.map((record) => [record.id, record]));
    for (const record of read(missing)) {
      found.set(record.id, record);
      this.#add(record);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** Forgets all records, because queries were deleted or their clusters restarted. */
  clear(): void {
    this.#records.clear();
    this.#size = 0;
  }

  #add(record: Value): void {
    if (record.status === "running") return;
    this.#records.set(record.id, Object.freeze(record));
    this.#size += this.sizeOf(record);
    for (const [id, oldest] of this.#records) {
      if (this.#size <= this.maxSize) return;
      this.#records.delete(id);
      this.#size -= this.sizeOf(oldest);
    }
  }
}

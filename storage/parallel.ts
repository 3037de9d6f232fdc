/** Runs work side by side, a bounded number at a time. */

/** Runs `work` for every item. After an error no further item is begun, and it is thrown when all work has ended. */
export async function forEachParallel<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const tasks = new Tasks(limit);
  try {
    for (const item of items) await tasks.add(() => work(item));
  } finally {
    await tasks.settle();
  }
  await tasks.finish();
}

/** Work that is added while earlier work runs. */
export class Tasks {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(private readonly limit: number) {}

  /** Begins `work` when there is room for it. @throws the first error of earlier work */
  async add(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.limit) await Promise.race(this.#running);
    this.#throwFailure();
    const task: Promise<void> = work()
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  /** Resolves when all work is done. @throws the first error */
  async finish(): Promise<void> {
    await this.settle();
    this.#throwFailure();
  }

  /** Resolves when no work runs any more. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.race(this.#running);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

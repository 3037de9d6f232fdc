/** Measures the clusters at an interval for the console's charts: `GET /usage`. */
import type { UsageAnswer, UsagePoint } from "../../../contract";
import type { Inspection } from "../ports/inspection";
import type { ServiceContext } from "../service-context";

/** Milliseconds between two measurements. */
const interval = 5000;
/** Measurements that are kept: one hour. */
const maxPoints = 720;
/** The size of the storage is measured once in so many measurements, because it visits every object. */
const diskEvery = 12;

/** The measurements of the last hour. */
export class UsageHistory implements Disposable {
  readonly #points = new Map<string, UsagePoint[]>();
  readonly #stopped = new AbortController();
  #count = 0;
  #disk: number | null = null;
  #measuring: Promise<void> | undefined;

  /** Starts measuring. */
  constructor(
    private readonly context: ServiceContext,
    private readonly inspection: Pick<Inspection, "memory">,
  ) {
    void this.#run();
  }

  /** Returns the measurements after a time, by cluster. */
  async read(since: number): Promise<UsageAnswer> {
    await this.#measuring?.catch(() => undefined);
    const clusters = [...this.context.clusters.values()].map(({ name, slots, memoryBytes }) => ({
      name,
      slots,
      memoryLimit: memoryBytes,
      points: (this.#points.get(name) ?? []).filter(({ time }) => time > since),
    }));
    return { clusters };
  }

  /** Takes one measurement now; a call during another one joins it. */
  measure(): Promise<void> {
    this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined));
    return this.#measuring;
  }

  [Symbol.dispose](): void {
    this.#stopped.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      // A measurement that fails is a gap in the chart, and one that takes long delays no other.
      void this.measure().catch(() => undefined);
      await this.context.platform.clock.sleep(interval, signal);
    }
  }

  async #measure(): Promise<void> {
    const isDiskDue = this.#count % diskEvery === 0;
    this.#count += 1;
    const [memory, disk] = await Promise.all([
      this.inspection.memory().catch(() => undefined),
      isDiskDue ? this.#measureDisk() : this.#disk,
    ]);
    this.#disk = disk;
    const time = this.context.platform.clock.now();
    for (const name of this.context.clusters.keys()) {
      const running = (await this.context.state.queries.listRunning(name)).length;
      const points = this.#points.get(name) ?? [];
      points.push({ time, running, memory: memory ? (memory.get(name) ?? 0) : null, disk });
      this.#points.set(name, points.slice(-maxPoints));
    }
  }

  /** A measurement that fails is a gap in the chart. */
  #measureDisk(): Promise<number | null> {
    return this.context.platform.diskUsage().then(
      ({ objects }) => objects,
      () => null,
    );
  }
}

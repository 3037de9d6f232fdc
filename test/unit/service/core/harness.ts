/** A service on a temporary folder, with an engine that the test controls. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { parseLocation, type QueryStatus } from "../../../../contract";
import { FileStorage } from "../../../../storage/file";
import { AdvanceableClock } from "../../../../service/core/clock";
import type { DeclaredTable } from "../../../../service/core/queries/catalog";
import type { Logger } from "../../../../service/core/ports/platform";
import type { InstanceGroup } from "../../../../service/core/clusters/grades";
import type { RetentionLimits } from "../../../../service/core/retention";
import { Service } from "../../../../service/core/service";
import { submitSelect, submitSplit } from "../../../../service/core/queries/submissions";
import type { ServiceContext } from "../../../../service/core/service-context";
import { diskUsageOf } from "../../../../service/state/disk-usage";
import { LocalLogFiles } from "../../../../service/state/log-files";
import { FileOutputFolders } from "../../../../service/state/outputs/folders";
import { openState } from "../../../../service/state/sqlite";
import { MemoryFamily } from "./memory-engine";

const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface HarnessOptions {
  readonly directory?: string;
  readonly clusters?: Readonly<Record<string, readonly InstanceGroup[]>>;
  readonly tables?: readonly DeclaredTable[];
  readonly retention?: RetentionLimits;
}

export class Harness {
  readonly storage: FileStorage;
  readonly family: MemoryFamily;
  readonly other: MemoryFamily;
  readonly clock = new AdvanceableClock();
  readonly service: Service;
  readonly context: ServiceContext;
  readonly caller = { accessKeyId: "AK", signal: () => new AbortController().signal };

  constructor(
    readonly directory: string,
    { clusters = { c1: [{ grade: "standard", quantity: 3 }] }, tables = [], retention }: HarnessOptions,
  ) {
    const buckets = join(directory, "buckets");
    mkdirSync(join(buckets, "out"), { recursive: true });
    mkdirSync(join(buckets, "data"), { recursive: true });
    this.storage = new FileStorage(buckets);
    this.family = new MemoryFamily(this.storage);
    this.other = new MemoryFamily(this.storage, "other");
    this.service = new Service({
      platform: {
        clock: this.clock,
        log: silent,
        outputs: new FileOutputFolders(this.storage),
        logs: new LocalLogFiles({
          directory: join(directory, "logs"),
          engines: join(directory, "clusters"),
          clock: this.clock,
          log: silent,
        }),
        diskUsage: diskUsageOf(this.storage),
      },
      retention,
      state: openState(join(directory, "state.sqlite"), { now: () => this.clock.now() }),
      storage: this.storage,
      families: [this.family, this.other],
      tables,
      clusters: Object.entries(clusters).map(([name, instances]) => ({
        name,
        type: "memory",
        debug: false,
        instances,
        memoryBytes: 2 ** 30,
        threads: 1,
        directory: join(directory, "clusters", name),
      })),
    });
    this.context = this.service.context;
  }

  put(location: string, content: string | Uint8Array): void {
    const path = this.storage.path(parseLocation(location));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** Returns the content of an object; undefined when it does not exist. */
  get(location: string): string | undefined {
    const path = this.storage.path(parseLocation(location));
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  /** Lists everything under a bucket, including folders. */
  entries(bucket: string): string[] {
    return readdirSync(this.storage.path({ bucket, key: "" }), { recursive: true })
      .map(String)
      .sort();
  }

  async select(
    overrides: { query?: string; outputResourcePath?: string; clusterName?: string; label?: string } = {},
  ): Promise<number> {
    const body = {
      clusterName: "c1",
      query: "select 1",
      outputResourcePath: `dag://out/${crypto.randomUUID()}`,
      ...overrides,
    };
    return (await submitSelect(this.context, body, this.caller)).queryId;
  }

  async split(
    overrides: {
      clusterName?: string;
      outputTable?: string;
      outputDatabase?: string;
      inputObjectKeys?: string[];
      schema?: string;
    } = {},
  ): Promise<number> {
    const body = {
      clusterName: "c1",
      inputObjectKeys: ["dag://data/in.csv"],
      outputDatabase: "data",
      outputTable: "t1",
      ...overrides,
    };
    return (await submitSplit(this.context, body, this.caller)).queryId;
  }

  async status(id: number): Promise<QueryStatus> {
    return (await this.context.state.queries.get(id))!.status;
  }

  /** Waits until a condition holds; fails with its description when it does not. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 2000; turn += 1) {
      if (await holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error(`never: ${what}`);
  }

  /** Waits until the engine runs a query. */
  async working(id: number) {
    await this.until(`query ${id} on the engine`, () => this.family.jobs.has(id) || this.other.jobs.has(id));
    return this.family.jobs.get(id) ?? this.other.job(id);
  }

  async ended(id: number): Promise<QueryStatus> {
    await this.until(`query ${id} ended`, async () => (await this.status(id)) !== "running");
    return await this.status(id);
  }

  async up(cluster = "c1"): Promise<void> {
    await this.until(`cluster ${cluster} norm`, () => this.context.clusters.get(cluster)!.status === "norm");
  }
}

/** Starts a service, which is stopped and its folder deleted when the test ends. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "dag-core-"));
  const harness = new Harness(directory, options);
  onTestFinished(async () => {
    await harness.service.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  await harness.service.start();
  return harness;
}

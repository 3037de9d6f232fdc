/** A service with data for the contract tests, one per test file. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startService, type TestService, type TestServiceOptions } from "dag-service/testing";
import { afterAll, beforeAll } from "vitest";
import { call, type Answer, type CallOptions } from "./caller";

/** A statement that runs longer than any test, and one that ends at once. */
export const slow = "select count(*) n from data.numbers a cross join data.numbers b cross join data.numbers c";
export const quick = "select v, count(*) n from data.events group by v order by v";

const numbers = Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join("");

export const objects = {
  "dag://data/events/a.csv": "1,x\n2,y\n3,x\n",
  "dag://data/numbers/n.csv": numbers,
  "dag://raw/in.csv": "1,a\n2,b\n",
  "dag://raw/in.jsonl": '{"id":1}\n{"id":2}\n',
  "dag://raw/nul": "a\0b\n",
};

const tables = [
  { database: "data", table: "events", format: "csv", schema: "bigint id, string v" },
  { database: "data", table: "numbers", format: "csv", schema: "bigint n" },
  { database: "lost", table: "t", format: "csv", schema: "bigint n" },
] as const;

export interface Fixture {
  readonly service: TestService;
  call(method: string, target: string, options?: CallOptions): Promise<Answer>;
  select(overrides?: Record<string, unknown>): Promise<Answer>;
  split(overrides?: Record<string, unknown>): Promise<Answer>;
  /** Lists the objects and folders of a bucket. */
  entries(bucket: string): string[];
  /** Returns the content of an object; undefined when it does not exist. */
  get(path: string): string | undefined;
}

let serial = 0;

/** Starts a service with two clusters, the objects and tables of the tests, and the bucket `out`. */
export function startWithData(options: TestServiceOptions = {}): Promise<TestService> {
  return startService({
    clusters: [
      { name: "c1", instances: [{ grade: "small", quantity: 3 }] },
      { name: "c2", instances: [{ grade: "small", quantity: 2 }] },
    ],
    buckets: ["out"],
    objects,
    tables: [...tables],
    ...options,
  });
}

/** Starts the service before the tests of a file and closes it after them. */
export function useService(options: TestServiceOptions = {}): Fixture {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await startWithData(options);
  });
  afterAll(() => service?.close());
  const running = () => {
    if (!service) throw new Error("the service did not start");
    return service;
  };
  return {
    get service() {
      return running();
    },
    call: (method, target, callOptions) => call(running(), method, target, callOptions),
    select: (overrides) =>
      call(running(), "POST", "/v1/?select", {
        body: { clusterName: "c1", query: quick, outputResourcePath: `dag://out/r${(serial += 1)}`, ...overrides },
      }),
    split: (overrides) =>
      call(running(), "POST", "/v1/?split", {
        body: {
          clusterName: "c1",
          inputObjectKeys: ["dag://raw/in.csv"],
          outputDatabase: "data",
          outputTable: `t${(serial += 1)}`,
          ...overrides,
        },
      }),
    entries: (bucket) => readdirSync(join(running().bucketsDirectory, bucket), { recursive: true }).map(String).sort(),
    get: (path) => {
      const file = join(running().bucketsDirectory, path);
      return existsSync(file) ? readFileSync(file, "utf8") : undefined;
    },
  };
}

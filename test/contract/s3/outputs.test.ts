import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Location, parseLocation } from "../../../contract";
import { S3Storage } from "../../../storage";
import { s3Credentials } from "../storage/s3-server";
import { rangesName, writeRanges } from "../../../storage/s3-ranges";
import type { OutputFolders } from "../../../service/core/ports/platform";
import { AttemptLost, type QueryAttempt } from "../../../service/core/ports/state";
import type { OutputRecords } from "../../../service/state/outputs/output-records";
import { S3OutputFolders } from "../../../service/state/outputs/s3";
import { openState } from "../../../service/state/sqlite";
import type { StateAdapter } from "../../../service/state/state-adapter";
import { useS3 } from "./harness";

const s3 = useS3();

/** Thrown by every call after the crash. */
class Crash extends Error {}

/** The calls of a process that ends before, or after, its call number `at`. */
class Steps {
  #count = 0;
  constructor(
    private readonly at: number,
    private readonly after: boolean,
  ) {}

  get crashed(): boolean {
    return this.#count >= this.at;
  }

  /** Returns an object whose methods are the steps. */
  of<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const method = (target as Record<string | symbol, unknown>)[name];
        if (typeof method !== "function") return method;
        // What makes other objects is no step.
        if (name === "guarded") return (...args: unknown[]) => this.of(method.apply(target, args) as object);
        return (...args: unknown[]) => this.#step(() => method.apply(target, args) as unknown);
      },
    });
  }

  #step(run: () => unknown): unknown {
    if (this.crashed) throw new Crash();
    this.#count += 1;
    if (!this.crashed) return run();
    if (!this.after) throw new Crash();
    const result = run();
    if (!(result instanceof Promise)) throw new Crash();
    return result.then(() => {
      throw new Crash();
    });
  }
}

interface Process {
  readonly outputs: OutputFolders;
  readonly state: StateAdapter;
  close(): Promise<void>;
}

/** A process of the service, on the state file of the test. */
function startProcess(steps?: Steps): Process {
  const state = openState(join(s3.folder.path, "state.sqlite"));
  const wrap = <Target extends object>(target: Target): Target => steps?.of(target) ?? target;
  const outputs = new S3OutputFolders({
    storage: wrap<S3Storage>(s3.storage),
    records: wrap<OutputRecords>(state.outputRecords),
  });
  return { outputs, state, close: () => state.close() };
}

/** Accepts a query that writes to a folder. */
async function accept(state: StateAdapter, folder = "dag://out/any/"): Promise<QueryAttempt> {
  await state.admission.registerCluster("c1", { type: "duckdb", debug: false });
  const accepted = await state.admission.accept(
    {
      clusterName: "c1",
      accessKeyId: "AK",
      label: null,
      startTime: 0,
      type: "select",
      query: "select 1",
      outputFormat: "csv",
      outputResourcePath: folder,
    },
    { slots: 1000, generation: 0 },
  );
  if (accepted.refused) throw new Error(accepted.refused);
  return accepted.query;
}

/** Returns the publication of an attempt by itself. */
const publication = ({ epoch }: QueryAttempt) => ({
  writtenBy: epoch,
  publishedBy: epoch,
  isRetry: false,
  confirm: () => Promise.resolve(),
});

const results = { "000000_0": "new 0", "000001_0": "new 1", "000002_0": "" };

interface QueryRecord {
  attempt: QueryAttempt;
  /** The attempt whose result is complete. */
  complete?: number;
  ended: boolean;
}

/** Does what the core does: runs a query, or continues one whose result was complete. */
async function runQuery(
  { outputs, state }: Process,
  kind: "publishReplacing" | "publishNew",
  target: Location,
  record: QueryRecord,
): Promise<void> {
  const { attempt } = record;
  const isRetry = record.complete !== undefined;
  if (!isRetry) {
    const folder = await outputs.prepare(attempt.id, attempt.epoch, target.bucket);
    for (const [name, content] of Object.entries(results)) {
      await s3.storage.write({ bucket: folder.bucket, key: folder.key + name }, content);
    }
    // Not part of a result.
    await s3.storage.write({ bucket: folder.bucket, key: `${folder.key}_SUCCESS` }, "");
    record.complete = attempt.epoch;
  }
  await outputs[kind](attempt.id, target, {
    writtenBy: record.complete!,
    publishedBy: attempt.epoch,
    isRetry,
    confirm: () => Promise.resolve(),
  });
  await outputs.discard(attempt.id, target.bucket);
  await state.attempts.end(attempt, "finished", { progress: 100, stage: 3, jobId: null });
  record.ended = true;
}

describe.each([
  [
    "publishReplacing",
    { "dag://out/a/b/000000_0": "old 0", "dag://out/a/b/000005_0": "old 5", "dag://out/a/b/c/x": "old" },
  ],
  ["publishNew", {}],
] as const)("%s", (kind, old) => {
  test.each([false, true])(
    "a crash at any step converges to the whole result, with nothing temporary (after the step: %s)",
    async (after) => {
      const target = parseLocation("dag://out/a/b/");
      let steps = 0;
      for (let at = 1; ; at += 1) {
        await s3.storage.deleteFolder({ bucket: "out", key: "" }).catch(() => s3.makeBuckets("out"));
        await s3.put({ "dag://out/a/b2": "kept", "dag://out/a/z/000000_0": "kept", ...old });
        const crashing = new Steps(at, after);
        const first = startProcess(crashing);
        const record: QueryRecord = { attempt: await accept(first.state, "dag://out/a/b/"), ended: false };
        const ended = await runQuery(first, kind, target, record).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof Crash)) throw error;
            return false;
          },
        );
        await first.close();
        const published = await s3.keys("dag://out/a/b/");
        // Before the result is complete, the old output is untouched.
        const untouched =
          record.complete !== undefined ? published : Object.keys(old).map((name) => parseLocation(name).key);
        expect(published).toEqual(untouched);
        const second = startProcess();
        await second.outputs.deleteOrphans({ kept: async () => new Set(), outputOf: async () => undefined });
        const [left] = await second.state.leases.takeOver();
        if (left) await runQuery(second, kind, target, Object.assign(record, { attempt: left }));
        await second.close();
        expect(await s3.keys("dag://out/")).toEqual([
          ...Object.keys(results).map((name) => `a/b/${name}`),
          "a/b2",
          "a/z/000000_0",
        ]);
        expect(await s3.content("dag://out/a/b/")).toBe("new 0new 1");
        steps = at;
        if (ended) break;
      }
      // prepare, manifest, delete, copies, end and sweep are among them.
      expect(steps).toBeGreaterThan(12);
    },
  );
});

test("publishNew: objects that others have written are kept, and the query ends with OutputTableAlreadyExists", async () => {
  await s3.put({ "dag://out/t/theirs": "theirs" });
  const process = startProcess();
  const attempt = await accept(process.state);
  const failing = runQuery(process, "publishNew", parseLocation("dag://out/t/"), { attempt, ended: false });
  await expect(failing).rejects.toMatchObject({ code: "OutputTableAlreadyExists", field: "outputTable" });
  await process.outputs.discard(attempt.id, "out");
  expect(await s3.keys("dag://out/")).toEqual(["t/theirs"]);
  await process.close();
});

test("publishNew: ranges of objects become objects; when a source was changed, nothing of the table remains", async () => {
  const bytes = Buffer.from("x".repeat(6_000_000));
  await s3.put({ "dag://raw/a.csv": bytes, "dag://raw/b.csv": "1\n2\n" });
  await s3.makeBuckets("out");
  const { outputs, state, close } = startProcess();
  const attempt = await accept(state);
  const target = parseLocation("dag://out/t/");
  const large = (await s3.storage.head(parseLocation("dag://raw/a.csv")))!;
  const small = (await s3.storage.head(parseLocation("dag://raw/b.csv")))!;
  const rangeOf = (name: string, { location, size, etag }: typeof large, start: number, end: number) => {
    return { name, source: location, sourceSize: size, etag: etag!, start, end };
  };
  const prepare = async () => {
    const folder = await outputs.prepare(attempt.id, attempt.epoch, "out");
    await s3.storage.write({ bucket: "out", key: `${folder.key}000002_0` }, "3\n");
    const ranges = [rangeOf("000000_0", large, 10, 5_500_000), rangeOf("000001_0", small, 0, 2)];
    await writeRanges(s3.storage, folder, ranges);
  };
  await prepare();
  await outputs.publishNew(attempt.id, target, publication(attempt));
  // The ranges are stored in their list only.
  const [record] = await state.outputRecords.of(attempt.id);
  expect(record!.manifest!.map(({ name }) => name).toSorted()).toEqual(["000002_0", rangesName]);
  await outputs.discard(attempt.id, "out");
  expect(await s3.keys("dag://out/")).toEqual(["t/000000_0", "t/000001_0", "t/000002_0"]);
  expect((await s3.content("dag://out/t/")).length).toBe(5_499_990 + 4);
  await s3.storage.deleteFolder(target);
  await prepare();
  await s3.put({ "dag://raw/b.csv": "9\n9\n" });
  await expect(outputs.publishNew(attempt.id, target, publication(attempt))).rejects.toMatchObject({
    code: "StorageAccessError",
    message: "dag://raw/b.csv cannot be accessed: it was changed in the meantime",
  });
  await outputs.discard(attempt.id, "out");
  expect(await s3.keys("dag://out/")).toEqual([]);
  await close();
});

test("discard: ends uploads that a killed process has begun", async () => {
  await s3.makeBuckets("out");
  const { outputs, state, close } = startProcess();
  const attempt = await accept(state);
  const folder = await outputs.prepare(attempt.id, attempt.epoch, "out");
  const { S3Client, CreateMultipartUploadCommand, ListMultipartUploadsCommand } = await import("@aws-sdk/client-s3");
  const credentials = { accessKeyId: "s3-user", secretAccessKey: "s3-secret" };
  const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true, region: "us-east-1", credentials });
  await client.send(new CreateMultipartUploadCommand({ Bucket: "out", Key: `${folder.key}000000_0` }));
  const uploads = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: "out" }))).Uploads ?? [];
  expect(await uploads()).toHaveLength(1);
  await outputs.discard(attempt.id, "out");
  expect(await uploads()).toEqual([]);
  client.destroy();
  await close();
});

test("two services on the same buckets: the start of one deletes nothing of the other", async () => {
  await s3.makeBuckets("out");
  const { outputs, state, close } = startProcess();
  const attempt = await accept(state);
  const folder = await outputs.prepare(attempt.id, attempt.epoch, "out");
  await s3.storage.write({ bucket: "out", key: `${folder.key}000000_0` }, "x");
  const other = openState(join(s3.folder.path, "other.sqlite"));
  await new S3OutputFolders({ storage: s3.storage, records: other.outputRecords }).deleteOrphans();
  await other.close();
  expect(await s3.keys("dag://out/tmp/")).toEqual([`${folder.key}000000_0`]);
  await close();
});

test("publishReplacing: publishes hundreds of objects", async () => {
  await s3.makeBuckets("out");
  const { outputs, state, close } = startProcess();
  const attempt = await accept(state);
  const folder = await outputs.prepare(attempt.id, attempt.epoch, "out");
  const names = Array.from({ length: 300 }, (_, index) => `${String(index).padStart(6, "0")}_0`);
  const waiting = names.values();
  const write = async () => {
    for (const name of waiting) await s3.storage.write({ bucket: "out", key: folder.key + name }, name);
  };
  await Promise.all(Array.from({ length: 16 }, write));
  await outputs.publishReplacing(attempt.id, parseLocation("dag://out/many/"), publication(attempt));
  await outputs.discard(attempt.id, "out");
  expect(await s3.keys("dag://out/")).toEqual(names.map((name) => `many/${name}`));
  await close();
});

test("publishReplacing: a process that is not confirmed sends nothing, and leaves the result to the one that has taken over", async () => {
  await s3.put({ "dag://out/r/old": "old" });
  const { outputs, state, close } = startProcess();
  const attempt = await accept(state);
  const folder = await outputs.prepare(attempt.id, attempt.epoch, "out");
  await s3.storage.write({ bucket: "out", key: `${folder.key}000000_0` }, "new");
  const target = parseLocation("dag://out/r/");
  const lost = { ...publication(attempt), confirm: () => Promise.reject(new AttemptLost()) };
  await expect(outputs.publishReplacing(attempt.id, target, lost)).rejects.toBeInstanceOf(AttemptLost);
  expect(await s3.keys("dag://out/r/")).toEqual(["r/old"]);
  const behind = { ...publication(attempt), publishedBy: attempt.epoch + 1 };
  await expect(outputs.publishReplacing(attempt.id, target, behind)).rejects.toBeInstanceOf(AttemptLost);
  expect(await s3.keys("dag://out/r/")).toEqual(["r/old"]);
  await outputs.publishReplacing(attempt.id, target, publication(attempt));
  expect(await s3.content("dag://out/r/")).toBe("new");
  await close();
});

test("publishReplacing: a process that loses the query while it copies sends no further request", async () => {
  await s3.makeBuckets("out");
  const { outputs, state, close } = startProcess();
  const attempt = await accept(state);
  const folder = await outputs.prepare(attempt.id, attempt.epoch, "out");
  await s3.storage.write({ bucket: "out", key: `${folder.key}000000_0` }, "new");
  let confirmed = 0;
  const refused = Promise.withResolvers<void>();
  const confirm = () => {
    if ((confirmed += 1) === 1) return Promise.resolve();
    refused.resolve();
    return Promise.reject(new AttemptLost());
  };
  // The copies come after a further confirmation.
  const delayed = (permit: () => Promise<void>) =>
    s3.storage.guarded(async () => {
      await permit();
      await refused.promise;
      await permit();
    });
  const storage: S3Storage = Object.assign(
    new S3Storage({ endpoint: s3.server.endpoint, credentials: s3Credentials }),
    { guarded: delayed },
  );
  const other = new S3OutputFolders({ storage, records: state.outputRecords });
  const target = parseLocation("dag://out/r/");
  await expect(other.publishReplacing(attempt.id, target, { ...publication(attempt), confirm })).rejects.toBeInstanceOf(
    AttemptLost,
  );
  expect(confirmed).toBeGreaterThan(1);
  expect(await s3.keys("dag://out/r/")).toEqual([]);
  expect(await s3.keys(`dag://out/${folder.key}`)).toEqual([`${folder.key}000000_0`]);
  await close();
});

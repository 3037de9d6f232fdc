import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Location, parseLocation } from "../../../contract";
import type { S3Storage } from "../../../storage";
import { writeRanges } from "../../../storage/s3-ranges";
import type { OutputFolders } from "../../../service/core/ports/platform";
import type { Attempts } from "../../../service/state/attempts";
import { S3OutputFolders } from "../../../service/state/s3-outputs";
import { openState } from "../../../service/state/sqlite";
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
  close(): void;
}

/** A process of the service, on the state file of the test. */
function startProcess(steps?: Steps): Process {
  const state = openState(join(s3.folder.path, "state.sqlite"));
  const wrap = <Target extends object>(target: Target): Target => steps?.of(target) ?? target;
  const outputs = new S3OutputFolders({
    storage: wrap<S3Storage>(s3.storage),
    attempts: wrap<Attempts>(state.attempts),
  });
  return { outputs, close: () => state.close() };
}

const queryId = 7;
const results = { "000000_0": "new 0", "000001_0": "new 1", "000002_0": "" };

/** Does what the core does: runs a query, or continues one whose result was complete. */
async function runQuery(
  outputs: OutputFolders,
  kind: "publishReplacing" | "publishNew",
  target: Location,
  record: { complete: boolean; ended: boolean },
): Promise<void> {
  const isRetry = record.complete;
  if (!isRetry) {
    const folder = await outputs.prepare(queryId, target.bucket);
    for (const [name, content] of Object.entries(results)) {
      await s3.storage.write({ bucket: folder.bucket, key: folder.key + name }, content);
    }
    // Not part of a result.
    await s3.storage.write({ bucket: folder.bucket, key: `${folder.key}_SUCCESS` }, "");
    record.complete = true;
  }
  await outputs[kind](queryId, target, { isRetry });
  await outputs.discard(queryId, target.bucket);
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
        const record = { complete: false, ended: false };
        const crashing = new Steps(at, after);
        const first = startProcess(crashing);
        const ended = await runQuery(first.outputs, kind, target, record).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof Crash)) throw error;
            return false;
          },
        );
        first.close();
        const published = await s3.keys("dag://out/a/b/");
        // Before the result is complete, the old output is untouched.
        const untouched = record.complete ? published : Object.keys(old).map((name) => parseLocation(name).key);
        expect(published).toEqual(untouched);
        const second = startProcess();
        await second.outputs.deleteOrphans(new Set(record.complete && !record.ended ? [queryId] : []));
        if (!record.ended) await runQuery(second.outputs, kind, target, record);
        second.close();
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
  const { outputs, close } = startProcess();
  const target = parseLocation("dag://out/t/");
  const failing = runQuery(outputs, "publishNew", target, { complete: false, ended: false });
  await expect(failing).rejects.toMatchObject({ code: "OutputTableAlreadyExists", field: "outputTable" });
  await outputs.discard(queryId, "out");
  expect(await s3.keys("dag://out/")).toEqual(["t/theirs"]);
  close();
});

test("publishNew: ranges of objects become objects; when a source was changed, nothing of the table remains", async () => {
  const bytes = Buffer.from("x".repeat(6_000_000));
  await s3.put({ "dag://raw/a.csv": bytes, "dag://raw/b.csv": "1\n2\n" });
  await s3.makeBuckets("out");
  const { outputs, close } = startProcess();
  const target = parseLocation("dag://out/t/");
  const large = (await s3.storage.head(parseLocation("dag://raw/a.csv")))!;
  const small = (await s3.storage.head(parseLocation("dag://raw/b.csv")))!;
  const rangeOf = (name: string, { location, size, etag }: typeof large, start: number, end: number) => {
    return { name, source: location, sourceSize: size, etag: etag!, start, end };
  };
  const prepare = async () => {
    const folder = await outputs.prepare(queryId, "out");
    await s3.storage.write({ bucket: "out", key: `${folder.key}000002_0` }, "3\n");
    const ranges = [rangeOf("000000_0", large, 10, 5_500_000), rangeOf("000001_0", small, 0, 2)];
    await writeRanges(s3.storage, folder, ranges);
  };
  await prepare();
  await outputs.publishNew(queryId, target);
  await outputs.discard(queryId, "out");
  expect(await s3.keys("dag://out/")).toEqual(["t/000000_0", "t/000001_0", "t/000002_0"]);
  expect((await s3.content("dag://out/t/")).length).toBe(5_499_990 + 4);
  await s3.storage.deleteFolder(target);
  await prepare();
  await s3.put({ "dag://raw/b.csv": "9\n9\n" });
  await expect(outputs.publishNew(queryId, target)).rejects.toMatchObject({
    code: "StorageAccessError",
    message: "dag://raw/b.csv cannot be accessed: it was changed in the meantime",
  });
  await outputs.discard(queryId, "out");
  expect(await s3.keys("dag://out/")).toEqual([]);
  close();
});

test("discard: ends uploads that a killed process has begun", async () => {
  await s3.makeBuckets("out");
  const { outputs, close } = startProcess();
  const folder = await outputs.prepare(queryId, "out");
  const { S3Client, CreateMultipartUploadCommand, ListMultipartUploadsCommand } = await import("@aws-sdk/client-s3");
  const credentials = { accessKeyId: "s3-user", secretAccessKey: "s3-secret" };
  const client = new S3Client({ endpoint: s3.server.endpoint, forcePathStyle: true, region: "us-east-1", credentials });
  await client.send(new CreateMultipartUploadCommand({ Bucket: "out", Key: `${folder.key}000000_0` }));
  const uploads = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: "out" }))).Uploads ?? [];
  expect(await uploads()).toHaveLength(1);
  await outputs.discard(queryId, "out");
  expect(await uploads()).toEqual([]);
  client.destroy();
  close();
});

test("two services on the same buckets: the start of one deletes nothing of the other", async () => {
  await s3.makeBuckets("out");
  const { outputs, close } = startProcess();
  const folder = await outputs.prepare(queryId, "out");
  await s3.storage.write({ bucket: "out", key: `${folder.key}000000_0` }, "x");
  const other = openState(join(s3.folder.path, "other.sqlite"));
  await new S3OutputFolders({ storage: s3.storage, attempts: other.attempts }).deleteOrphans(new Set());
  other.close();
  expect(await s3.keys("dag://out/tmp/")).toEqual([`${folder.key}000000_0`]);
  close();
});

test("publishReplacing: publishes a thousand objects within seconds", async () => {
  await s3.makeBuckets("out");
  const { outputs, close } = startProcess();
  const folder = await outputs.prepare(queryId, "out");
  const names = Array.from({ length: 1000 }, (_, index) => `${String(index).padStart(6, "0")}_0`);
  const waiting = names.values();
  const write = async () => {
    for (const name of waiting) await s3.storage.write({ bucket: "out", key: folder.key + name }, name);
  };
  await Promise.all(Array.from({ length: 16 }, write));
  await outputs.publishReplacing(queryId, parseLocation("dag://out/many/"));
  await outputs.discard(queryId, "out");
  expect(await s3.keys("dag://out/")).toEqual(names.map((name) => `many/${name}`));
  close();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { errors, type Location } from "../../../../../contract";
import { AttemptLost } from "../../../../../service/core/ports/state";
import { S3OutputFolders, type S3OutputOptions } from "../../../../../service/state/outputs/s3";
import { openState } from "../../../../../service/state/sqlite";
import type { StoredObject } from "../../../../../storage/storage";

/** Objects in memory, without folders; the next deletion of one object may fail. */
class MemoryS3 {
  readonly objects = new Map<string, string>();
  isDeleteRefused = false;

  guarded(): this {
    return this;
  }

  async bucketExists(): Promise<boolean> {
    return true;
  }

  async deleteUploads(): Promise<void> {}

  async head({ bucket, key }: Location): Promise<StoredObject | undefined> {
    const text = this.objects.get(`${bucket}/${key}`);
    return text === undefined
      ? undefined
      : { location: { bucket, key }, size: text.length, lastModified: new Date(0), etag: text };
  }

  async *list({ bucket, key }: Location): AsyncGenerator<StoredObject, void, undefined> {
    for (const name of [...this.objects.keys()].sort()) {
      if (!name.startsWith(`${bucket}/${key}`)) continue;
      yield (await this.head({ bucket, key: name.slice(bucket.length + 1) }))!;
    }
  }

  async read({ bucket, key }: Location): Promise<Readable> {
    return Readable.from([Buffer.from(this.objects.get(`${bucket}/${key}`)!)]);
  }

  async write({ bucket, key }: Location, body: unknown): Promise<void> {
    this.objects.set(`${bucket}/${key}`, String(body));
  }

  async copy({ location }: StoredObject, { bucket, key }: Location): Promise<void> {
    this.objects.set(`${bucket}/${key}`, this.objects.get(`${location.bucket}/${location.key}`)!);
  }

  async delete({ bucket, key }: Location): Promise<void> {
    if (this.isDeleteRefused) {
      this.isDeleteRefused = false;
      throw new errors.StorageAccessError("S3 does not answer");
    }
    this.objects.delete(`${bucket}/${key}`);
  }

  async deleteFolder({ bucket, key }: Location): Promise<void> {
    for (const name of this.objects.keys()) if (name.startsWith(`${bucket}/${key}`)) this.objects.delete(name);
  }
}

/** Opens a state, and accepts a query. */
async function openOutputs() {
  const directory = mkdtempSync(join(tmpdir(), "dag-outputs-"));
  const state = openState(join(directory, "state.sqlite"));
  onTestFinished(async () => {
    await state.close();
    rmSync(directory, { recursive: true });
  });
  const storage = new MemoryS3();
  const options: S3OutputOptions = { storage, records: state.outputRecords };
  await state.admission.registerCluster("c1", { type: "duckdb", debug: false });
  const submission = {
    type: "select",
    query: "SELECT 1",
    outputFormat: "csv",
    outputResourcePath: "dag://out/r/",
    clusterName: "c1",
    accessKeyId: "AK",
    label: null,
    startTime: 0,
  } as const;
  const accepted = await state.admission.accept(submission, { slots: 1, generation: 0 });
  const { query } = accepted as { readonly query: { readonly id: number; readonly epoch: number } };
  return { state, storage, options, query };
}

// Found by the simulation: a request of S3 was lost while a published query ended.
test("discard: a marker that could not be deleted is deleted by the next start", async () => {
  const { state, storage, options, query } = await openOutputs();
  const outputs = new S3OutputFolders(options);

  const folder = await outputs.prepare(query.id, query.epoch, "out");
  expect([...storage.objects.keys()]).toEqual(["out/tmp_$folder$"]);
  await storage.write({ bucket: "out", key: `${folder.key}000000_0` }, "row");
  await state.attempts.markPublishing(query, { columns: null, checked: false });
  const publication = {
    writtenBy: query.epoch,
    publishedBy: query.epoch,
    isRetry: false,
    confirm: async () => undefined,
  };
  await outputs.publishReplacing(query.id, { bucket: "out", key: "r/" }, publication);
  storage.isDeleteRefused = true;
  await expect(outputs.discard(query.id, "out", query.epoch)).rejects.toThrow(errors.StorageAccessError);
  await state.attempts.end(query, "finished", { progress: 100, stage: 1, jobId: null });
  expect([...storage.objects.keys()]).toEqual(["out/tmp_$folder$", "out/r/000000_0"]);

  await new S3OutputFolders(options).deleteOrphans();
  expect([...storage.objects.keys()]).toEqual(["out/r/000000_0"]);
});

// Found by the simulation (seed 712541201): the service stopped while the process of a cancelled split still wrote.
test("deleteOrphans: deletes an object too that a killed process has sent and S3 stores after the start", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { state, storage, options, query } = await openOutputs();
  const stopped = new S3OutputFolders(options);
  const folder = await stopped.prepare(query.id, query.epoch, "out");
  await state.attempts.end(query, "canceled", { progress: 0, stage: 1, jobId: null });
  vi.clearAllTimers();

  await new S3OutputFolders(options).deleteOrphans();
  expect([...storage.objects.keys()]).toEqual([]);
  await storage.write({ bucket: "out", key: `${folder.key}000000_0` }, "late");
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitFor(async () => expect(await state.outputRecords.of(query.id)).toEqual([]));
  expect([...storage.objects.keys()]).toEqual([]);
});

// Found by the simulation (seed 5204010): a process that did not know that it had lost its query.
test("prepare: keeps what a later attempt has written", async () => {
  const { state, storage, query } = await openOutputs();
  const common = { queryId: query.id, bucket: "out", manifest: null, published: false, discarded: false };
  const later = { ...common, epoch: query.epoch + 1, name: "2-0a" };
  const object = { bucket: "out", key: `tmp/${query.id}/2-0a/000000_0` };
  await storage.write(object, "row");
  const setDiscarded = vi.fn<typeof state.outputRecords.setDiscarded>(state.outputRecords.setDiscarded);
  const records = { ...state.outputRecords, of: async () => [later], begin: async () => false, setDiscarded };

  const outputs = new S3OutputFolders({ storage, records });
  await expect(outputs.prepare(query.id, query.epoch, "out")).rejects.toThrow(AttemptLost);
  expect(await storage.head(object)).toBeDefined();
  expect(setDiscarded).not.toHaveBeenCalled();
});

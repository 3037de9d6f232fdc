/** What a publication asks of the storage: on S3, each question is a request. */
import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import type { StoredQuery } from "../../../../../service/core/ports/state";
import { publish } from "../../../../../service/core/queries/publication";
import { PublishedFolders } from "../../../../../service/core/queries/published";
import type { QueryContext } from "../../../../../service/core/queries/query-context";
import type { StoredObject } from "../../../../../storage/storage";

const query = {
  id: 7,
  epoch: 1,
  type: "select",
  outputResourcePath: "dag://out/r/",
  outputFormat: "csv",
  columns: [{ name: "n", type: "int" }],
} as Partial<StoredQuery> as StoredQuery;

const written: StoredObject[] = ["r/000000_0", "r/_SUCCESS"].map((key, index) => ({
  location: { bucket: "out", key },
  size: index === 0 ? 2 : 0,
  lastModified: new Date(0),
}));

/** A context whose output folder has `written` when the result is moved into it. */
function contextOf(objects: readonly StoredObject[], { isListed = true } = {}) {
  let found: readonly StoredObject[] = [];
  const list = vi.fn<() => AsyncGenerator<StoredObject>>(async function* () {
    if (found.length > 0 && !isListed) throw new Error("it cannot be listed");
    yield* found;
  });
  const storage = { list, read: async () => Readable.from([Buffer.from("1\n")]) };
  const records = { listPublished: async () => [], listPublishedAs: async () => [], getTable: async () => undefined };
  const publishReplacing = async () => {
    found = objects;
    list.mockClear();
  };
  const context = {
    storage,
    state: { catalog: records },
    catalog: { published: new PublishedFolders(records, storage as never) },
    platform: { outputs: { publishReplacing } },
  } as unknown as QueryContext;
  return { context, list };
}

test("publish: a result is listed once for the log and for what identifies it", async () => {
  const { context, list } = contextOf(written);
  const lines: string[] = [];
  const { published } = await publish(context, query, (line) => lines.push(line));
  expect(lines).toEqual(["result is at dag://out/r/: 2 objects, 2 bytes"]);
  expect(published).toMatchObject({ queryId: 7, columns: query.columns, fingerprint: expect.any(String) });
  expect(list).toHaveBeenCalledOnce();
});

test("publish: a complete result that cannot be listed is published", async () => {
  const { context } = contextOf(written, { isListed: false });
  const lines: string[] = [];
  const { published } = await publish(context, query, (line) => lines.push(line));
  expect(lines).toEqual(["result is at dag://out/r/: its objects could not be read"]);
  expect(published).toMatchObject({ queryId: 7, columns: null, fingerprint: null, content: null });
});

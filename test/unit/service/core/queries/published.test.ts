/** Published folders of very many objects: other work is done while they are looked at. */
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import type { Location } from "../../../../../contract";
import type { PublishedFolder } from "../../../../../service/core/ports/state";
import { PublishedFolders } from "../../../../../service/core/queries/published";
import type { Storage, StoredObject } from "../../../../../storage/storage";

const count = 100_000;
const folder = { bucket: "mart", key: "t/" };
const lastModified = new Date(0);

/** The work between two looks at the clock takes 5 ms on any machine. */
beforeEach(() => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
  return () => void vi.restoreAllMocks();
});

/** A storage whose lists and objects come without a turn of the event loop. */
function storageOf(objects: readonly StoredObject[]): Storage {
  const within = ({ key }: Location) => objects.filter(({ location }) => location.key.startsWith(key));
  return {
    async *list(location: Location) {
      yield* within(location);
    },
    read: () => Promise.resolve(Readable.from([Buffer.from("1\n")])),
  } as Partial<Storage> as Storage;
}

/** Counts the turns of the event loop while work is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const done = new AbortController();
  let turns = 0;
  const counting = (async () => {
    for (; !done.signal.aborted; turns += 1) await setImmediate();
  })();
  await work.finally(() => done.abort());
  await counting;
  return turns;
}

const at = (key: string): StoredObject => ({ location: { bucket: "mart", key }, size: 2, lastModified });
const base = { type: "select", format: "csv", columns: [{ name: "n", type: "int" }] } as const;

test("identify, changeOf: of a folder of 100,000 objects, in steps", async () => {
  const objects = Array.from({ length: count }, (_, index) => at(`t/${String(index).padStart(6, "0")}_0`));
  const published: PublishedFolder[] = [];
  const folders = new PublishedFolders(
    { listPublished: async () => published, listPublishedAs: async () => published },
    storageOf(objects),
  );
  const turns = await turnsDuring(
    (async () => {
      const { objects: found, bytes, ...identity } = await folders.identify(folder);
      expect([found, bytes]).toEqual([count, 2 * count]);
      published.push({ ...base, queryId: 1, folder, ...identity });
      expect(await folders.find(folder, objects[0]!)).toMatchObject({ type: "select", columns: base.columns });
    })(),
  );
  expect(turns).toBeGreaterThanOrEqual(1000);
});

test("changeOf: what is left of a table is changed, although another query has written the same elsewhere", async () => {
  const elsewhere = { ...base, queryId: 1, folder: { bucket: "mart", key: "u/" }, fingerprint: "f", content: "c" };
  const last = { ...base, queryId: 2, folder, fingerprint: "both", content: "both" };
  const folders = new PublishedFolders(
    { listPublished: async () => [last], listPublishedAs: async () => [elsewhere] },
    storageOf([at("t/000000_0")]),
  );
  expect(await folders.changeOf(folder)).toBe(
    "objects of dag://mart/t/ were changed, removed or added since query 2 wrote its result there",
  );
});

test("find: a table of 100,000 partitions that queries published, in steps", async () => {
  const objects = Array.from({ length: count }, (_, index) => at(`t/k=${index}/000000_0`));
  const published = objects.map(({ location: { bucket, key } }, index) => ({
    ...base,
    queryId: index + 1,
    folder: { bucket, key: key.slice(0, -"000000_0".length) },
    fingerprint: null,
    content: null,
  }));
  const folders = new PublishedFolders(
    { listPublished: async () => published, listPublishedAs: async () => [] },
    storageOf(objects),
  );
  let found: unknown;
  const turns = await turnsDuring(folders.find(folder, objects[0]!).then((known) => (found = known)));
  expect(found).toMatchObject({ partitions: [{ name: "k", type: "string" }], columns: base.columns });
  expect(turns).toBeGreaterThanOrEqual(500);
});

/** Inputs of splits that are hostile: many keys, equal keys, gzip data that expands or is broken. */
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { startService } from "dag-service/testing";
import { call, ended, type Answer } from "../caller";
import { useService } from "../fixture";

/** A gigabyte of one letter, as a megabyte of gzip data: a thousandfold expansion. */
const member = gzipSync(Buffer.alloc(64 * 1024 * 1024, "x"));
const bomb = Buffer.concat([gzipSync("not an object\n"), ...Array.from({ length: 16 }, () => member)]);

const good = gzipSync("1,a\n2,b\n");
const damaged = gzipSync(Array.from({ length: 50_000 }, (_, n) => `${n},${Math.imul(n, 0x9e3779b1)}\n`).join(""));
damaged.fill(0xff, 100_000, 100_200);

const broken: Readonly<Record<string, Uint8Array>> = {
  "no more than its first bytes": Buffer.from([0x1f, 0x8b]),
  "an unknown method": Buffer.from([0x1f, 0x8b, 0x07, 0, 0, 0, 0, 0, 0, 0]),
  "the end missing": good.subarray(0, good.length - 6),
  "a wrong checksum": Buffer.concat([good.subarray(0, good.length - 8), Buffer.alloc(8, 7)]),
  "rubbish behind it": Buffer.concat([good, Buffer.from("rubbish")]),
  "a damaged middle": damaged,
};

const f = useService({
  clusters: [{ name: "c1", instances: [{ grade: "small", quantity: 3 }] }],
  buckets: ["out"],
  objects: {
    "dag://raw/in.csv": "1,a\n2,b\n",
    "dag://raw/bomb.gz": bomb,
    ...Object.fromEntries(Object.entries(broken).map(([name, bytes]) => [`dag://raw/${name}.gz`, bytes])),
    ...Object.fromEntries(Object.entries(broken).map(([name, bytes]) => [`dag://data/${nameOf(name)}/a.gz`, bytes])),
  },
});

afterEach(async () => {
  const { status } = await f.call("GET", "/v1/?query&max=1");
  if (status !== 200) throw new Error(`the service answers ${status} after this test`);
});

function nameOf(what: string): string {
  return what.replaceAll(/[^a-z]/g, "_");
}

const keys = (count: number) => Array.from({ length: count }, (_, index) => `dag://raw/k${index}`);

test("submitSplit: 10,001 keys are refused with their number and the remedy (InvalidInputObjectKeys)", async () => {
  const { status, json } = await f.split({ inputObjectKeys: keys(10_001) });
  expect([status, json.code]).toEqual([400, "InvalidInputObjectKeys"]);
  expect(json.message).toMatch(
    /^inputObjectKeys .* has 10,001 locations, at most 10,000 are allowed: join small objects/,
  );
  expect(json.message.length).toBeLessThan(400);
});

test("submitSplit: 10,000 keys are looked at, the first that does not exist is named", async () => {
  const { status, json } = await f.split({ inputObjectKeys: keys(10_000) });
  expect([status, json.code]).toEqual([404, "InputObjectNotFound"]);
  expect(json.message).toContain("dag://raw/k0");
});

test("submitSplit: 10,000 equal keys of an object that expands a thousandfold are looked at once", async () => {
  const before = process.memoryUsage().rss;
  const inputObjectKeys = Array.from({ length: 10_000 }, () => "dag://raw/bomb.gz");
  const { status, json } = await f.split({ inputObjectKeys, inputFormat: "json" });
  expect([status, json.code]).toEqual([400, "InvalidFormat"]);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});

test("submitSplit: 500 objects that expand a thousandfold are looked at with little memory", async () => {
  const objects = Object.fromEntries(keys(500).map((key) => [key, bomb.subarray(0, 65_536)]));
  await using service = await startService({ objects, buckets: ["data"] });
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  const { status } = await call(service, "POST", "/v1/?split", {
    body: {
      clusterName: "demo",
      inputObjectKeys: [...keys(500), "dag://raw/none"],
      outputDatabase: "data",
      outputTable: "t",
    },
  });
  clearInterval(timer);
  expect(status).toBe(404);
  expect(peak - before).toBeLessThan(200 * 1024 * 1024);
});

/** What zlib and its wrappers say of broken data: users read our words. */
const wordsOfLibraries =
  /incorrect|invalid (block|stored|distance|code|bit|window)|unexpected end|unknown compression|Z_\w+|zlib|header check/i;

/** Describes how a submission ended: refused by the service, or with the status of its query, and in which words. */
async function outcomeOf({ status, json }: Answer): Promise<{ outcome: string; words: string }> {
  if (status !== 202) return { outcome: `refused with ${status}`, words: json.message };
  const query = await ended(f.service, json.queryId);
  const { json: log } = await f.call("GET", `/v1/${json.queryId}/log?query`);
  return { outcome: query.status, words: query.type === "select" ? log.log : "" };
}

const expected = ["refused with 400", "error"];

test.each(Object.keys(broken))(
  "broken gzip: a split of data with %s is refused or ends as error, in our words",
  async (what) => {
    const { outcome, words } = await outcomeOf(await f.split({ inputObjectKeys: [`dag://raw/${what}.gz`] }));
    expect(expected).toContain(outcome);
    expect(words).not.toMatch(wordsOfLibraries);
  },
);

test.each(Object.keys(broken))(
  "broken gzip: a select of data with %s is refused or ends as error, in our words",
  async (what) => {
    const query = `select count(*) n from data.${nameOf(what)}`;
    const { outcome, words } = await outcomeOf(await f.select({ query }));
    expect(expected).toContain(outcome);
    expect(words).not.toMatch(wordsOfLibraries);
  },
);

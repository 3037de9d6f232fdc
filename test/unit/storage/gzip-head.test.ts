import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { gunzipHead } from "../../../storage/gzip-head";

test("gunzipHead: returns the beginning of any data, up to the limit", async () => {
  const data = fc.uint8Array({ minLength: 0, maxLength: 300_000 });
  await fc.assert(
    fc.asyncProperty(data, fc.integer({ min: 1, max: 200_000 }), async (bytes, limit) => {
      const head = await gunzipHead(gzipSync(bytes), limit);
      expect(head.bytes.equals(Buffer.from(bytes.subarray(0, limit)))).toBe(true);
      expect(head.more).toBe(bytes.length >= limit);
    }),
    { numRuns: 50 },
  );
});

test("gunzipHead: takes data that is cut off, and several members", async () => {
  const text = Array.from({ length: 50_000 }, (_, n) => `${Math.imul(n, 0x9e3779b1)}\n`).join("");
  const cut = await gunzipHead(gzipSync(text).subarray(0, 65_536), 1_000_000);
  expect(text.startsWith(cut.bytes.toString())).toBe(true);
  expect(cut.bytes.length).toBeGreaterThan(65_536);
  const members = Buffer.concat([gzipSync("one\n"), gzipSync("two\n")]);
  expect((await gunzipHead(members, 1000)).bytes.toString()).toBe("one\ntwo\n");
});

test("gunzipHead: decompresses no more than the limit of data that expands a thousandfold", async () => {
  const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024)).subarray(0, 500_000);
  const before = process.memoryUsage().rss;
  const { bytes, more } = await gunzipHead(bomb, 65_536);
  expect([bytes.length, more]).toEqual([65_536, true]);
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024);
});

test.each([
  ["too short", Buffer.from([0x1f, 0x8b])],
  ["an unknown method", Buffer.from([0x1f, 0x8b, 7, ...Array.from({ length: 20 }, () => 0)])],
])("gunzipHead: rejects data that is %s", async (_, data) => {
  await expect(gunzipHead(data, 1000)).rejects.toThrow();
});

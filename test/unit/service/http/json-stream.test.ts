import { text } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonStream, jsonText, sizeOfJson } from "../../../../service/http/json-stream";

const long = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map((part) => part.repeat(4000));

test("jsonStream: has the text of JSON.stringify's value, for any answer", async () => {
  const answer = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), long, fc.array(fc.oneof(long, fc.jsonValue()))));
  await fc.assert(
    fc.asyncProperty(answer, async (value) => {
      expect(JSON.parse(await text(jsonStream(value)))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("jsonStream: leaves out fields that are undefined, as JSON.stringify does", async () => {
  const value = { a: undefined, b: "x".repeat(100_000), c: undefined };
  expect(await text(jsonStream(value))).toBe(JSON.stringify(value));
});

test("jsonStream: writes no further than it is read", async () => {
  let written = 0;
  const toJSON = () => {
    written += 1;
    return "x".repeat(10_000);
  };
  const stream = jsonStream({ queries: Array.from({ length: 5000 }, () => ({ toJSON })) });
  expect(written).toBe(0);
  const pieces = stream[Symbol.asyncIterator]();
  await pieces.next();
  await pieces.next();
  expect(written).toBeLessThan(20);
});

test("sizeOfJson: is at least the size of texts without escapes", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{0,50}$/)), (list) => {
      expect(sizeOfJson({ list })).toBeGreaterThanOrEqual(list.join("").length);
    }),
  );
});

test("jsonText: has the text of JSON.stringify, the first time and later", () => {
  const record = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null)));
  fc.assert(
    fc.property(
      fc.array(record),
      fc.array(record),
      fc.option(fc.integer(), { nil: undefined }),
      (kept, changing, nextMarker) => {
        const answer = { nextMarker, isTruncated: false, queries: [...changing, ...kept.map(Object.freeze)] };
        for (const value of [answer, answer, ...kept, ...changing]) expect(jsonText(value)).toBe(JSON.stringify(value));
      },
    ),
  );
});

test("jsonText: an answer of more than a piece has none, whether its records are known or not", () => {
  const records = Array.from({ length: 400 }, (_unused, id) => Object.freeze({ id, label: "x".repeat(100) }));
  const few = records.slice(0, 200);
  for (let time = 0; time < 2; time += 1) {
    expect(jsonText({ queries: few })).toBe(JSON.stringify({ queries: few }));
    expect(jsonText({ queries: records })).toBeUndefined();
  }
  expect(jsonText({ log: "x".repeat(40_000) })).toBeUndefined();
  expect(jsonText(Object.freeze({ query: "x".repeat(40_000) }))).toBeUndefined();
});

test("jsonText: the size of a record whose text is known is not estimated again", () => {
  let reads = 0;
  const record = Object.freeze({
    get label() {
      reads += 1;
      return "a";
    },
  });
  jsonText({ queries: [record] });
  const before = reads;
  expect(jsonText({ queries: [record, record] })).toBe('{"queries":[{"label":"a"},{"label":"a"}]}');
  expect(reads).toBe(before);
});

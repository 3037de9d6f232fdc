import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  changesSince,
  fingerprintBefore,
  fingerprintOf,
} from "../../../../../provider/lifecycles/freshness/fingerprint";
import {
  expandPatterns,
  objectsNamed,
  type InputObject,
} from "../../../../../provider/lifecycles/freshness/input-objects";
import { MemoryStorage } from "../memory-storage";

const start = new Date("2026-11-20T12:00:00Z");
const later = new Date("2026-11-20T12:00:01Z");

const object = (name: string, version = "1", lastModified = start): InputObject => ({
  name: `dag://raw/${name}`,
  size: 1,
  version,
  lastModified,
});

async function* stream(objects: readonly InputObject[]) {
  yield* objects;
}

const changes = async (before: readonly InputObject[], after: readonly InputObject[]) =>
  changesSince(await fingerprintOf(stream(before)), stream(after), start);

const many = Array.from({ length: 41 }, (_, index) => object(`${index}.csv`));

describe("fingerprints", () => {
  test.each([
    ["nothing", [object("a")], [object("a")], []],
    ["a changed object", [object("a"), object("b")], [object("a"), object("b", "2")], ["dag://raw/b (changed)"]],
    ["a new object", [object("a")], [object("a"), object("b")], ["dag://raw/b (new)"]],
    ["a removed object", [object("a"), object("b")], [object("a")], ["1 object was removed"]],
    ["many that are the same", many, many, []],
    [
      "one of many",
      many,
      many.map((one, index) => (index === 7 ? { ...one, version: "2", lastModified: later } : one)),
      ["dag://raw/7.csv (changed)"],
    ],
    ["a removed one of many", [...many, object("x")], many, ["objects were added or removed"]],
  ])("changesSince: %s", async (_what, before, after, expected) => {
    expect(await changes(before, after)).toEqual(expected);
  });

  test("changesSince: names at most ten objects", async () => {
    const after = many.slice(0, 12).map((one) => ({ ...one, version: "2" }));
    const found = await changes(many.slice(0, 12), after);
    expect(found).toHaveLength(11);
    expect(found.at(-1)).toBe("2 more");
  });

  test("changesSince: finds any change of any objects, and none without a change", async () => {
    const anyObjects = fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(3), { maxKeys: 50 });
    const objectsOf = (versions: Record<string, number>) =>
      Object.entries(versions).map(([name, version]) => object(name, `${version}`, version > 0 ? later : start));
    await fc.assert(
      fc.asyncProperty(anyObjects, anyObjects, async (before, after) => {
        const same = JSON.stringify(objectsOf(before)) === JSON.stringify(objectsOf(after));
        expect((await changes(objectsOf(before), objectsOf(after))).length === 0).toBe(same);
      }),
    );
  });

  test("fingerprint: is at most 320 characters long", async () => {
    expect((await fingerprintOf(stream(many.slice(0, 40)))).length).toBe(320);
    expect((await fingerprintOf(stream(many))).length).toBeLessThan(30);
  });

  test("fingerprintBefore: objects that are newer than the query count as changed", async () => {
    const objects = [object("a"), object("b", "1", later)];
    const fingerprint = await fingerprintBefore(stream(objects), start);
    expect(await changesSince(fingerprint, stream(objects), start)).toEqual(["dag://raw/b (changed)"]);
  });
});

describe("patterns", () => {
  const storage = new MemoryStorage(
    Object.fromEntries(
      ["2026/b.csv", "2026/a.csv", "2026/deep/c.csv", "2026/a.csv.gz", "2027/a.csv", "2026/(1).csv"].map((name) => [
        `dag://raw/${name}`,
        "x",
      ]),
    ),
  );

  test.each([
    [["dag://raw/2026/*.csv"], ["2026/(1).csv", "2026/a.csv", "2026/b.csv"]],
    [["dag://raw/*/a.csv"], ["2026/a.csv", "2027/a.csv"]],
    [["dag://raw/2026/(*).csv"], ["2026/(1).csv"]],
    [
      ["dag://raw/2027/a.csv", "dag://raw/202*/a.csv"],
      ["2027/a.csv", "2026/a.csv"],
    ],
    [["dag://raw/other.csv"], ["other.csv"]],
  ])("expandPatterns: %j", async (names, expected) => {
    expect(await expandPatterns(storage, names)).toEqual(expected.map((name) => `dag://raw/${name}`));
  });

  test("expandPatterns: a pattern without a match is an error that names it", async () => {
    await expect(expandPatterns(storage, ["dag://raw/2030/*.csv"])).rejects.toMatchObject({ code: "NoInputObject" });
  });

  test("objectsNamed: reports names and patterns without an object", async () => {
    const missing: string[] = [];
    const names = ["dag://raw/2027/a.csv", "dag://raw/none.csv", "dag://raw/2030/*.csv"];
    const found = await Array.fromAsync(objectsNamed(names)(storage, (name) => missing.push(name)));
    expect(found.map(({ name }) => name)).toEqual(["dag://raw/2027/a.csv"]);
    expect(missing).toEqual(names.slice(1));
  });
});

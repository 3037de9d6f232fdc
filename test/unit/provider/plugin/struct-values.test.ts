import fc from "fast-check";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { describe, expect, test } from "vitest";
import { unknown } from "../../../../provider/lifecycles";
import { unwrap, wrap } from "../../../../provider/plugin/struct-values";

const secret = (value: unknown) => ({ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value });
const struct = (values: object) => Struct.fromJavaScript(values as Parameters<typeof Struct.fromJavaScript>[0]);

/** Values that are not markers of the engine. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie("any"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;
const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value, { maxKeys: 5, noNullPrototype: true });

describe("unwrap, wrap", () => {
  test("wrap: restores unwrapped values", () => {
    fc.assert(
      fc.property(values, (given) => {
        const read = unwrap(struct(given));
        expect(read.secrets.size).toBe(0);
        expect(wrap(read.values, read.secrets).toJavaScript()).toEqual(given);
      }),
    );
  });

  test("wrap: stores the hidden inputs under a key that the engine does not show", () => {
    for (const hidden of [
      { generation: "abcdefgh" },
      { generation: "abc", tables: ["x-zdefgh", "---"] },
      { tables: ["x-z"] },
      {},
    ]) {
      const wrapped = wrap({ query: "SELECT 1", ...hidden }, new Set());
      expect(Object.keys(wrapped.toJavaScript()).filter((name) => name !== "query" && !name.startsWith("__"))).toEqual(
        [],
      );
      expect(unwrap(wrapped).values).toEqual({ query: "SELECT 1", ...hidden });
    }
  });

  test.each([
    ["abc", { generation: "abc" }],
    ["abcx-z---", { generation: "abc", tables: ["x-z", "---"] }],
    ["---xyz", { tables: ["xyz"] }],
  ])("unwrap: understands the hidden inputs of a release without a separator: %s", (hidden, read) => {
    expect(unwrap(struct({ __gen: hidden })).values).toEqual(read);
  });

  test("wrap: wraps secret properties again, without their plain value", () => {
    fc.assert(
      fc.property(values, (given) => {
        const wrapped = Object.fromEntries(Object.entries(given).map(([name, inner]) => [name, secret(inner)]));
        const read = unwrap(struct(wrapped));
        expect(read.values).toEqual(given);
        expect([...read.secrets].toSorted()).toEqual(Object.keys(given).toSorted());
        expect(wrap(read.values, read.secrets).toJavaScript()).toEqual(wrapped);
      }),
    );
  });

  test("unwrap: a secret at any depth makes its property secret", () => {
    const { values: read, secrets } = unwrap(struct({ a: [{ b: secret(1) }], c: secret([secret(2)]), d: 3 }));
    expect(read).toEqual({ a: [{ b: 1 }], c: [2], d: 3 });
    expect([...secrets]).toEqual(["a", "c"]);
  });

  test.each([
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "030794c1-ac77-496b-92df-f27374a8bd58",
    "e48ece36-62e2-4504-bad9-02848725956a",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
  ])("unwrap: %s stands for what is not known yet, of whatever type", (mark) => {
    const read = unwrap(struct({ a: mark, b: [secret(mark)] }));
    expect(read.values).toEqual({ a: unknown, b: [unknown] });
    expect(wrap(read.values, read.secrets).toJavaScript()).toEqual({
      a: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      b: secret(["04da6b54-80e4-46f7-96ec-b56ff0331ba9"]),
    });
  });

  test("unwrap: an asset becomes an object, which no property accepts", () => {
    const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", path: "daily.sql" };
    expect(unwrap(struct({ query: asset })).values).toEqual({ query: { path: "daily.sql" } });
  });

  test("wrap: leaves out undefined values", () => {
    expect(wrap({ a: undefined, b: { c: undefined, d: 1 }, e: [undefined] }, new Set()).toJavaScript()).toEqual({
      b: { d: 1 },
      e: [null],
    });
  });

  test("unwrap: an absent struct has no values", () => {
    expect(unwrap(undefined)).toEqual({ values: {}, secrets: new Set() });
  });
});

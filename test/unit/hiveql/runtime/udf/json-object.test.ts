import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonMember, jsonObject } from "../../../../../hiveql/runtime/udf/json-object";

/** Names of members; few, so that objects have the members of a path. */
const keys = fc.constantFrom("a", "b", "c d", "e-f");
const texts = fc.string({ unit: "grapheme", maxLength: 6 });
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
}));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text of a value as Hive prints it. */
const printed = (value: unknown) =>
  value === undefined || value === null ? null : typeof value === "string" ? value : JSON.stringify(value);

test("jsonObject: follows keys through objects, whatever the other members are", () => {
  fc.assert(
    fc.property(fc.dictionary(keys, values), fc.array(keys, { minLength: 1, maxLength: 3 }), (root, path) => {
      let value: unknown = root;
      for (const key of path) {
        // An array on the way has the members of all its objects.
        fc.pre(!Array.isArray(value));
        value = isObject(value) ? value[key] : undefined;
      }
      fc.pre(!/\\u/.test(JSON.stringify(root)));
      const text = JSON.stringify(root, null, 1);
      expect(jsonObject(`${text} and more`, `$.${path.join(".")}`)).toBe(printed(value));
    }),
  );
});

test("jsonMember: is the last of several members with its key", () => {
  fc.assert(
    fc.property(values, values, keys, (first, last, key) => {
      fc.pre(!/\\u/.test(JSON.stringify(last)));
      const name = JSON.stringify(key);
      expect(jsonMember(`{${name}: ${JSON.stringify(first)}, ${name}: ${JSON.stringify(last)}}`, key)).toBe(
        printed(last),
      );
    }),
  );
});

test("jsonObject: a fault anywhere in the text is no JSON, also in a member that the path does not want", () => {
  const faults = ["tru", "01", "1.", "-", '"\\u12"', '"open', "[1", "{1:2}", '{"x" 1}', "[1 2]", ""];
  for (const fault of faults) {
    expect(jsonObject(`{"a": 1, "b": ${fault}, "c": 2}`, "$.a")).toBeNull();
    expect(jsonObject(`{"a": 1, "b": [{"x": ${fault}}]}`, "$.a")).toBeNull();
  }
});

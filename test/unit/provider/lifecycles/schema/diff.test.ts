import * as z from "zod";
import { describe, expect, test } from "vitest";
import { unknown } from "../../../../../provider/lifecycles";
import { diffProperties } from "../../../../../provider/lifecycles/schema/diff";
import { optional } from "../../../../../provider/lifecycles/schema/properties";

const properties = {
  keys: optional(z.array(z.string())),
  triggers: optional(z.unknown()),
  format: optional(z.string(), { fallback: "csv" }),
  rows: optional(z.int(), { change: "update" }),
};
const diff = (olds: object, news: object) => diffProperties(properties, olds, news, { deleteBeforeReplace: true });
const kinds = (olds: object, news: object) =>
  Object.fromEntries(Object.entries(diff(olds, news).detailedDiff).map(([path, { kind }]) => [path, kind]));

describe("detailedDiff", () => {
  test("lists the changed elements of a list, and replaces by the name of the list", () => {
    const found = diff({ keys: ["a", "b"] }, { keys: ["a", "c", "d"] });
    expect(found.detailedDiff).toEqual({
      "keys[1]": { kind: "update", replace: true },
      "keys[2]": { kind: "add", replace: true },
    });
    expect(found.replaces).toEqual(["keys"]);
    expect(kinds({ keys: ["a", "b"] }, { keys: ["a"] })).toEqual({ "keys[1]": "delete" });
  });

  test("lists changed entries of objects at any depth, and quotes keys that are not identifiers", () => {
    const olds = { triggers: { day: { of: [1, 2] }, 'a "b"': 1, gone: true } };
    const news = { triggers: { day: { of: [1, 3] }, 'a "b"': 2, come: true } };
    expect(kinds(olds, news)).toEqual({
      "triggers.day.of[1]": "update",
      'triggers["a \\"b\\""]': "update",
      "triggers.gone": "delete",
      "triggers.come": "add",
    });
  });

  test("an unknown value is an update of its element", () => {
    expect(kinds({ keys: ["a", "b"] }, { keys: ["a", unknown] })).toEqual({ "keys[1]": "update" });
    expect(kinds({ keys: ["a"] }, { keys: unknown })).toEqual({ keys: "update" });
    expect(kinds({}, { triggers: unknown })).toEqual({ triggers: "add" });
  });

  test("a value of another type is an update of the whole value", () => {
    expect(kinds({ triggers: [1] }, { triggers: { 0: 1 } })).toEqual({ triggers: "update" });
  });

  test("setting an input instead of its default is an addition, and unsetting it is a deletion", () => {
    expect(kinds({}, { format: "tsv" })).toEqual({ format: "add" });
    expect(kinds({ format: "tsv" }, {})).toEqual({ format: "delete" });
    expect(diff({ format: "csv" }, {})).toMatchObject({ changes: false, detailedDiff: {} });
  });

  test("an input that can be updated does not replace the resource", () => {
    expect(diff({ rows: 1 }, { rows: 2 })).toMatchObject({ changes: true, replaces: [] });
  });
});

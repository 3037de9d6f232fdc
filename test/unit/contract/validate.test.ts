import fc from "fast-check";
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { ApiError, operations, problems, validate, type OperationName } from "../../../contract";
import { resultOrError } from "./result-or-error";

const select = { clusterName: "c1", query: "SELECT 1", outputResourcePath: "dag://results/a/" };
const split = { clusterName: "c1", inputObjectKeys: ["dag://data/in.csv"], outputDatabase: "data", outputTable: "t" };
const inputs = {
  submitSelect: select,
  submitSplit: split,
  restartCluster: {},
  exportClusterLog: { outputLogPath: "dag://logs/a/" },
};

describe("validate", () => {
  it.each(Object.entries(inputs))("%s: accepts its required fields alone", (name, input) => {
    const schema = operations[name as keyof typeof inputs].body;
    expect(validate(schema, input)).toEqual(input);
  });

  it("leaves out optional fields that are null", () => {
    const body = { ...select, label: null, outputFormat: null };
    expect(validate(operations.submitSelect.body, body)).toEqual(select);
  });

  it("throws the first problem in the order of the fields", () => {
    const call = () => validate(operations.submitSelect.body, { label: 1, query: "", outputResourcePath: "x" });
    expect(call).toThrow(expect.objectContaining({ code: "InvalidClusterName", field: "clusterName", status: 400 }));
  });
});

describe("problems: names field, value and rule, with the code that the field has", () => {
  it.each<[OperationName, object, string, string, RegExp]>([
    [
      "submitSelect",
      { clusterName: undefined },
      "clusterName",
      "InvalidClusterName",
      /^clusterName is missing: it must be 1 to 64/,
    ],
    [
      "submitSelect",
      { clusterName: "a/b" },
      "clusterName",
      "InvalidClusterName",
      /^clusterName "a\/b" is not valid: it must be 1 to 64/,
    ],
    ["submitSelect", { clusterName: "" }, "clusterName", "InvalidClusterName", /^clusterName "" is not valid/],
    ["submitSelect", { clusterName: 7n }, "clusterName", "InvalidClusterName", /^clusterName 7 is not valid/],
    ["submitSelect", { query: " \n" }, "query", "InvalidDMLStatement", /HiveQL SELECT/],
    ["submitSelect", { query: 5 }, "query", "InvalidDMLStatement", /^query 5 is not valid/],
    [
      "submitSelect",
      { outputResourcePath: "dag://results" },
      "outputResourcePath",
      "InvalidOutputResourcePath",
      /folder inside a bucket/,
    ],
    [
      "submitSelect",
      { outputResourcePath: "dag://results/a/../b" },
      "outputResourcePath",
      "InvalidOutputResourcePath",
      /'\.\.'/,
    ],
    [
      "submitSelect",
      { outputResourcePath: "dag://results/tmp/x" },
      "outputResourcePath",
      "InvalidOutputResourcePath",
      /tmp\//,
    ],
    [
      "submitSelect",
      { outputResourcePath: "dag://results/.uploads/x/" },
      "outputResourcePath",
      "InvalidOutputResourcePath",
      /\.uploads\/, which is reserved for objects that are being written/,
    ],
    [
      "submitSelect",
      { outputResourcePath: "/etc" },
      "outputResourcePath",
      "InvalidOutputResourcePath",
      /dag:\/\/<bucket>\/<path>/,
    ],
    ["submitSelect", { label: "l".repeat(256) }, "label", "LabelIsTooLong", /at most 255 characters/],
    ["submitSelect", { label: "a\ud83e" }, "label", "LabelIsTooLong", /^label .* well-formed Unicode/],
    ["submitSelect", { query: "select '\udd89'" }, "query", "InvalidDMLStatement", /^query .* well-formed Unicode/],
    ["submitSplit", { schema: "string a\ud83e" }, "schema", "InvalidSchema", /^schema .* well-formed Unicode/],
    [
      "submitSelect",
      { outputFormat: "json" },
      "outputFormat",
      "InvalidOutputFormat",
      /"json" is not valid: it must be one of csv, tsv/,
    ],
    [
      "submitSelect",
      { outputformat: "csv" },
      "outputformat",
      "InvalidParameter",
      /not a field of this request; the fields are clusterName, query/,
    ],
    ["submitSplit", { inputObjectKeys: [] }, "inputObjectKeys", "InvalidInputObjectKeys", /at least one/],
    ["submitSplit", { inputObjectKeys: "dag://data/a" }, "inputObjectKeys", "InvalidInputObjectKeys", /list/],
    [
      "submitSplit",
      { inputObjectKeys: ["dag://data/a", "dag://data/b/"] },
      "inputObjectKeys",
      "InvalidInputObjectKeys",
      /^inputObjectKeys\[1\] "dag:\/\/data\/b\/" is not valid.*not a folder/,
    ],
    [
      "submitSplit",
      { inputObjectKeys: [null] },
      "inputObjectKeys",
      "InvalidInputObjectKeys",
      /^inputObjectKeys\[0\] null/,
    ],
    ["submitSplit", { inputFormat: "parquet" }, "inputFormat", "InvalidInputFormat", /csv, tsv, json/],
    ["submitSplit", { outputDatabase: "No" }, "outputDatabase", "InvalidDatabaseName", /3 to 63/],
    ["submitSplit", { outputTable: "a-b" }, "outputTable", "InvalidTableName", /1 to 128/],
    ["submitSplit", { outputTable: "tmp" }, "outputTable", "InvalidTableName", /reserved/],
    ["submitSplit", { schema: 1 }, "schema", "InvalidSchema", /<type> <name>/],
    ["restartCluster", { force: "yes" }, "force", "InvalidParameter", /true or false/],
    ["restartCluster", { type: "" }, "type", "InvalidClusterType", /engine family/],
    ["restartCluster", { debug: 1 }, "debug", "InvalidParameter", /true or false/],
    ["exportClusterLog", { compress: "x" }, "compress", "InvalidParameter", /true or false/],
    [
      "exportClusterLog",
      { outputLogPath: "dag://logs/" },
      "outputLogPath",
      "InvalidOutputResourcePath",
      /folder inside/,
    ],
  ])("%s %o", (name, change, field, code, message) => {
    const { body } = operations[name] as { body: Parameters<typeof problems>[0] };
    const found = problems(body, { ...inputs[name as keyof typeof inputs], ...change });
    expect(found).toEqual([{ field, code, message: expect.stringMatching(message) }]);
  });

  it.each([0, 101, 1.5, "5", -1, Number.NaN])("listQueries max %s", (max) => {
    expect(problems(operations.listQueries.parameters, { max })).toEqual([
      {
        field: "max",
        code: "InvalidParameter",
        message: expect.stringMatching(/^max .* it must be a whole number from 1 to 100$/),
      },
    ]);
  });

  it("lists every problem once, in the order of the fields", () => {
    const found = problems(operations.submitSelect.body, { extra: 1, label: 5, query: 5 });
    expect(found.map(({ field }) => field)).toEqual(["clusterName", "query", "outputResourcePath", "label", "extra"]);
  });

  it("shortens a long value", () => {
    const [problem] = problems(operations.submitSelect.body, { ...select, clusterName: "x".repeat(10_000) });
    expect(problem!.message.length).toBeLessThan(300);
  });

  it("returns problems or none for any value, and validate agrees", () => {
    const body = fc.record(
      {
        clusterName: fc.oneof(fc.constant("c1"), fc.anything()),
        query: fc.anything(),
        outputResourcePath: fc.oneof(fc.constant("dag://results/a"), fc.anything()),
        label: fc.anything({ withBigInt: true, withNullPrototype: true }),
        ["__proto__"]: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, fc.anything({ withBigInt: true })), (value) => {
        const found = problems(operations.submitSelect.body, value);
        const outcome = resultOrError(() => validate(operations.submitSelect.body, value));
        expect(outcome instanceof ApiError).toBe(found.length > 0);
        expect(outcome instanceof Error).toBe(found.length > 0);
      }),
    );
  });

  it.each<[OperationName, object, string]>([
    ["submitSelect", select, "label"],
    ["submitSplit", split, "inputObjectKeys"],
  ])("%s: a field whose length has no primitive value", (name, input, field) => {
    const length = JSON.parse('{ "valueOf": 1, "toString": 1 }') as unknown;
    const { body } = operations[name] as { body: Parameters<typeof problems>[0] };
    expect(problems(body, { ...input, [field]: { length } })).toMatchObject([{ field }]);
  });

  it("formats a circular value", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(problems(operations.submitSelect.body, { ...select, label: loop })[0]!.message).toMatch(
      /^label \[object Object\]/,
    );
  });
});

it("a long value is shortened between two characters", () => {
  const label = `${"x".repeat(75)}${"\u{1F600}".repeat(300)}`;
  const { message } = problems(operations.submitSelect.body, { ...select, label })[0]!;
  expect(message).toContain(`label "${"x".repeat(75)}… `);
});

it("a field of a request without fields is refused, and the sentence ends", () => {
  expect(problems(z.strictObject({}), { x: 1 })).toEqual([
    { field: "x", code: "InvalidParameter", message: "x is not a field of this request; it has no fields" },
  ]);
});

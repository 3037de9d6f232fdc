import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError, errors, operationNames, type OperationName } from "../../../../contract";
import { decode } from "../../../../service/http/decode";

const bytes = (text: string) => new TextEncoder().encode(text);
const call = (
  operation: OperationName,
  body: string | Uint8Array = "",
  query: Record<string, string> = {},
  parameter?: string,
) =>
  decode(
    { operation, parameter, query: new Map(Object.entries(query)) },
    typeof body === "string" ? bytes(body) : body,
  );
const codeOf = (work: () => unknown) => {
  try {
    work();
    return "";
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};
const select = { clusterName: "c1", query: "select 1", outputResourcePath: "dag://out/r" };

test("decode: null fields are omitted", () => {
  expect(call("submitSelect", JSON.stringify({ ...select, label: null, outputFormat: null }))).toMatchObject({
    body: select,
  });
});

test.each(["", "{}", "[]", " \n", "[]\n"])("decode: a restart may have the body %j", (body) => {
  expect(call("restartCluster", body, {}, "c1")).toMatchObject({ body: {}, clusterName: "c1" });
});

test.each([
  ["", "is empty"],
  ["{", "not valid JSON"],
  ["[]", "not an object"],
  ["null", "not an object"],
  ['"x"', "not an object"],
  [`{"clusterName":"c1"`, "not valid JSON"],
  [`${"[".repeat(500_000)}`, "nested deeper"],
  [`{"label":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "nested deeper"],
  [`{"label":"${'\\"'.repeat(200_000)}`, "not valid JSON"],
])("decode: %.20j is MalformedJSON", (body, reason) => {
  expect(() => call("submitSelect", body)).toThrow(errors.MalformedJSON);
  expect(() => call("submitSelect", body)).toThrow(reason);
});

test("decode: brackets in strings do not count as nesting", () => {
  const query = `select '${"[{".repeat(100)}\\"'`;
  expect(call("submitSelect", JSON.stringify({ ...select, query }))).toMatchObject({ body: { query } });
});

test("decode: other encodings than UTF-8 are MalformedJSON", () => {
  for (const encoded of [
    Buffer.from("{}", "utf16le"),
    Buffer.from([0xff, 0xfe, 0x7b, 0]),
    Buffer.from('{"label":"\xe9"}', "latin1"),
  ]) {
    expect(() => call("submitSelect", encoded)).toThrow(errors.MalformedJSON);
  }
});

test("decode: the message for invalid JSON does not quote the body", () => {
  expect(() => call("submitSelect", '{"secretAccessKey": hunter2}')).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining("hunter2") }),
  );
});

test.each([
  [{ ...select, extra: 1 }, "InvalidParameter"],
  [{ ...select, clusterName: "no such name!" }, "InvalidClusterName"],
  [{ ...select, clusterName: 7 }, "InvalidClusterName"],
  [{ query: "select 1" }, "InvalidClusterName"],
  [{ ...select, query: " " }, "InvalidDMLStatement"],
  [{ ...select, outputFormat: "xml" }, "InvalidOutputFormat"],
  [{ ...select, outputResourcePath: "dag://out" }, "InvalidOutputResourcePath"],
  [{ ...select, outputResourcePath: "dag://out/../x" }, "InvalidOutputResourcePath"],
  [{ ...select, outputResourcePath: "file:///etc" }, "InvalidOutputResourcePath"],
  [{ ...select, label: "x".repeat(256) }, "LabelIsTooLong"],
])("decode: %o is %s", (body, code) => {
  expect(codeOf(() => call("submitSelect", JSON.stringify(body)))).toBe(code);
});

test("decode: __proto__ is an unknown field like another", () => {
  expect(
    codeOf(() =>
      call(
        "submitSelect",
        `{"__proto__":{"clusterName":"c1"},"clusterName":"c1","query":"select 1","outputResourcePath":"dag://o-o/r"}`,
      ),
    ),
  ).toBe("InvalidParameter");
});

test("decode: parameters become values of their types", () => {
  const query = {
    max: "7",
    marker: "12",
    status: " running , finished,,running",
    clusterRebooted: "True",
    order: "asc",
    labelPrefix: "",
    type: "select",
  };
  expect(call("listQueries", "", query)).toMatchObject({
    parameters: {
      max: 7,
      marker: 12,
      status: ["running", "finished"],
      clusterRebooted: true,
      order: "asc",
      labelPrefix: "",
      type: "select",
    },
  });
  expect(call("listQueries", "", { status: " , " })).toMatchObject({ parameters: {} });
  expect(call("listClusters", "", { marker: "c1", status: "norm", clusterName: "c1" })).toMatchObject({
    parameters: { marker: "c1", status: ["norm"], clusterName: "c1" },
  });
});

test.each([
  { max: "0" },
  { max: "101" },
  { max: "-1" },
  { max: "1.5" },
  { max: "1e2" },
  { max: "" },
  { max: "١" },
  { marker: "0" },
  { marker: "c1" },
  { marker: "99999999999999999999" },
  { status: "done" },
  { type: "insert" },
  { clusterRebooted: "maybe" },
  { order: "up" },
  { unknown: "1" },
  { __proto__x: "1" },
])("decode: listQueries with %o is InvalidParameter that names it", (query) => {
  const [name] = Object.keys(query);
  expect(() => call("listQueries", "", query as Record<string, string>)).toThrow(errors.InvalidParameter);
  expect(() => call("listQueries", "", query as Record<string, string>)).toThrow(name);
});

test("decode: an operation without parameters refuses parameters", () => {
  expect(() => call("getQuery", "", { max: "1" }, "7")).toThrow(
    "max is not a query parameter of this operation; it has none",
  );
  expect(() => call("listClusters", "", { marked: "1" })).toThrow(/^marked is not a .*; they are /);
});

test("decode: a number beyond those of JavaScript is refused as it was sent", () => {
  expect(() => call("listQueries", "", { marker: "9007199254740993" })).toThrow(/^marker "9007199254740993" /);
  expect(call("getQuery", "", {}, "9007199254740991")).toMatchObject({ queryId: 9007199254740991 });
});

test.each(["0", "-1", "x", "1.0", "1e3", " 1", "007", "9007199254740993", "9".repeat(400), "1/../2", ""])(
  "decode: query id %j is InvalidQueryId",
  (parameter) => {
    expect(codeOf(() => call("getQuery", "", {}, parameter))).toBe("InvalidQueryId");
  },
);

test("decode: validates the cluster name of the path", () => {
  for (const parameter of ["../x", "a b", "", "x".repeat(65), "é", ".hidden"]) {
    expect(codeOf(() => call("getCluster", "", {}, parameter))).toBe("InvalidClusterName");
  }
});

test("decode: any input results in a value or an API error, never another error", () => {
  const anything = fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.uint8Array());
  const query = fc.dictionary(
    fc.constantFrom("max", "marker", "status", "order", "__proto__", "constructor"),
    fc.string(),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...operationNames),
      anything,
      query,
      fc.option(fc.string(), { nil: undefined }),
      (operation, body, parameters, path) => {
        expect(codeOf(() => call(operation, body, parameters, path))).toMatch(/^[A-Za-z]*$/);
      },
    ),
  );
});

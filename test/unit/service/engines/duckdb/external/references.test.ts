import { expect, test } from "vitest";
import { partsOf } from "../../../../../../service/engines/duckdb/external/references";

const names = {
  tables: new Map([["default.t", 0]]),
  views: new Map([["default.v", "SELECT reflect('a', 'b') FROM t"]]),
};
const parts = (statement: string, reader: "hive" | "spark" = "hive") => partsOf(statement, { ...names, reader });

test.each([
  ["SELECT reflect('java.lang.System', 'getenv') FROM t", "1:8 function reflect"],
  ["SELECT `ReFlEcT2`  (n, 'x') FROM t", "1:8 function reflect2"],
  ["SELECT n FROM t WHERE (SELECT java_method('a', 'b')) = 1", "1:31 function java_method"],
  ["SELECT in_file('x', '/etc/passwd') FROM t", "1:8 function in_file"],
  ["SELECT current_user() FROM t", "1:8 function current_user"],
  ["SELECT other.fn(n) FROM t", "1:14 function fn"],
  ["SELECT input__file__name FROM t", "1:8 column input__file__name"],
  ["SELECT n FROM t ('insideView'='true')", '1:15 table "t": has properties'],
  ["SELECT n FROM other.t", '1:15 table "other.t": is not a table of the statement'],
  ["SELECT n FROM dag_t0", '1:15 table "default.dag_t0": is not a table'],
  ["SET hive.exec.post.hooks=x; SELECT n FROM t", "1:1 SET hive.exec.post.hooks"],
  ["SELECT n FROM t; DROP TABLE t", "1:18 second statement"],
  ["FROM t INSERT OVERWRITE DIRECTORY '/x' SELECT n", "INSERT"],
  ["INSERT OVERWRITE LOCAL DIRECTORY '/x' SELECT n FROM t", "1:1 INSERT"],
  ["SELECT * FROM v", "1:8 function reflect"],
])("partsOf: refuses %s", (statement, message) => {
  expect(() => parts(statement)).toThrow(message);
});

test.each([
  ["SELECT try_reflect('java.lang.System', 'getenv') FROM t", "1:8 function try_reflect"],
  ["SELECT `Input_File_Name`() FROM t", "1:8 function input_file_name"],
  ["SELECT `_metadata`.file_path FROM t", "1:8 column _metadata"],
  ["SELECT `r`'\\' FROM t", "1:"],
  ["SELECT from_protobuf(n, 'x', '/etc/passwd') FROM t", "1:8 function from_protobuf"],
  ["SELECT session_user() FROM t", "1:8 function session_user"],
  ["SELECT '${env:HOME}' FROM t", "1:8 variable ${env:HOME}"],
  ["WITH dag_t0 AS (SELECT 1) SELECT * FROM dag_t0", "1:6 name dag_t0: is reserved"],
])("partsOf: refuses %s for Spark", (statement, message) => {
  expect(() => parts(statement, "spark")).toThrow(message);
});

test("partsOf: names of functions, columns and tables in texts and comments are no calls", () => {
  const statement = "SELECT 'reflect(1)', reflect.n, /* x */ n -- reflect(\nFROM t reflect";
  expect(() => parts(statement.replace("/* x */ ", ""))).not.toThrow();
});

test("partsOf: what our grammar takes as a comment or a hint is blank for another engine", () => {
  const text = parts("SELECT /*+ MAPJOIN(t) */ n -- , reflect('a', 'b')\nFROM t")
    .map((part) => (part.kind === "table" ? "T" : part.text))
    .join("");
  expect(text).toMatch(/^SELECT +n +\nFROM T `t`$/);
});

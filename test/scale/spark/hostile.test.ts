import { expect, test } from "vitest";
import { columns, submission } from "../../contract/engine/harness";
import { useEngines } from "../harness";

const engines = useEngines("spark");
const { machine } = engines;

test.each([
  ["SELECT reflect('java.lang.System', 'getenv') FROM t", "1:8"],
  ["SELECT\n `Try_Reflect` ('java.lang.System', 'getenv') FROM t", "2:2"],
  ["SELECT java_method('java.lang.System', 'getenv') FROM t", "1:8"],
  ["SELECT in_file('x', '/etc/passwd') FROM t", "1:8"],
  ["SELECT input_file_name() FROM t", "1:8"],
  ["SELECT `_metadata`.file_path FROM t", "1:8"],
  ["SELECT session_user() FROM t", "1:8"],
  ["SELECT identifier('n') FROM t", "1:8"],
  ["SELECT from_avro(n, '{}', map('avroSchemaUrl', '/etc/passwd')) FROM t", "1:8"],
  ["SELECT system.builtin.reflect('a', 'b') FROM t", "1:31"],
  ["SELECT TRANSFORM (n) USING 'cat' AS (x) FROM t", "1:8"],
  ["SELECT '${env:HOME}' FROM t", "1:8"],
  ["SELECT n FROM t; DROP TABLE t", "1:18"],
  ["SET spark.sql.runSQLOnFiles=true; SELECT n FROM t", "1:1"],
  ["SELECT n FROM dag_t0", "1:15"],
  ["WITH dag_t0 AS (SELECT 1 AS n) SELECT n FROM dag_t0", "1:6"],
  ["SELECT nosuch FROM t", "1:8"],
  ["SELECT nosuch(n)\nFROM t", "1:8"],
  ["SELECT n,\n  'é😀', nosuch FROM t", "2:9"],
])("%s is refused with the position", async (statement, position) => {
  const table = machine.tableOf(["1\n"], { columns: columns("n int") });
  await expect(engines.remote.checkSelect({ statement, tables: [table] }, submission)).rejects.toMatchObject({
    code: "InvalidDMLStatement",
    message: expect.stringMatching(new RegExp(`^query ${position} `)),
  });
});

test.each([
  "EXECUTE IMMEDIATE 'SELECT 1'",
  "BEGIN SELECT 1; END",
  "SELECT * FROM csv.`/etc/hostname`",
  "SELECT * FROM text.`file:///etc/hostname`",
  "SELECT * FROM range(3)",
  "SELECT n r'\\' FROM t -- '",
])("%s is refused before anything is sent", async (statement) => {
  await expect(engines.remote.tablesRead(statement, submission)).rejects.toMatchObject({
    code: expect.stringMatching(/^Invalid(?:DMLStatement|TableName|DatabaseName)$/),
  });
});

test("the reason of a refusal has no plan, no class and no path of the server", async () => {
  const table = machine.tableOf(["1\n"], { columns: columns("n int") });
  const checked = engines.remote.checkSelect({ statement: "SELECT nosuch FROM t", tables: [table] }, submission);
  await expect(checked).rejects.toThrow(
    /^query 1:8 the Spark server refuses it: A column.*`nosuch` cannot be resolved/,
  );
  await expect(checked).rejects.not.toThrow(/Project|org\.apache|SQLSTATE|dag_t0|\n|file:/);
});

import { expect, test } from "vitest";
import { columns, submission } from "../../contract/engine/harness";
import { useEngines } from "../harness";

const engines = useEngines("hive");
const { machine } = engines;

test.each([
  ["SELECT reflect('java.lang.System', 'getenv') FROM t", "1:8"],
  ["SELECT\n `Reflect` ('java.lang.System', 'getenv') FROM t", "2:2"],
  ["SELECT java_method('java.lang.System', 'getenv') FROM t", "1:8"],
  ["SELECT in_file('x', '/etc/passwd') FROM t", "1:8"],
  ["SELECT INPUT__FILE__NAME FROM t", "1:8"],
  ["SELECT db.fn(n) FROM t", "1:11"],
  ["SELECT current_user() FROM t", "1:8"],
  ["SELECT TRANSFORM (n) USING 'cat' AS (x) FROM t", "1:8"],
  ["SELECT n FROM t; ADD JAR /tmp/x.jar", "1:18"],
  ["SET hive.exec.pre.hooks=x; SELECT n FROM t", "1:1"],
  ["SELECT n FROM dag_t0", "1:15"],
  ["SELECT nosuch FROM t", "1:8"],
  ["SELECT n,\n  'é😀', nosuch FROM t", "2:10"],
])("%s is refused with the position", async (statement, position) => {
  const table = machine.tableOf(["1\n"], { columns: columns("n int") });
  await expect(engines.remote.checkSelect({ statement, tables: [table] }, submission)).rejects.toMatchObject({
    code: "InvalidDMLStatement",
    message: expect.stringMatching(new RegExp(`^query ${position} `)),
  });
});

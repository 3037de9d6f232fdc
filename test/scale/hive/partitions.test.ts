import { expect, test } from "vitest";
import { columns, submission } from "../../contract/engine/harness";
import { partitionsSuite } from "../suites/partitions";

const { engines, tableOf } = partitionsSuite("hive");
const { machine } = engines;

test("objects below the innermost partition folder are read", async () => {
  const table = tableOf(
    { "day=1/a": "1\n", "day=2/deep/b": "2\n", "day=2/_hidden/c": "9\n" },
    { columns: columns("v int"), partitions: columns("day int") },
  );
  expect(await machine.run(engines.remote, "SELECT sum(v), sum(day) FROM t", [table])).toBe("3,3\n");
});

test("a table that is named twice has the partitions that one of the places needs", async () => {
  const table = tableOf(
    { "day=1/a": "1\n", "day=2/b": "2\n", "day=3/c": "4\n" },
    { columns: columns("v int"), partitions: columns("day int") },
  );
  const statement = "SELECT a.v, b.v FROM t a JOIN t b ON a.day + 1 = b.day WHERE a.day = 1 AND b.day > 1";
  expect(await machine.run(engines.remote, statement, [table])).toBe("1,2\n");
});

test("more partitions than one statement adds", async () => {
  const objects = Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`n=${n}/a`, `${n}\n`]));
  const table = tableOf(objects, { columns: columns("v int"), partitions: columns("n int") });
  expect(await machine.run(engines.remote, "SELECT count(*), sum(v), sum(n) FROM t", [table])).toBe(
    "450,101025,101025\n",
  );
});

test("two folders of one partition: are refused", async () => {
  const table = tableOf(
    { "k=a%2Fb/x": "1\n", "k=a%2fb/y": "2\n" },
    { columns: columns("v int"), partitions: columns("k string") },
  );
  const query = { statement: "SELECT * FROM t", tables: [table] };
  await expect(engines.remote.checkSelect(query, submission)).rejects.toThrow(/has two folders of one partition/);
});

/** Undeclared columns whose types were inferred from the data: beside texts, and in refusals. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine, TableDefinition } from "../../../service/core/ports/engine";
import { columns, Machine, Recorder, submission } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

const run = (statement: string, tables: readonly TableDefinition[]) => machine.run(engine, statement, tables);

const dated = () => machine.tableOf(["id,day,at\n1,2026-01-02,2026-01-02 03:04:05\n"]);

test.each([
  ["SELECT day FROM t UNION ALL SELECT 'none'", "2026-01-02\nnone\n"],
  ["SELECT at, day FROM t UNION SELECT 'a', 'b'", "2026-01-02 03:04:05,2026-01-02\na,b\n"],
  ["SELECT day FROM t WHERE day > '2026-01-01' AND day <> '2026-01-03' AND day LIKE '2026%'", "2026-01-02\n"],
  ["SELECT nullif(day, ''), nullif(at, 'none') FROM t", "2026-01-02,2026-01-02 03:04:05\n"],
  ["SELECT concat_ws('/', 'x', day), greatest(day, '2026-02') FROM t", "x/2026-01-02,2026-02\n"],
  ["SELECT concat_ws('/', cast(id AS string), day) FROM t", "1/2026-01-02\n"],
  [
    "SELECT greatest(day, '2026-02'), least(day, DATE '2020-01-01') FROM t WHERE day = '2026-1-2'",
    "2026-02,2020-01-01\n",
  ],
  ["SELECT nullif(day, '2026-1-2'), nullif('2026-01-02', day) FROM t", "2026-01-02,\\N\n"],
  ["SELECT concat_ws('/', max(day)), day + INTERVAL '1' MONTH FROM t GROUP BY day", "2026-01-02,2026-02-02\n"],
  ["SELECT year(day), datediff(at, '2026-01-01') FROM t", "2026,1\n"],
])("dates and texts: %s", async (statement, expected) => {
  const definition = dated();
  await engine.checkSelect({ statement, tables: [definition] }, submission);
  expect((await run(statement, [definition])).split("\n").toSorted()).toEqual(expected.split("\n").toSorted());
});

test("dates and texts: an empty cell is NULL also where the column is read as string", async () => {
  const table = machine.tableOf(["id,at,day\n1,2026-01-05 10:00:00,2026-01-05\n2,,\n"]);
  const statement = "SELECT id, concat_ws('-', at, day, 'x') FROM t WHERE at IS NOT NULL AND day IS NOT NULL";
  expect(await run(statement, [table])).toBe("1,2026-01-05 10:00:00-2026-01-05-x\n");
});

test.each([
  [
    "concat_ws",
    "SELECT concat_ws('/', 'x', day) FROM t WHERE day >= '2026-1-2' AND day < '2026-1-10'",
    "x/2026-01-02\n",
  ],
  ["INTERSECT", "SELECT day FROM t WHERE day = '2026-1-2' INTERSECT SELECT '2026-01-02'", "2026-01-02\n"],
])("dates and texts: %s leaves conditions on the date as they are, without a note", async (_, statement, expected) => {
  const context = new Recorder();
  expect(await machine.run(engine, statement, [dated()], { context })).toBe(expected);
  expect(context.lines.filter((line) => line.startsWith("note"))).toEqual([]);
});

test("dates and texts: the query's log tells what is read as string", async () => {
  const context = new Recorder();
  await machine.run(engine, "SELECT at FROM t UNION ALL SELECT 'none'", [dated()], { context });
  expect(context.lines).toContain(
    "note: column at of default.t is read as string, and compared as one: the statement combines it with strings, and its type timestamp was inferred from the data. With cast(at AS string) in that place, it stays a timestamp",
  );
});

test.each([
  ["SELECT length(at) FROM t", "timestamp of default.t.at"],
  ["SELECT day * 2 FROM t", "date of default.t.day"],
  ["SELECT id FROM t UNION ALL SELECT 'none'", "bigint of default.t.id"],
  ["SELECT id FROM t WHERE length(day) > (SELECT count(*) FROM t WHERE at > '2026-01-01')", "date of default.t.day"],
  ["SELECT id FROM t a WHERE id > (SELECT avg(id) FROM t b WHERE b.day = a.day)", "bigint of default.t.id"],
])("a refusal that only an inferred type causes names the column: %s", async (statement, column) => {
  const check = engine.checkSelect({ statement, tables: [dated()] }, submission);
  await expect(check).rejects.toThrow(
    `the type ${column} was inferred from the data: cast it, or declare the columns of the table in the config`,
  );
});

test.each([
  [
    "SELECT lead(id, 0) OVER (ORDER BY id) FROM t",
    "expects a positive offset: write the expression itself for offset 0",
  ],
  [
    "SELECT pmod(cast(id AS decimal(10,2)), 7) FROM t",
    "has decimal arguments: write (a % b + b) % b; the embedded engine does not support this",
  ],
  ["SELECT sha2('a', id) FROM t", "needs a literal as argument 2; the embedded engine does not support this"],
])("a refusal that the type does not cause names no column: %s", async (statement, reason) => {
  const check = engine.checkSelect({ statement, tables: [dated()] }, submission);
  await expect(check).rejects.toThrow(new RegExp(`: ${reason.replace(/[()*+?]/g, "\\$&")}$`));
});

test("a refusal with another cause does not", async () => {
  const refused = (definition: TableDefinition) =>
    engine.checkSelect({ statement: "SELECT nope FROM t", tables: [definition] }, submission);
  await expect(refused(dated())).rejects.toThrow(/column nope: does not exist; the columns are id, day, at$/);
  const subquery = "SELECT 1 FROM t HAVING count(*) > (SELECT count(*) / 8 FROM t WHERE day > '2026-01-01')";
  await expect(engine.checkSelect({ statement: subquery, tables: [dated()] }, submission)).rejects.toThrow(
    /compares bigint with double[^;]*$/,
  );
  const declared = machine.tableOf(["1,2026-01-02\n"], { columns: columns("id bigint, day date") });
  const statement = "SELECT day * 2 FROM t";
  await expect(engine.checkSelect({ statement, tables: [declared] }, submission)).rejects.toThrow(/cast the operands$/);
});

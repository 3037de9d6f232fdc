import { describe, expect, test } from "vitest";
import { parseStatement, tablesRead } from "../../../../hiveql/syntax";

const names = (text: string) => tablesRead(parseStatement(text)).map(({ database, table }) => `${database}.${table}`);

describe("tablesRead: returns each table once", () => {
  test.each([
    ["select 1", []],
    ["select * from T", ["default.t"]],
    ["select * from logs.Events e join `Other-Bucket`.users u on e.id = u.id", ["logs.events", "other-bucket.users"]],
    ["select * from `lake.raw`.t join `lake.raw`.`u`", ["lake.raw.t", "lake.raw.u"]],
    ["select * from a, b, a c", ["default.a", "default.b"]],
    ["from x select y where z in (select q from w)", ["default.x", "default.w"]],
    [
      "select (select max(a) from m), exists_ from t where exists (select 1 from n)",
      ["default.m", "default.t", "default.n"],
    ],
    ["select * from t lateral view explode(xs) v as x", ["default.t"]],
    ["select * from noop(on part partition by p)", ["default.part"]],
    ["select a from t1 union all select b from t2", ["default.t1", "default.t2"]],
  ])("%j", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  test("omits WITH tables, and includes the tables that their queries read", () => {
    expect(names("with q as (select * from t), r as (select * from q) select * from r join u")).toEqual([
      "default.t",
      "default.u",
    ]);
  });

  test("treats the name of a WITH table with a database as a table", () => {
    expect(names("with t as (select 1) select * from db1.t")).toEqual(["db1.t"]);
  });

  test("reports the position of the first reference", () => {
    const [table] = tablesRead(parseStatement("select *\n  from logs.events"));
    expect(table?.position).toEqual({ line: 2, column: 8 });
  });

  test("throws for a statement other than SELECT", () => {
    expect(() => names("create table t (a int)")).toThrow(expect.objectContaining({ construct: "CREATE" }));
  });
});

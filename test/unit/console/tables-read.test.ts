import { expect, test } from "vitest";
import { tablesRead } from "../../../console/src/components/tables-read";

test("tables: those of FROM and JOIN, with databases, aliases and backticks, and none of texts and comments", () => {
  const statement =
    "select 'from a.b' from sales.Orders o, `t` join data.events as e on o.id = e.id -- from c.d\nwhere 1 in (select x from u)";
  expect(tablesRead(statement)).toEqual([
    { database: "sales", table: "orders", alias: "o" },
    { database: "default", table: "t" },
    { database: "data", table: "events", alias: "e" },
    { database: "default", table: "u" },
  ]);
});

test("tables: none before FROM is written, and those of a list whose end is missing", () => {
  expect(tablesRead("select a, b")).toEqual([]);
  expect(tablesRead("select | from x.y, z")).toEqual([
    { database: "x", table: "y" },
    { database: "default", table: "z" },
  ]);
});

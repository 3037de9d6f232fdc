import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { fromColumns, tablesRead } from "../../../console/src/components/from-columns";

const names = {
  sales: { Orders: ["id", "customer", "user-id"] },
  default: { t: ["x"] },
  data: { events: ["id", "v"] },
};

/** The completions where `|` stands. */
function completed(statement: string, explicit = false): string[] {
  const pos = statement.indexOf("|");
  const state = EditorState.create({ doc: statement.replace("|", "") });
  const found = fromColumns(names)(new CompletionContext(state, pos, explicit));
  return (found?.options ?? []).map(({ label, detail }) => `${label} ${detail}`);
}

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

test("completion: the columns of all tables that the statement reads, also before FROM", () => {
  const from = "from sales.orders o join data.events";
  expect(completed(`select i| ${from}`)).toEqual([
    "id orders",
    "customer orders",
    "user-id orders",
    "id events",
    "v events",
  ]);
  expect(completed(`select | ${from}`)).toEqual([]);
  expect(completed(`select | ${from}`, true)).toHaveLength(5);
  expect(completed(`select events.| ${from}`)).toEqual(["id events", "v events"]);
  expect(completed(`select nothing.| ${from}`)).toEqual([]);
  expect(completed("select x| from unknown.table")).toEqual([]);
});

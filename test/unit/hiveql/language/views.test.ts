/** Views: an error in the query of one is told where the statement names it. */
import { expect, test } from "vitest";
import { HiveQLError, parseStatement, readStatement, translate } from "../../../../hiveql/index";
import { catalog } from "../answers";

const views: Readonly<Record<string, string>> = {
  inner: "select printf('%x', id) as p from people",
  outer: "select * from `inner`",
  typed: "select name + joined as n from people",
};

const refusedBy = (statement: string) => {
  const options = {
    viewAt: ({ table }: { readonly table: string }) =>
      views[table] === undefined ? undefined : readStatement(parseStatement(views[table])),
  };
  try {
    translate(statement, catalog, options);
  } catch (error) {
    if (error instanceof HiveQLError) return error.message;
    throw error;
  }
  throw new Error(`${statement} was accepted`);
};

test.each([
  ["select p from `inner`", "1:15 view default.inner: its query at 1:8 function printf: has the directive %x"],
  [
    "select p from `outer`",
    "1:15 view default.outer: its query at 1:15 view default.inner: its query at 1:8 function printf: has the directive %x",
  ],
  ["select n from typed", "1:15 view default.typed: its query at 1:8 +: needs numbers"],
])("view: %s tells the place of the view", (statement, expected) => {
  expect(refusedBy(statement)).toContain(expected);
});

import { expect, test } from "vitest";
import { splitStatements } from "../../../../service/cli/statements";

test.each([
  ["select 1; select 2;\n", ["select 1", "select 2"], "\n"],
  ['select \';\' a, "x\\";" b, `c;` from t;', ['select \';\' a, "x\\";" b, `c;` from t'], ""],
  ["select 1 -- one; two\n;", ["select 1 -- one; two"], ""],
  ["select /* ; */ 1;;", ["select /* ; */ 1"], ""],
  ["select 'a;\n", [], "select 'a;\n"],
  ["select 1", [], "select 1"],
])("splitStatements: %j", (text, statements, rest) => {
  expect(splitStatements(text)).toEqual({ statements, rest });
});

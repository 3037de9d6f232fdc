/** Names in ORDER BY that are both an alias of the select list and a column. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const values = "(select stack(4, 1, 10, 2, 20, 3, cast(null as int), 4, 20) as (id, dept)) t";

describe("ORDER BY: a name is the alias of the select list, over groups as over rows", () => {
  it.each([
    ["rows", "select coalesce(dept, -1) as dept", "order by dept", ["-1", "10", "20", "20"]],
    ["groups", "select coalesce(dept, -1) as dept", "group by dept order by dept", ["-1", "10", "20"]],
    ["the first groups", "select coalesce(dept, -1) as dept", "group by dept order by dept limit 1", ["-1"]],
    ["an aggregate", "select sum(id) as dept", "group by dept order by dept desc", ["6", "3", "1"]],
    ["an expression", "select -dept as dept", "where dept > 0 group by dept order by dept + 1", ["-20", "-10"]],
    [
      "rollup",
      "select coalesce(dept, -1) as dept",
      "group by dept with rollup order by dept",
      ["-1", "-1", "10", "20"],
    ],
    ["SORT BY", "select -dept as dept", "where dept > 0 group by dept sort by dept", ["-20", "-10"]],
    ["CLUSTER BY", "select -dept as dept", "where dept > 0 group by dept cluster by dept", ["-20", "-10"]],
    [
      "the column with its table",
      "select -dept as dept",
      "where dept > 0 group by dept order by t.dept",
      ["-10", "-20"],
    ],
    [
      "a key that is no name",
      "select -dept as dept",
      "where dept > 0 group by dept + 1 , dept order by dept + 1",
      ["-10", "-20"],
    ],
  ])("%s", async (_case, select, rest, rows) => {
    expect(await hive.answer(`${select} from ${values} ${rest}`)).toEqual(rows);
  });
});

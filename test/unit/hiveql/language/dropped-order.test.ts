/** ORDER BY and SORT BY of subqueries, which sort nothing. */
import { expect, test } from "vitest";
import { notes } from "../answers";

const sortsNothing =
  "ORDER BY or SORT BY of a subquery or view without LIMIT sorts nothing, as in Hive: sort the outermost query, or add LIMIT";

test.each([
  ["select id from (select id from people order by id) s limit 1", true],
  ["with s as (select id from people sort by id desc) select id from s limit 3", true],
  [
    "select team, collect_list(name) from (select * from people distribute by team sort by team, id) s group by team",
    true,
  ],
  ["select id from people where id in (select id from people order by id)", true],
  ["select id from (select id from people order by id limit 2) s order by id", false],
  ["select team, collect_list(name) from (select * from people cluster by id) s group by team", false],
  ["(select id from people) order by id", false],
  ["select id from people union all select id from people order by id", false],
])("a note tells that nothing is sorted: %s", (statement, isTold) => {
  expect(notes(statement)).toEqual(isTold ? [sortsNothing] : []);
});

import { describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";
import { catalog } from "../answers";

const rows = "(select stack(5, 1,10, 1,20, 2,30, 2,45, 2,cast(null as int)) as (g, x)) t";

describe("lag, lead inside another function: refused", () => {
  test.each([
    `select sum(lag(x)) over (partition by g) from ${rows}`,
    `select sum(lag(lag(x))) over (order by x) from ${rows}`,
    `select lag(lead(x)) over (order by x) from ${rows}`,
    `select sum(lag(x)) from ${rows}`,
    `select sum(rank()) over (order by x) from ${rows}`,
    `select sum(lag(x) over (order by x)) over (order by x) from ${rows}`,
    `select sum(lag(x)) over (order by x rows between unbounded preceding and unbounded following) from ${rows}`,
  ])("%s", (statement) => {
    expect(() => translate(statement, catalog)).toThrow(HiveQLError);
  });
});

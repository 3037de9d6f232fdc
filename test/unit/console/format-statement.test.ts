import { expect, test } from "vitest";
import { formatStatement } from "../../../console/src/components/format-statement";

test("format: each clause and column has a line, and LATERAL VIEW is a clause", () => {
  const statement = "select a,count(*) n from x.y t lateral view outer explode(m) e as k where a>1 group by a";
  expect(formatStatement(statement).split("\n")).toEqual([
    "select",
    "  a,",
    "  count(*) n",
    "from",
    "  x.y t",
    "lateral view outer",
    "  explode(m) e as k",
    "where",
    "  a > 1",
    "group by",
    "  a",
  ]);
});

test.each([
  "select 1L, 2Y, 1.5BD, m['a  b'], s.f, `we  ird`, \"q'  \\\" \", x <=> - -1, ! true from t",
  "with t as (select 1 a union all select 2) select *, case when a = 1 then 'x' end from t distribute by a sort by a",
  "select a -- a  comment\n, /* b\n  c */ b from t tablesample (10 percent) where a like '%;--' limit 5",
  "select sum(a) over (partition by b order by c rows between 1 preceding and current row) from t",
  "SELECT a FROM t WHERE b IN (SELECT b FROM u) AND NOT EXISTS (SELECT 1 FROM v WHERE v.a = t.a)",
])("format: changes only white space, and formatting again nothing: %s", (statement) => {
  const formatted = formatStatement(statement);
  const words = (text: string) => text.replaceAll(/\s+/g, "");
  expect(words(formatted)).toBe(words(statement));
  expect(formatted.match(/'[^']*'|`[^`]*`/g)).toEqual(statement.match(/'[^']*'|`[^`]*`/g));
  expect(formatStatement(formatted)).toBe(formatted);
});

test.each(["select (", "select 'open", "select a from t where )"])("format: refuses %s", (statement) => {
  expect(() => formatStatement(statement)).toThrow();
});

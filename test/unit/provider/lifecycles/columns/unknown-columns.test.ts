import { describe, expect, test } from "vitest";
import { HiveQLError, parseStatement, readStatement } from "../../../../../hiveql/syntax";
import { checkColumns } from "../../../../../provider/lifecycles/columns/unknown-columns";
import { readCases, readTables } from "../../../../conformance/golden/folder.mts";

const tables: Readonly<Record<string, readonly string[]>> = {
  "shop.sales": ["day", "amount", "Customer"],
  "shop.customers": ["customer", "country", "address"],
};

function check(statement: string) {
  const query = readStatement(parseStatement(statement));
  return checkColumns(query, ({ database, table }) => tables[`${database}.${table}`]);
}

const problemOf = (statement: string) => check(statement).problem?.message;

describe("columns of a statement", () => {
  test.each([
    ["a misspelt column", "SELECT amont FROM shop.sales", "1:8 column amont", "amount"],
    ["in WHERE", "SELECT day FROM shop.sales WHERE\n  amuont > 1", "2:3 column amuont", "amount"],
    ["in a call", "SELECT sum(amont) FROM shop.sales", "1:12 column amont", "amount"],
    ["with an alias", "SELECT s.amont FROM shop.sales s", "1:10 column s.amont", "amount"],
    ["with the table's name", "SELECT sales.amont FROM shop.sales", "1:14 column sales.amont", "amount"],
    ["that is its own alias", "SELECT upper(dya) AS dya FROM shop.sales", "1:14 column dya", "day"],
    ["in GROUP BY", "SELECT count(*) FROM shop.sales GROUP BY dya", "1:42 column dya", "day"],
    ["in HAVING", "SELECT day FROM shop.sales GROUP BY day HAVING sum(amont) > 1", "1:52 column amont", "amount"],
    ["in ORDER BY", "SELECT day FROM shop.sales ORDER BY amont", "1:37 column amont", "amount"],
    ["in OVER", "SELECT rank() OVER (PARTITION BY dya) FROM shop.sales", "1:34 column dya", "day"],
    ["in ON", "SELECT 1 FROM shop.sales s JOIN shop.customers c ON s.custmer = c.customer", "1:55", "customer"],
    ["in USING", "SELECT 1 FROM shop.sales JOIN shop.customers USING (country)", "column country", undefined],
    ["of a join", "SELECT contry FROM shop.sales s JOIN shop.customers c ON true", "1:8 column contry", "country"],
    ["of a subquery", "SELECT totl FROM (SELECT sum(amount) AS total FROM shop.sales) t", "1:8 column totl", "total"],
    ["in a subquery", "SELECT * FROM (SELECT amont FROM shop.sales) t", "1:23 column amont", "amount"],
    ["of WITH", "WITH t AS (SELECT day AS d1 FROM shop.sales) SELECT t.day FROM t", "1:55 column t.day", undefined],
    ["through *", "SELECT amont FROM (SELECT * FROM shop.sales) t", "1:8 column amont", "amount"],
    [
      "in EXISTS",
      "SELECT 1 FROM shop.sales s WHERE EXISTS (SELECT 1 FROM shop.customers WHERE custmer = s.customer)",
      "1:77",
      "customer",
    ],
    [
      "of the outer query",
      "SELECT 1 FROM shop.sales s WHERE s.day IN (SELECT country FROM shop.customers c WHERE s.dya = 1)",
      "1:89 column s.dya",
      "day",
    ],
    [
      "in LATERAL VIEW",
      "SELECT w FROM shop.sales LATERAL VIEW explode(split(dya, ',')) v AS w",
      "1:53 column dya",
      "day",
    ],
    ["of a second term", "SELECT day FROM shop.sales UNION ALL SELECT dya FROM shop.sales", "1:45 column dya", "day"],
    [
      "after a union",
      "SELECT day FROM shop.sales UNION ALL SELECT day FROM shop.sales ORDER BY dya",
      "1:74 column dya",
      "day",
    ],
    ["in CASE", "SELECT CASE WHEN amont > 1 THEN 1 END FROM shop.sales", "1:18 column amont", "amount"],
    ["of an unknown alias", "SELECT x.amount FROM shop.sales s", "1:8 column x:", undefined],
  ])("%s: is reported with its position", (_name, statement, place, near) => {
    const message = problemOf(statement)!;
    expect(message).toContain(place);
    expect(/did you mean `(\w+)`\?/.exec(message)?.[1]).toBe(near);
  });

  test.each([
    "SELECT AMOUNT, `Day`, CUSTOMER FROM SHOP.SALES",
    "SELECT s.*, c.country FROM shop.sales s LEFT JOIN shop.customers c USING (customer)",
    "SELECT upper(day) AS label, count(*) n FROM shop.sales GROUP BY upper(day) HAVING n > 1 ORDER BY label, n DESC",
    "SELECT amount AS a, a + 1 AS b FROM shop.sales",
    "SELECT address.city, c.address.zip FROM shop.customers c",
    "SELECT INPUT__FILE__NAME, `_c0`, current_date FROM shop.sales",
    "SELECT q.x, other FROM elsewhere.t q JOIN shop.sales s ON q.x = s.day",
    "SELECT anything FROM (SELECT count(*) FROM shop.sales) t",
    "SELECT k, v FROM shop.sales LATERAL VIEW explode(map(day, amount)) m AS k, v",
    "SELECT col FROM shop.sales LATERAL VIEW explode(array(day)) m",
    "WITH b AS (SELECT d FROM a), a AS (SELECT day AS d FROM shop.sales) SELECT d FROM b",
    "WITH sales AS (SELECT 1 AS one) SELECT one FROM sales",
    "WITH unused AS (SELECT nothing FROM shop.sales) SELECT day FROM shop.sales",
    "SELECT day FROM shop.sales s WHERE amount > (SELECT avg(x.amount) FROM shop.sales x WHERE x.day = s.day)",
    "SELECT rank() OVER w FROM shop.sales WINDOW w AS (PARTITION BY day ORDER BY amount)",
    "SELECT day, customer, grouping__id FROM shop.sales GROUP BY day, customer GROUPING SETS ((day), (customer))",
    "SELECT extract(year FROM day), interval 1 day + day FROM shop.sales",
    "SELECT 1",
  ])("%s: reports nothing", (statement) => {
    expect(problemOf(statement)).toBeUndefined();
  });

  test("a table of unknown columns: the check is incomplete only where it may have the column", () => {
    expect(check("SELECT * FROM elsewhere.t").isComplete).toBe(true);
    expect(check("SELECT count(*) FROM elsewhere.t").isComplete).toBe(true);
    expect(check("SELECT a FROM elsewhere.t").isComplete).toBe(false);
    expect(check("SELECT day FROM shop.sales s JOIN elsewhere.t e ON s.day = e.day").isComplete).toBe(false);
    expect(check("SELECT s.amont FROM shop.sales s JOIN elsewhere.t e")).toEqual({ isComplete: false });
  });

  test("the golden statements: no column of theirs is reported", () => {
    const folder = process.env["GOLDEN"] ?? "test/conformance/golden/cases";
    const columnsOf = new Map(readTables(folder).map(({ table, columns }) => [table, columns.map(([name]) => name)]));
    const reported: string[] = [];
    let checked = 0;
    for (const { id, query, tables: named } of readCases(folder)) {
      try {
        const tree = readStatement(parseStatement(query));
        const lower = new Map(Object.entries(named).map(([name, hash]) => [name.toLowerCase(), hash]));
        const { problem } = checkColumns(tree, ({ database, table }) =>
          columnsOf.get(lower.get(table) ?? lower.get(`${database}.${table}`) ?? ""),
        );
        checked += 1;
        if (problem) reported.push(`${id}: ${problem.message}`);
      } catch (error) {
        // A construct without a syntax tree is not checked.
        if (!(error instanceof HiveQLError)) throw error;
      }
    }
    expect(reported).toEqual([]);
    expect(checked).toBeGreaterThan(40);
  });
});

import { expect, test } from "vitest";
import { refusal } from "./refusal";

const order = "the order is FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT";

test.each([
  ["SELCT a FROM t", '1:1 "SELCT": is not expected here: is SELECT meant?'],
  ["select a form t", '1:15 "t": is not expected here: is FROM meant by "form"?'],
  ["select a from t wehre b = 1", '1:23 "b": is not expected here: is WHERE meant by "wehre"?'],
  ["select a from t gruop by a", '1:23 "by": is not expected here: is GROUP meant by "gruop"?'],
  ["select a from t oder by a", '1:22 "by": is not expected here: is ORDER meant by "oder"?'],
  ["select a from orders x y", '1:24 "y": is not expected here: a comma or an operator is missing before it'],
])("parse: asks for the keyword that is misspelt in %s", (statement, message) => {
  expect(refusal(statement)).toBe(message);
});

test.each([
  ["select a from t group by a where b", `1:28 "where": is not expected here: WHERE comes before GROUP BY; ${order}`],
  ["select a from t limit 3 order by a", `1:25 "order": is not expected here: ORDER BY comes before LIMIT; ${order}`],
  ["select a from t where b join u on c", `1:25 "join": is not expected here: JOIN comes before WHERE; ${order}`],
  [
    "select a from t where b where c",
    '1:25 "where": is not expected here: WHERE stands once in a query: join the conditions with AND',
  ],
  ["select a from t limit 1 limit 2", '1:25 "limit": is not expected here: LIMIT stands once in a query'],
  [
    "select a from t limit 1 union all select b from u",
    '1:25 "union": is not expected here: it comes before LIMIT; write the query before it as SELECT * FROM (…) AS t',
  ],
  [
    "select a from (select a from t group by a where b) x",
    `1:43 "where": is not expected here: WHERE comes before GROUP BY; ${order}`,
  ],
])("parse: says the order of the clauses for %s", (statement, message) => {
  expect(refusal(statement)).toBe(message);
});

test.each([
  ["select count(* from t", '1:16 "from": is not expected here: a ( before it is not closed'],
  ["select if(a > 1, 2 from t", '1:20 "from": is not expected here: a ( before it is not closed'],
  ["select a from t where (a > 1", "1:29 end of statement: is not expected here: a ( before it is not closed"],
  ["select count(a)) from t", '1:16 ")": is not expected here: no ( before it is open'],
])("parse: says of %s which parenthesis is missing", (statement, message) => {
  expect(refusal(statement)).toBe(message);
});

test.each([
  ["select a b c from t", '1:12 "c": is not expected here: a comma or an operator is missing before it'],
  ["select a from t where b in (1 2)", '1:31 "2": is not expected here: a comma or an operator is missing before it'],
  ["select a from t where b = 'x' c = 1", '"c": is not expected here: a comma or an operator is missing before it'],
  ["select a from t where and b = 1", '1:27 "b": is not expected here: a value is missing before "and"'],
  ["select a from t order by limit 1", '1:26 "limit": is not expected here: a value is missing behind "by"'],
  ["select a from t group a", '1:23 "a": is not expected here: BY is missing behind "group"'],
  ["select a from t inner u on a = b", '1:23 "u": is not expected here: JOIN is missing behind "inner"'],
  ["select a from t where like 'x'", 'is not expected here: a value is missing before "like"'],
  ["select a from where b", 'is not expected here: a table is missing behind "from"'],
])("parse: says what is missing in %s", (statement, message) => {
  expect(refusal(statement)).toContain(message);
});

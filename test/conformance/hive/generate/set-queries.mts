/** Generated set operators over columns of one type and of several. */
import fc from "fast-check";
import { type Make, maybe, where, words } from "./clauses.mts";
import { together } from "./comparable.mts";
import type { Expressions } from "./expressions.mts";
import type { Sources } from "./sources.mts";
import type { Family } from "./tables.mts";
import { list, type Term, term, word } from "./term.mts";

const operators = words("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "MINUS");

/** Makes the generator of `SELECT … UNION SELECT …` and its kin, of two and of three queries. */
export function setsOver({ left, right }: Sources): Make<Term> {
  return fc.array(fc.constantFrom(...together), { minLength: 1, maxLength: 2 }).chain((columns) => {
    const side = (expressions: Expressions, from: string) => {
      const values = columns.map((families) =>
        fc.constantFrom(...(families as readonly Family[])).chain((family) => expressions.of(family, 1)),
      );
      const aliased = fc.tuple(...values).map((found) =>
        list(
          found.map((value, index) => term`${value} AS ${word(`c${index}`)}`),
          ", ",
          columns.length,
        ),
      );
      return fc
        .tuple(aliased, where(expressions), maybe(words("DISTINCT ")))
        .map(([select, filter, distinct]) => term`SELECT ${distinct}${select} FROM ${word(from)}${filter}`);
    };
    const [first, second] = [side(left, "sales a"), side(right, "items b")];
    const two = fc.tuple(first, operators, second).map(([one, operator, other]) => term`${one} ${operator} ${other}`);
    const three = fc
      .tuple(two, operators, side(left, "sales a"))
      .map(([pair, operator, last]) => term`${pair} ${operator} ${last}`);
    const nested = fc
      .tuple(two, words("SELECT count(*) AS c, max(c0) AS m FROM", "SELECT c0, count(*) AS c FROM"))
      .map(([pair, outer]) => {
        const group = outer.parts[0] === "SELECT c0, count(*) AS c FROM" ? word(" GROUP BY c0") : word("");
        return term`${outer} (${pair}) q${group}`;
      });
    return fc.oneof({ arbitrary: two, weight: 3 }, three, nested);
  });
}

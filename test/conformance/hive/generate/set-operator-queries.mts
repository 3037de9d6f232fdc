/** Generates set operators over columns of the same type and of different types. */
import fc from "fast-check";
import { type Arbitrary, maybe, where, choice } from "./clauses.mts";
import { comparableFamilies } from "./comparable-families.mts";
import type { Expressions } from "./expressions.mts";
import type { Sources } from "./sources.mts";
import type { Family } from "./tables.mts";
import { list, type Term, term, raw } from "./term.mts";

const operators = choice("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "MINUS");

/** Generates set operators such as `SELECT … UNION SELECT …` over two or three queries. */
export function setOperatorsOver({ left, right }: Sources): Arbitrary<Term> {
  return fc.array(fc.constantFrom(...comparableFamilies), { minLength: 1, maxLength: 2 }).chain((columns) => {
    const side = (expressions: Expressions, from: string) => {
      const values = columns.map((families) =>
        fc.constantFrom(...(families as readonly Family[])).chain((family) => expressions.of(family, 1)),
      );
      const aliased = fc.tuple(...values).map((found) =>
        list(
          found.map((value, index) => term`${value} AS ${raw(`c${index}`)}`),
          ", ",
          columns.length,
        ),
      );
      return fc
        .tuple(aliased, where(expressions), maybe(choice("DISTINCT ")))
        .map(([select, filter, distinct]) => term`SELECT ${distinct}${select} FROM ${raw(from)}${filter}`);
    };
    const [first, second] = [side(left, "sales a"), side(right, "items b")];
    const two = fc.tuple(first, operators, second).map(([one, operator, other]) => term`${one} ${operator} ${other}`);
    const three = fc
      .tuple(two, operators, side(left, "sales a"))
      .map(([pair, operator, last]) => term`${pair} ${operator} ${last}`);
    const nested = fc
      .tuple(two, choice("SELECT count(*) AS c, max(c0) AS m FROM", "SELECT c0, count(*) AS c FROM"))
      .map(([pair, outer]) => {
        const group = outer.parts[0] === "SELECT c0, count(*) AS c FROM" ? raw(" GROUP BY c0") : raw("");
        return term`${outer} (${pair}) q${group}`;
      });
    return fc.oneof({ arbitrary: two, weight: 3 }, three, nested);
  });
}

/** Generated SELECT statements: joins, groups and grouping sets, windows, subqueries, set operators, lateral views. */
import fc from "fast-check";
import { anyOf, keyFamilies, type Make, maybe, several, type Source, where, words, families } from "./clauses.mts";
import { names, unordered } from "./deviations.mts";
import { type Expressions, expressionsOver, type Scope } from "./expressions.mts";
import { items, sales } from "./tables.mts";
import { list, nothing, optional, type Term, term, word } from "./term.mts";
import { type Callable, writeCall } from "./vocabulary.mts";
import { windowedOver } from "./windowQueries.mts";

/** Makes the generator of whole statements. */
export function queriesOver(functions: readonly Callable[]): Make<Term> {
  const over = (tables: Scope["tables"]) => expressionsOver(functions, { tables });
  const a = { prefix: "a.", table: sales };
  const b = { prefix: "b.", table: items };
  const one = over([a]);
  const both = over([a, b]);
  const other = over([b]);
  const numbersOf = (...prefixes: string[]) =>
    prefixes.flatMap((prefix) => (prefix === "a." ? ["a.k", "a.n", "a.p", "a.x"] : ["b.k", "b.q", "b.c"]));
  const aggregates = functions.filter(({ kind }) => kind === "aggregate");
  const tableFunctions = functions.filter(({ kind }) => kind === "table");

  const on = fc.oneof(
    words(
      "a.k = b.k",
      "a.id = b.id",
      "a.t = b.t",
      "a.day = b.day",
      "a.p = b.c",
      "a.n = b.q",
      "a.t <=> b.t",
      "a.k = b.q",
      "a.u = b.t",
    ),
    fc.tuple(words("a.k = b.k", "a.t = b.t"), both.condition(0)).map(([equal, test]) => term`${equal} AND ${test}`),
    both.condition(0),
  );
  const single: Source = { from: word("sales a"), expressions: one, key: "a.id", numbers: numbersOf("a.") };
  const source: Make<Source> = fc.oneof(
    { arbitrary: fc.constant(single), weight: 3 },
    {
      arbitrary: fc.tuple(words("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN"), on).map(([join, test]) => ({
        from: term`sales a ${join} items b ON ${test}`,
        expressions: both,
        key: "a.id, b.id",
        numbers: numbersOf("a.", "b."),
      })),
      weight: 4,
    },
    {
      arbitrary: fc
        .tuple(words("LEFT SEMI JOIN"), on)
        .map(([join, test]) => ({ ...single, from: term`sales a ${join} items b ON ${test}` })),
      weight: 1,
    },
    {
      arbitrary: fc.constant({
        from: word("sales a CROSS JOIN items b"),
        expressions: both,
        key: "a.id, b.id",
        numbers: numbersOf("a.", "b."),
      }),
      weight: 1,
    },
    {
      arbitrary: where(one).map((filter) => ({ ...single, from: term`(SELECT * FROM sales a${filter}) a` })),
      weight: 1,
    },
  );

  const aggregate = (expressions: Expressions, depth = 1): Make<Term> =>
    fc.constantFrom(...aggregates).chain((callable) =>
      fc.tuple(expressions.argumentsOf(callable, depth), fc.boolean()).map(([values, isDistinct]) => {
        if (values.length === 0) return word(`${callable.name}(*)`);
        const distinct = word(callable.distinct && isDistinct ? "DISTINCT " : "");
        const call = callable.distinct
          ? term`${word(callable.name)}(${distinct}${list(values)})`
          : writeCall(callable.name, values);
        return names(unordered, callable.name) ? term`sort_array(${call})` : call;
      }),
    );

  const plain = source.chain(({ from, expressions }) =>
    fc
      .tuple(
        maybe(words("DISTINCT ")),
        several(anyOf(expressions, 1), 3, "c"),
        where(expressions),
        maybe(words(" ORDER BY c0", " ORDER BY c0 DESC", " ORDER BY c0 NULLS FIRST", " ORDER BY 1 DESC NULLS LAST")),
      )
      .map(([distinct, select, filter, order]) => term`SELECT ${distinct}${select} FROM ${from}${filter}${order}`),
  );

  const grouped = source.chain(({ from, expressions }) =>
    fc
      .tuple(
        fc.array(anyOf(expressions, 1, keyFamilies), { minLength: 1, maxLength: 2 }),
        several(aggregate(expressions), 3, "a"),
        where(expressions),
        maybe(
          fc
            .tuple(aggregate(expressions, 0), words("> 1", "IS NOT NULL", "= 2", "< 30"))
            .map(([value, test]) => term` HAVING ${value} ${test}`),
        ),
        fc.nat(5),
      )
      .map(([keys, select, filter, having, form]) => {
        const selected = list(keys.map((key, index) => term`${key} AS ${word(`k${index}`)}`));
        const by = list(keys);
        const [first] = keys as [Term, ...Term[]];
        const sets = [
          nothing,
          nothing,
          word(" WITH ROLLUP"),
          word(" WITH CUBE"),
          term` GROUPING SETS ((${by}), (${first}), ())`,
          nothing,
        ][form] as Term;
        const id = word(form >= 2 && form <= 4 ? ", grouping__id" : "", [""]);
        return term`SELECT ${selected}, ${select}${id} FROM ${from}${filter} GROUP BY ${by}${optional(sets)}${having}`;
      }),
  );

  const whole = source.chain(({ from, expressions }) =>
    fc
      .tuple(several(aggregate(expressions), 4, "a"), where(expressions))
      .map(([select, filter]) => term`SELECT ${select} FROM ${from}${filter}`),
  );

  const windowed = windowedOver(source, functions, aggregate);

  const inner = fc
    .tuple(anyOf(other, 0, ["integer", "text", "date", "decimal"]), where(other))
    .map(([value, filter]) => term`SELECT ${value} FROM items b${filter}`);
  const nested = fc.oneof(
    fc
      .tuple(words("a.k", "a.n", "a.t", "a.p"), words("", "NOT "), inner)
      .map(([value, not, query]) => term`${value} ${not}IN (${query})`),
    fc
      .tuple(words("", "NOT "), words("a.k = b.k", "a.t = b.t", "a.n > b.q", "a.day = b.day"), other.condition(0))
      .map(([not, link, test]) => term`${not}EXISTS (SELECT 1 FROM items b WHERE ${link} AND ${test})`),
    fc
      .tuple(
        words("a.n", "a.p", "a.x"),
        words(">", "=", "<="),
        words("max(b.q)", "avg(b.c)", "count(*)", "min(b.k)"),
        maybe(words(" WHERE a.k = b.k", " WHERE a.t = b.t")),
      )
      .map(([value, sign, result, link]) => term`${value} ${sign} (SELECT ${result} FROM items b${link})`),
  );
  const subquery = fc
    .tuple(several(anyOf(one, 0), 2, "c"), nested, maybe(one.condition(0).map((test) => term` AND ${test}`)))
    .map(([select, test, more]) => term`SELECT a.id, ${select} FROM sales a WHERE ${test}${more}`);

  const united = fc.array(fc.constantFrom(...families), { minLength: 1, maxLength: 2 }).chain((kinds) => {
    const side = (expressions: Expressions, from: string) =>
      fc
        .tuple(fc.tuple(...kinds.map((family) => expressions.of(family, 1))), where(expressions))
        .map(
          ([values, filter]) =>
            term`SELECT ${list(values.map((value, index) => term`${value} AS ${word(`c${index}`)}`))} FROM ${word(from)}${filter}`,
        );
    return fc
      .tuple(
        side(one, "sales a"),
        words("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "MINUS"),
        side(other, "items b"),
      )
      .map(([left, operator, right]) => term`${left} ${operator} ${right}`);
  });

  const lateral = fc
    .tuple(words("", "OUTER "), fc.constantFrom(...tableFunctions), where(one))
    .chain(([outer, callable, filter]) =>
      one
        .argumentsOf(callable, 0)
        .map(
          (values) =>
            term`SELECT a.id, v.* FROM sales a LATERAL VIEW ${outer}${writeCall(callable.name, values)} v${filter}`,
        ),
    );

  const common = fc
    .tuple(
      grouped,
      words(
        "SELECT * FROM q",
        "SELECT count(*) AS c FROM q",
        "SELECT q.*, r.a0 AS z FROM q JOIN q r ON q.k0 = r.k0",
        "SELECT max(a0) AS c FROM q GROUP BY k0",
      ),
    )
    .map(([query, outer]) => term`WITH q AS (${query}) ${outer}`);

  return fc.oneof(
    { arbitrary: plain, weight: 4 },
    { arbitrary: grouped, weight: 4 },
    { arbitrary: whole, weight: 2 },
    { arbitrary: windowed, weight: 4 },
    { arbitrary: subquery, weight: 2 },
    { arbitrary: united, weight: 3 },
    { arbitrary: lateral, weight: 2 },
    { arbitrary: common, weight: 1 },
  );
}

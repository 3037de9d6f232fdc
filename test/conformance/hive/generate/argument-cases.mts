/** Generates calls of every function with each argument in turn of every type, to compare the accepted types. */
import { literals } from "./literals.mts";
import { type Term, raw, toSql } from "./term.mts";
import { type Callable, parameterFamilies, writeCall } from "./callables.mts";

/** A column of `pool` and a literal of each type. */
// prettier-ignore
const values = [
  "ti", "3Y", "i", "2", "bi", "5L",
  "dc", "1.5", "d", "2.5e0", "f", "cast(0.1 as float)",
  "w", "'abc'", "vc", "cast('abc' as varchar(5))", "ch",
  "b", "true", "dt", "date '2011-02-28'", "ts", "timestamp '2011-02-28 10:20:30'",
  "bn", "cast('abc' as binary)", "interval '1' day", "interval '2-3' year to month", "ai", "array(1)",
  "m", "map('a', 1)", "st", "struct(1, 'x')", "null", "cast(null as int)",
  "''", "-1",
];

/**
 * Returns all calls. The other arguments are those of the first calls that the embedded engine accepts.
 * @param accepts returns true when the embedded engine accepts an expression without a table.
 */
export function argumentCases(functions: readonly Callable[], accepts: (expression: string) => boolean): Term[] {
  return functions.flatMap((callable) =>
    basesOf(callable, accepts).flatMap((base) =>
      base.flatMap((_argument, index) =>
        values.map((value) =>
          writeCall(
            callable.name,
            base.with(index, value).map((text) => raw(text)),
          ),
        ),
      ),
    ),
  );
}

/** For each function, the number of calls to vary and the number of attempts to find them. */
const limits = { bases: 2, tries: 40 };

function basesOf({ name, parameters, optional }: Callable, accepts: (expression: string) => boolean): string[][] {
  const bases: string[][] = [];
  for (let turn = 0; turn < limits.tries && bases.length < limits.bases; turn += 1) {
    const whole = parameters.map(({ takes: parameter, texts }) => {
      const family = parameterFamilies[parameter][turn % parameterFamilies[parameter].length];
      const known = texts.length > 0 && /string|text|constant$/.test(parameter) ? texts : literals[family ?? "text"];
      return known[turn % known.length] ?? "null";
    });
    const calls = Array.from({ length: optional + 1 }, (_unused, left) => whole.slice(0, whole.length - left));
    const base = calls.find((call) =>
      accepts(
        toSql(
          writeCall(
            name,
            call.map((text) => raw(text)),
          ),
        ),
      ),
    );
    if (base) bases.push(base);
  }
  return bases;
}

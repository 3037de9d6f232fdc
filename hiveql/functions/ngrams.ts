/** The aggregates ngrams and context_ngrams, which count sequences of words. */
import { sql } from "../tree/fragment";
import { readsColumns } from "../tree/facts";
import type { Part, Typed } from "../tree/nodes";
import { arrayOf, isInteger, structOf, typeName, types } from "../tree/types";
import { aggregate, type AggregateFunction, type AggregateSite } from "./define";

const counted = arrayOf(
  structOf([
    { name: "ngram", type: arrayOf(types.string) },
    { name: "estfrequency", type: types.double },
  ]),
);

const doc =
  "fails for a group with more than 1000 different n-grams (or `k` times `pf` if that is more), because Hive then estimates; fails if the last n-gram of the result is as frequent as one that is left out";

export const ngramFunctions: readonly AggregateFunction[] = [
  aggregate("ngrams", {
    signature: "ngrams(array<string> | array<array<string>> words, int n, int k[, int pf])",
    doc,
    takes: ["array", "constant", "constant", "constant"],
    optional: 1,
    returns: counted,
    emit: (values, call) => {
      const [n, k] = [numberOf(values[1], 2, call), numberOf(values[2], 3, call)];
      return sql`hive_ngrams(${sentences(values[0], call)}, ${n}, ${k}, ${precisionOf(values, call)})`;
    },
  }),
  aggregate("context_ngrams", {
    signature: "context_ngrams(array<string> | array<array<string>> words, array<string> context, int k[, int pf])",
    doc: `counts the words at the positions where the context is NULL; ${doc}`,
    takes: ["array", "array", "constant", "constant"],
    optional: 1,
    returns: counted,
    emit: (values, call) => {
      const [words, context, count] = values;
      if (context.type.kind !== "array" || context.type.element.kind !== "string")
        throw call.invalid(`expects array<string> as argument 2, got ${typeName(context.type)}`);
      if (readsColumns(context)) throw call.refused("has an argument 2 that reads columns");
      return sql`hive_context_ngrams(${sentences(words, call)}, ${context}, ${numberOf(count, 3, call)}, ${precisionOf(values, call)})`;
    },
  }),
];

/** Collects the sentences of each row of the group; rows with NULL are skipped. */
function sentences(words: Typed, call: AggregateSite): Part {
  const element = words.type.kind === "array" ? words.type.element : types.void;
  const isNested = element.kind === "array" && element.element.kind === "string";
  if (!isNested && element.kind !== "string")
    throw call.invalid(`expects array<string> or array<array<string>>, got ${typeName(words.type)}`);
  return sql`list(${isNested ? words : sql`[${words}]`}) FILTER (WHERE ${words} IS NOT NULL)${call.over}`;
}

const precisionOf = (values: readonly Typed[], call: AggregateSite) =>
  values[3] === undefined ? 1 : numberOf(values[3], 4, call);

function numberOf({ type, constant }: Typed, place: number, call: AggregateSite): number {
  if (!isInteger(type)) throw call.invalid(`expects an integer as argument ${place}, got ${typeName(type)}`);
  if (typeof constant !== "number" || constant < 1) throw call.invalid(`expects at least 1 as argument ${place}`);
  return constant;
}

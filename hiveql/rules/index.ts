/** The rules of Hive's optimizer that show in answers. They run over the bound tree, once, in the order of this file. */
import type { Select, Typed } from "../tree/nodes";
import type { Plan } from "../tree/plan";
import { rewrite, rewriteSelects } from "../tree/rewrite";
import { type Definitions, definitionsOf, queriesOf, type Statement } from "../tree/walk";
import { quirks } from "../quirks/index";
import type { Quirk } from "../quirks/quirk";
import { rule as between, ranges } from "./between";
import { refusePaddedConstants, rule as charPaddingConstants } from "./char-padding-constants";
import { type Constants, constantsOf, rule as constantPropagation, withConstantKeys } from "./constant-propagation";
import { rule as grandTotal, withGrandTotal } from "./grand-total";
import { nullTests, rule as nullTest } from "./null-tests";
import { orToIn, rule as orIn, structRows } from "./or-to-in";
import { plannedAggregates, rule as plan } from "./plan";
import { refuseSubqueryOrder, rule as subqueryOrder } from "./subquery-order";
import { rule as textCast, textCasts } from "./text-casts";

/**
 * Returns a statement as Hive plans it.
 * @throws HiveQLError for statements whose answer the translation cannot give.
 */
export function planned(given: Statement, way: Plan): Statement {
  const constants = once(() => constantsOf(given, way));
  const definitions = once(() => definitionsOf(given));
  const selects = queriesOf(given).filter((query) => query.kind === "select");
  const total = (select: Select) =>
    isTotalled(select) ? withGrandTotal(withConstantKeys(select, constants(), way), given, definitions) : select;
  for (const select of selects) {
    refuseSubqueryOrder(select, way);
    refusePaddedConstants(select, constants);
  }
  const withGroups = selects.some(isTotalled) ? rewriteSelects(given, total) : given;
  return rewrite(withGroups, [...quirkPasses, ...passes(way, definitions, constants)]);
}

/** Returns a condition that stands alone as Hive plans it. */
export const plannedCondition = (where: Typed, way: Plan): Typed =>
  rewrite({ where }, passes(way, nothing, nothing)).where;

const nothing = () => new Map<string, never>();

const quirkPasses = quirks.flatMap(({ pass }) => (pass ? [pass] : []));

/** The rules that rewrite single values, in the order in which they see each. */
const passes = ({ isOptimized }: Plan, definitions: () => Definitions, constants: () => Constants) =>
  isOptimized
    ? [plannedAggregates, textCasts(definitions), nullTests(definitions), orToIn(constants), ranges]
    : [structRows];

/** Returns true for GROUPING SETS, CUBE and ROLLUP. */
const isTotalled = ({ groups }: Select) => groups?.by !== undefined && groups.by.kind !== "keys";

/** Returns a function that computes a value when it is first called. */
function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: compute() }).value;
}

/** The records of all rules, for docs/hiveql.md. */
export const rules: readonly Quirk[] = [
  between,
  charPaddingConstants,
  constantPropagation,
  grandTotal,
  nullTest,
  orIn,
  plan,
  subqueryOrder,
  textCast,
];

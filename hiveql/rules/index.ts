/** The rules of Hive's optimizer that show in answers. */
import { rewrite } from "../tree/rewrite";
import { rule as between, ranges } from "./between";
import { rule as constantPropagation } from "./constant-propagation";
import { rule as foldedDecimals } from "./folded-decimals";
import { rule as grandTotal } from "./grand-total";
import { rule as lateralViewPushdown } from "./lateral-view-pushdown";
import { nullTests, rule as nullTest } from "./null-tests";
import { rule as orToIn } from "./or-to-in";
import { type Plan, rule as plan } from "./plan";
import { rule as textCasts } from "./text-casts";
import type { Quirk } from "../quirks/quirk";

/** The passes over the typed tree, in the order in which they run. */
const passes = [nullTests, ranges];

/** Returns a query, or other data of the tree, as Hive's optimizer rewrites it. */
export const optimized = <Data extends object>(data: Data, { isOptimized }: Plan): Data =>
  isOptimized ? rewrite(data, passes) : data;

/** The records of all rules, for docs/hiveql.md. */
export const rules: readonly Quirk[] = [
  between,
  constantPropagation,
  foldedDecimals,
  grandTotal,
  lateralViewPushdown,
  nullTest,
  orToIn,
  plan,
  textCasts,
];

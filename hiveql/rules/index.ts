/** The rules of Hive's optimizer that show in answers, for docs/hiveql.md. */
import { rule as between } from "./between";
import { rule as constantPropagation } from "./constant-propagation";
import { rule as foldedDecimals } from "./folded-decimals";
import { rule as grandTotal } from "./grand-total";
import { rule as lateralViewPushdown } from "./lateral-view-pushdown";
import { rule as nullTests } from "./null-tests";
import { rule as orToIn } from "./or-to-in";
import { rule as plan } from "./plan";
import { rule as textCasts } from "./text-casts";
import type { Quirk } from "../quirks/quirk";

export const rules: readonly Quirk[] = [
  between,
  constantPropagation,
  foldedDecimals,
  grandTotal,
  lateralViewPushdown,
  nullTests,
  orToIn,
  plan,
  textCasts,
];

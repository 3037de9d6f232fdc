/** The quirks of Hive that the translation knows, for docs/hiveql.md. */
import { quirk as charPadding } from "./char-padding";
import { quirk as correlatedConditions } from "./correlated-conditions";
import { quirk as decimalComparison } from "./decimal-comparison";
import { quirk as decimalConversion } from "./decimal-conversion";
import { quirk as foldedDecimals } from "./folded-decimals";
import { quirk as nanLiterals } from "./nan-literals";
import { quirk as nanKeys } from "./nan-keys";
import { quirk as nestedNulls } from "./nested-nulls";
import { quirk as signedZero } from "./signed-zero";
import { quirk as stageBoundary } from "./stage-boundary";
import { quirk as subqueryOrder } from "./subquery-order";
import type { Quirk } from "./quirk";

export const quirks: readonly Quirk[] = [
  charPadding,
  correlatedConditions,
  decimalComparison,
  decimalConversion,
  foldedDecimals,
  nanKeys,
  nanLiterals,
  nestedNulls,
  signedZero,
  stageBoundary,
  subqueryOrder,
];

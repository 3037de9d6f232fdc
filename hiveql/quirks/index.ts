/** The quirks of Hive that the translation knows, for docs/hiveql.md. */
import { quirk as booleanComparison } from "./boolean-comparison";
import { quirk as charPadding } from "./char-padding";
import { quirk as correlatedConditions } from "./correlated-conditions";
import { quirk as decimalComparison } from "./decimal-comparison";
import { quirk as decimalConversion } from "./decimal-conversion";
import { quirk as foldedDecimals } from "./folded-decimals";
import { quirk as groupingKeys } from "./grouping-keys";
import { quirk as mapKeys } from "./map-keys";
import { quirk as mixedComparisons } from "./mixed-comparisons";
import { quirk as nanKeys } from "./nan-keys";
import { quirk as nanLiterals } from "./nan-literals";
import { quirk as nestedNulls } from "./nested-nulls";
import { quirk as rangeFrames } from "./range-frames";
import { quirk as signedZero } from "./signed-zero";
import { quirk as slidingFrames } from "./sliding-frames";
import { quirk as sortKeys } from "./sort-keys";
import { quirk as stageBoundary } from "./stage-boundary";
import type { Quirk } from "./quirk";

export const quirks: readonly Quirk[] = [
  booleanComparison,
  charPadding,
  correlatedConditions,
  decimalComparison,
  decimalConversion,
  foldedDecimals,
  groupingKeys,
  mapKeys,
  mixedComparisons,
  nanKeys,
  nanLiterals,
  nestedNulls,
  rangeFrames,
  signedZero,
  slidingFrames,
  sortKeys,
  stageBoundary,
];

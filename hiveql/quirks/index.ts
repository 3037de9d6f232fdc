/** The quirks of Hive that the translation knows, for docs/hiveql.md. */
import { quirk as charPadding } from "./char-padding";
import { quirk as decimalComparison } from "./decimal-comparison";
import { quirk as decimalConversion } from "./decimal-conversion";
import { quirk as nanKeys } from "./nan-keys";
import { quirk as nestedNulls } from "./nested-nulls";
import { quirk as rangeFrames } from "./range-frames";
import { quirk as signedZero } from "./signed-zero";
import { quirk as slidingFrames } from "./sliding-frames";
import { quirk as stageBoundary } from "./stage-boundary";
import type { Quirk } from "./quirk";

export const quirks: readonly Quirk[] = [
  charPadding,
  decimalComparison,
  decimalConversion,
  nanKeys,
  nestedNulls,
  rangeFrames,
  signedZero,
  slidingFrames,
  stageBoundary,
];

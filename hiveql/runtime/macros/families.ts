/** The macros of all function families. */
import { collectionMacros } from "./collection";
import { dateMacros } from "./date";
import { numberMacros } from "./number";
import { statisticalMacros } from "./statistical";
import { timeMacros } from "./time";

/** Macros by name. */
export const familyMacros = {
  ...collectionMacros,
  ...dateMacros,
  ...numberMacros,
  ...statisticalMacros,
  ...timeMacros,
} as const;

/** Macros that single families of functions need. */
import { collectionMacros } from "./collection";
import { dateMacros } from "./date";
import { numberMacros } from "./number";
import { statisticalMacros } from "./statistical";
import { timeMacros } from "./time";

export const familyMacros = {
  ...collectionMacros,
  ...dateMacros,
  ...numberMacros,
  ...statisticalMacros,
  ...timeMacros,
} as const;

/** Macros that single families of functions need. */
import { collectionMacros } from "./macrosCollection";
import { dateMacros } from "./macrosDate";
import { numberMacros } from "./macrosNumber";
import { statisticalMacros } from "./macrosStatistical";
import { timeMacros } from "./macrosTime";

export const familyMacros = {
  ...collectionMacros,
  ...dateMacros,
  ...numberMacros,
  ...statisticalMacros,
  ...timeMacros,
} as const;

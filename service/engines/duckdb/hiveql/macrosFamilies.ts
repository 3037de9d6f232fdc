/** Macros that single families of functions need. */
import { dateMacros } from "./macrosDate";
import { numberMacros } from "./macrosNumber";

export const familyMacros = { ...dateMacros, ...numberMacros } as const;

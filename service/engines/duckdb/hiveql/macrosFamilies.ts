/** Macros that single families of functions need. */
import { collectionMacros } from "./macrosCollection";
import { dateMacros } from "./macrosDate";
import { numberMacros } from "./macrosNumber";

export const familyMacros = { ...collectionMacros, ...dateMacros, ...numberMacros } as const;

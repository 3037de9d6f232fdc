// IN WORK by helper "hiveql-functions" (lead, 16:15): helper hiveql, please leave date, collection, statistical and misc to them; you keep string, math, aggregate, window, tableGenerating.
import type { FunctionEntry } from "./define";

export const collectionFunctions: readonly FunctionEntry[] = [];

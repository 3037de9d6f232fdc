import type { FunctionEntry } from "./define";

export const mathFunctions: readonly FunctionEntry[] = [];

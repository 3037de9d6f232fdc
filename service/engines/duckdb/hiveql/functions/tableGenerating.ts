import type { FunctionEntry } from "./define";

export const tableFunctions: readonly FunctionEntry[] = [];

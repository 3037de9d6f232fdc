import type { FunctionEntry } from "./define";

export const stringFunctions: readonly FunctionEntry[] = [];

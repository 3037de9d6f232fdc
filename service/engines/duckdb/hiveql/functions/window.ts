import type { FunctionEntry } from "./define";

export const windowFunctions: readonly FunctionEntry[] = [];

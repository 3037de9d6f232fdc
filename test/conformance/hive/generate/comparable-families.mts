/** The families that occur together in comparisons, lists and branches; frequent ones are listed more than once. */
import type { Family } from "./tables.mts";

/** Groups of families that Hive compares with each other or converts to a common type. */
export const comparableFamilies: readonly (readonly Family[])[] = [
  ["integer", "bigint", "decimal", "double", "integer", "decimal"],
  ["integer", "bigint", "decimal", "double", "text"],
  ["text"],
  ["date", "timestamp"],
  ["date", "timestamp", "text"],
  ["boolean"],
  ["binary"],
  ["interval"],
];

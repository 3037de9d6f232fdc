/** Which families stand beside each other in comparisons, lists and branches, the likelier ones more than once. */
import type { Family } from "./tables.mts";

/** Families that Hive compares with each other, or gives one type. */
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

/** The table of all functions, by family and by name. */
import { aggregateFunctions, groupingFunctions } from "./aggregate";
import { approximatingFunctions } from "./approximation";
import { collectionFunctions } from "./collection";
import { conditionalFunctions } from "./conditional";
import { dateFunctions } from "./time/date";
import type { FunctionEntry } from "./define";
import { encodingFunctions } from "./text/encoding";
import { mathFunctions } from "./math";
import { miscFunctions } from "./misc";
import { printfFunctions } from "./text/printf";
import { regexFunctions } from "./text/regex";
import { searchFunctions } from "./text/search";
import { statisticalFunctions } from "./statistical";
import { stringFunctions } from "./text/string";
import { identityFunctions, tableFunctions } from "./table-generating";
import { windowFunctions } from "./window";

/** Function families, in the order of the documentation. */
export const families: Readonly<Record<string, readonly FunctionEntry[]>> = {
  "String functions": [
    ...stringFunctions,
    ...searchFunctions,
    ...regexFunctions,
    ...printfFunctions,
    ...encodingFunctions,
  ],
  "Mathematical functions": mathFunctions,
  "Date and time functions": dateFunctions,
  "Conditional functions": conditionalFunctions,
  "Array, map and struct functions": collectionFunctions,
  "Aggregate functions": [...aggregateFunctions, ...groupingFunctions],
  "Statistical aggregates": [...statisticalFunctions, ...approximatingFunctions],
  "Window functions": windowFunctions,
  "Table-generating functions": [...tableFunctions, ...identityFunctions],
  "Other functions": miscFunctions,
};

const byName = new Map<string, FunctionEntry[]>();
for (const entry of Object.values(families).flat()) {
  for (const name of entry.names) byName.set(name, [...(byName.get(name) ?? []), entry]);
}

/** Returns the functions with a name; functions of different kinds can share one. */
export function functionsNamed(name: string): readonly FunctionEntry[] {
  return byName.get(name) ?? [];
}

/** All function names, for suggestions in error messages. */
export const functionNames: readonly string[] = [...byName.keys()];

/** Every function, by family and by name. */
import { aggregateFunctions } from "./aggregate";
import { approximatingFunctions } from "./approximation";
import { collectionFunctions } from "./collection";
import { conditionalFunctions } from "./conditional";
import { dateFunctions } from "./date";
import type { FunctionEntry } from "./define";
import { encodingFunctions } from "./encoding";
import { lookupFunctions } from "./position";
import { maskingFunctions } from "./masking";
import { mathFunctions } from "./math";
import { miscFunctions } from "./misc";
import { ngramFunctions } from "./ngrams";
import { printingFunctions } from "./printing";
import { regexFunctions } from "./regex";
import { statisticalFunctions } from "./statistical";
import { stringFunctions } from "./string";
import { tableFunctions } from "./table-generating";
import { windowFunctions } from "./window";
import { xmlFunctions } from "./xml";

/** Families in the order of the documentation. */
export const families: Readonly<Record<string, readonly FunctionEntry[]>> = {
  Strings: [...stringFunctions, ...regexFunctions, ...printingFunctions, ...encodingFunctions],
  Numbers: mathFunctions,
  "Dates and times": dateFunctions,
  Conditions: conditionalFunctions,
  "Arrays, maps and structs": collectionFunctions,
  Aggregates: [...aggregateFunctions, ...ngramFunctions],
  Statistics: [...statisticalFunctions, ...approximatingFunctions],
  Windows: windowFunctions,
  Tables: tableFunctions,
  Places: lookupFunctions,
  Masks: maskingFunctions,
  XML: xmlFunctions,
  Others: miscFunctions,
};

const byName = new Map<string, FunctionEntry[]>();
for (const entry of Object.values(families).flat()) {
  for (const name of entry.names) byName.set(name, [...(byName.get(name) ?? []), entry]);
}

/** The functions of a name: of one row, of a group and of a window may share it. */
export function functionsNamed(name: string): readonly FunctionEntry[] {
  return byName.get(name) ?? [];
}

/** Every name, for hints. */
export const functionNames: readonly string[] = [...byName.keys()];

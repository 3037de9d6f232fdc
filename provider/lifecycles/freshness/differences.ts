/** The differences that make a resource stale although its inputs in the program are the same. */
import * as z from "zod";
import type { DiffResult } from "../lifecycle";
import { withDifference } from "../schema/diff";
import { optional } from "../schema/properties";
import { remadeTables, tableNameIn, type ReadTables } from "./program-tables";

/** Hidden inputs that the check adds. */
export const freshnessInputs = {
  tables: optional(z.record(z.string(), z.string()), {
    hidden: true,
    description: "Generations of the tables of the program that the query reads.",
  }),
  __generation: optional(z.string(), {
    hidden: true,
    description: "A text that is different each time the resource is created.",
  }),
};

interface FreshnessState {
  readonly inputsChanged?: readonly string[] | undefined;
  readonly unmetExpectation?: string | undefined;
}

/** Adds the differences of tables that were made anew, of changed input objects and of an unmet expectation. */
export function withFreshnessDifferences(
  diff: DiffResult,
  old: { readonly inputs: { readonly tables?: ReadTables | undefined }; readonly state?: FreshnessState | undefined },
  news: {
    readonly tables?: ReadTables | undefined;
    readonly rerunWithTables?: unknown;
    readonly rerunOnInputChange?: unknown;
  },
): DiffResult {
  let found = diff;
  const remade = news.rerunWithTables === false ? [] : remadeTables(old.inputs.tables, news.tables);
  for (const key of remade) {
    const name = tableNameIn(key);
    const reason = `${name === undefined ? "a table that it reads" : `the table ${name}`} was made anew`;
    found = withDifference(found, `tables["${key}"]`, true, reason);
  }
  const { inputsChanged, unmetExpectation } = old.state ?? {};
  if (news.rerunOnInputChange !== false && inputsChanged !== undefined) {
    found = withDifference(found, "inputsChanged", true, `its input objects changed: ${inputsChanged.join(", ")}`);
  }
  if (unmetExpectation !== undefined) {
    found = withDifference(found, "unmetExpectation", true, `its last result was not as expected`);
  }
  return found;
}

/** The differences that make a resource stale although its inputs in the program are the same. */
import * as z from "zod";
import type { DiffResult } from "../lifecycle";
import { withDifference } from "../schema/diff";
import { optional } from "../schema/properties";
import { rebuiltTables } from "./generations";
import type { ProgramTables } from "./program-tables";

/** Hidden inputs that the check adds. */
export const freshnessInputs = {
  tables: optional(z.array(z.string()).readonly(), {
    hidden: true,
    description: "Generations of the tables of the program that the query reads, in the order of the statement.",
  }),
  generation: optional(z.string(), {
    hidden: true,
    description: "A text that is different each time the resource is created.",
  }),
};

interface TablesRead {
  readonly tables?: readonly string[] | undefined;
}

interface FreshnessState {
  readonly inputsChanged?: readonly string[] | undefined;
  readonly unmetExpectation?: string | undefined;
}

/**
 * Adds the differences of tables that were rebuilt, of changed input objects and of an unmet expectation.
 * @param nameOf returns the name of the table at a position.
 */
export function withFreshnessDifferences(
  diff: DiffResult,
  old: { readonly inputs: TablesRead; readonly state?: FreshnessState | undefined },
  news: TablesRead & {
    readonly rerunWithTables?: unknown;
    readonly rerunOnInputChange?: unknown;
  },
  nameOf: (index: number) => string,
): DiffResult {
  let found = diff;
  // Other tables of another statement: it runs again anyway.
  const isOther = diff.replaces.includes("query") || diff.replaces.includes("inputObjectKeys");
  const rebuilt = isOther || news.rerunWithTables === false ? [] : rebuiltTables(old.inputs.tables, news.tables);
  const names = rebuilt.map(nameOf);
  for (const name of names) {
    found = withDifference(found, "tables", true, tableRebuilt(name), `tables["${name}"]`);
  }
  const { inputsChanged, unmetExpectation } = old.state ?? {};
  if (news.rerunOnInputChange !== false && inputsChanged !== undefined) {
    found = withDifference(found, "inputsChanged", true, `its input objects changed: ${inputsChanged.join(", ")}`);
  }
  if (unmetExpectation !== undefined) {
    found = withDifference(found, "unmetExpectation", true, `its last result was not as expected`);
  }
  return { ...found, rebuilt: names };
}

/** Returns the reason for which a query that reads a table runs again. */
export const tableRebuilt = (name: string) => `the table ${name} was rebuilt`;

/** Completes the reason where a new resource makes the table: it may have adopted it, so that nothing was rebuilt. */
const orOfAnother = ", or is that of another resource than before, such as after a rename without an alias";

/** Returns the reasons of a difference, which are others for the tables that new resources of the run make or adopt. */
export function reasonsWithNew(diff: DiffResult, tables: ProgramTables): readonly string[] {
  const { reasons, rebuilt = [] } = diff;
  const reasonOf = (name: string) => {
    if (tables.isToBeAdopted(name)) return `the table ${name} is adopted by a new resource`;
    return tables.isOfNew(name) ? `${tableRebuilt(name)}${orOfAnother}` : tableRebuilt(name);
  };
  const others = new Map(rebuilt.map((name) => [tableRebuilt(name), reasonOf(name)]));
  return reasons.map((reason) => others.get(reason) ?? reason);
}

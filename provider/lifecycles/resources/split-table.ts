/** SplitTable: splits large input objects into a table of objects of at most 100 MB. */
import type { Lifecycle } from "../lifecycle";
import { queryOperations } from "../queries/query-lifecycle";
import { checkSplitTable, diffSplitTable } from "./split-table-check";
import { split } from "./split-table-kind";
import { namesOf } from "./split-table-names";
import { preflightSplitTable } from "./split-table-preflight";
import { inputs, outputs, type SplitTableInputs, type SplitTableState } from "./split-table-properties";

export type { SplitTableInputs, SplitTableState } from "./split-table-properties";

/**
 * Creates a table from input objects. A changed input creates a new table. The old table is deleted only with
 * deletionPolicy `purge`.
 */
export const splitTable: Lifecycle<SplitTableInputs, SplitTableState> = {
  name: "SplitTable",
  description:
    "Splits input objects into objects of at most 100 MB and writes them as a table, which makes repeated queries on the " +
    "same large input faster. The resource is created when the table is complete.",
  properties: { inputs, outputs },

  check: checkSplitTable,

  preflight: preflightSplitTable,

  diff: diffSplitTable,

  outputsFromInputs: (given) => (given.outputTable === undefined ? {} : namesOf(given)),

  ...queryOperations(split),
};

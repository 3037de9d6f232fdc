/** The inputs of a SplitTable. */
import type { SplitTableInputs } from "../../../../../provider/lifecycles/resources/split-table";

export const inputs: SplitTableInputs = {
  clusterName: "demo",
  inputObjectKeys: ["dag://landing/birds.csv"],
  outputDatabase: "wildlife",
  outputTable: "birds",
};

/** A service with a table of numbers, and a statement over it that does not end by itself. */
import type { TestService } from "../../../service/testing";
import { startService } from "./harness";

export const endless = "SELECT count(*) AS c FROM data.numbers a CROSS JOIN data.numbers b CROSS JOIN data.numbers c";

/**
 * Starts a service whose table `data.numbers` has the column `n` from 0 up to `count`, with buckets for results, logs
 * and tables.
 */
export function startServiceOfNumbers(count: number): Promise<TestService> {
  return startService({
    objects: {
      "dag://data/numbers/n.csv": Array.from({ length: count }, (_, n) => `${n}\n`).join(""),
      "dag://landing/birds.csv": "owl,1\n",
    },
    buckets: ["results", "logs", "wildlife"],
    tables: [{ database: "data", table: "numbers", format: "csv", schema: "bigint n" }],
  });
}

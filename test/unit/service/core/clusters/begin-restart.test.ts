import { expect, test } from "vitest";
import type { Cluster } from "../../../../../service/core/clusters/cluster";
import { beginRestart } from "../../../../../service/core/clusters/cluster-operations";

// Schedule 6115210 of the simulation: PostgreSQL's answer was lost, and the rejection that nobody handled ended the service.
test("a restart that the cluster knows already: a cancel that fails is not an error that nobody handles", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  const cancelled = Promise.reject(new Error("PostgreSQL is not available"));
  const known = { exporting: undefined, restart: () => undefined } as unknown as Cluster;
  beginRestart(known, { type: "duckdb", debug: false, generation: 1 }, cancelled);
  await expect(cancelled).rejects.toThrow("PostgreSQL");
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

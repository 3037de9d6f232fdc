/** What every adapter of the state does. */
import { describe } from "vitest";
import { admissionSuite } from "./admission-suite";
import { lineageRunsSuite } from "./lineage-runs-suite";
import { lifecycleSuite } from "./lifecycle-suite";
import { jobsToEndSuite } from "./jobs-to-end-suite";
import { queriesSuite } from "./queries-suite";
import { readsSuite } from "./reads-suite";
import type { StateStore } from "./state-store";

/** Runs the suites with a store for each test. */
export function stateSuite(create: () => Promise<StateStore>): void {
  describe("admission", () => void admissionSuite(create));
  describe("lifecycle", () => void lifecycleSuite(create));
  describe("jobs to end", () => void jobsToEndSuite(create));
  describe("lineage runs", () => void lineageRunsSuite(create));
  describe("reads", () => void readsSuite(create));
  describe("queries", () => void queriesSuite(create));
}

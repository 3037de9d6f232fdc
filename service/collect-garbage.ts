/** Gives memory back that is only needed to start. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Collects garbage now, repeatedly until hardly any is found: a process that then waits for work would keep what loading
 * took.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--no-expose-gc");
}

/** The run of which the queries of this process are parts, for lineage: the update of a stack. */
import { randomUUID } from "node:crypto";
import type { ParentRun } from "../../../contract";

/** One process serves one update. */
const runId = randomUUID();

/** Returns the update of the stack of a resource; undefined when its URN names none. */
export function parentRunOf(urn: string): ParentRun | undefined {
  const [, stack, project] = /^urn:pulumi:([^:]+)::([^:]+)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined
    ? undefined
    : { namespace: "pulumi", name: `${project}/${stack}`, runId };
}

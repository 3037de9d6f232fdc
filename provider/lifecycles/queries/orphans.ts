/** Queries that an interrupted run has left behind, and that its state does not know. */
import { formatLocation, overlaps } from "../../../contract";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import type { Snapshot } from "../clusters/cluster-coordinator";
import { linkLine } from "./console-link";
import { recordIfKept } from "./query-resource";
import { folderOf, outputOf } from "./results";
import { isOfResource } from "./submission-token";

/**
 * Warns of queries that an interrupted run of this resource has left behind, and that write to another folder than this
 * one is to write to. They are not cancelled: in rare cases the tokens of two resources begin alike.
 */
export async function warnOfOrphans(
  folder: string,
  { running }: Snapshot,
  relinquished: ReadonlySet<number>,
  context: LifecycleContext,
): Promise<void> {
  for (const [label, id] of running) {
    if (!isOfResource(label, context.urn) || relinquished.has(id)) continue;
    const record = await recordIfKept(id, {}, context);
    if (record?.status !== "running" || overlaps(outputOf(record), folderOf(folder))) continue;
    const output = redacted(formatLocation(outputOf(record)), context);
    context.warn(
      `query ${id}, which an interrupted run of this resource has left behind, still runs and writes to ${output}: cancel ` +
        `it if nobody needs its result${linkLine(id, context)}`,
    );
  }
}

/** Finds results of the program that a query is to read and that somebody else has overwritten or deleted. */
import { describeError } from "../describe-error";
import type { PreflightContext } from "../lifecycle";
import { tableRemedy } from "./published-objects";
import { whoChanged } from "./purge";
import { isTable, nameOf } from "./resource-name";
import { listObjects } from "./results";
import { readStatement } from "./statement";

/**
 * Warns when a query reads a folder that a resource of the program writes, and whose objects are others now, or gone: another
 * stack or person has changed them, and the resource is not made again in this run.
 */
export async function warnOfOthersResults(query: string, context: PreflightContext): Promise<void> {
  const { storage, client, keptResults, programTables, secret, warn } = context;
  if (!storage || !client || !keptResults || secret) return;
  const read = new Set(readStatement(query).tables.flatMap((table) => keptResults.get(table) ?? []));
  for (const kept of read) {
    const { folder, urn } = kept;
    // A refresh has compared the resource that had it, which may have another name than the one that has written it now.
    if (programTables?.isHeld(folder)) continue;
    try {
      const found = await listObjects(storage, folder);
      if (found.etag === kept.objects.etag) continue;
      const writer = nameOf(urn);
      if (found.objects.length === 0) {
        warn(
          `it reads ${folder}, whose objects were deleted. Run "pulumi up --refresh", so that ${writer} makes them again`,
        );
        continue;
      }
      const reason = await whoChanged(kept.queryId, folder, { client }, [kept.objects, found]);
      const remedy = isTable(urn)
        ? `For ${writer}: ${await tableRemedy(kept, { client, secret })}`
        : `Change "triggers" of ${writer} to write them again, or give one of the two stacks another folder`;
      warn(`it reads ${folder}, where other objects are now than ${writer} has written: ${reason}. ${remedy}`);
    } catch (error) {
      warn(
        `cannot see whether the objects in ${folder} are still those that ${nameOf(urn)} has written: ${describeError(error)}`,
      );
    }
  }
}

/** Finds results of the program that a query is to read and that somebody else has overwritten. */
import type { Storage } from "../../../storage";
import type { Client } from "../../client";
import { describeError } from "../describe-error";
import type { KeptResult } from "../freshness/kept-results";
import type { PreflightContext } from "../lifecycle";
import { tableRemedy } from "./published-objects";
import { whoChanged } from "./purge";
import { isTable, nameOf } from "./resource-name";
import { listObjects } from "./results";
import { readStatement } from "./statement";

/**
 * Warns when a query reads a folder that a resource of the program writes, and whose objects are others now: another stack
 * or person has written there, and the resource is not made again in this run.
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
      const reason = await whyOthers(kept, storage, client);
      if (reason === undefined) continue;
      const writer = nameOf(urn);
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

async function whyOthers(
  { folder, objects, queryId }: KeptResult,
  storage: Storage,
  client: Client,
): Promise<string | undefined> {
  const found = await listObjects(storage, folder);
  if (found.etag === objects.etag) return undefined;
  return found.objects.length === 0 ? "they were deleted" : whoChanged(queryId, folder, { client }, [objects, found]);
}

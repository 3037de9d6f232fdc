/** Finds the queries that ended through the fate of another one. */
import type { Damage } from "./faults.mts";
import type { Ledger } from "./load.mts";
import { call, type Query, type Service } from "./service.mts";

/** The queries whose end has been looked at. */
export type Seen = Set<number>;

/** Words of the reasons of a query that found the disk full. */
const diskReason = /full|space|disk/i;

/**
 * Looks at the queries that ended since the last call: each ended by itself, by a cancellation or a restart that was
 * requested, or by what happened to its own process.
 */
export async function findCollateral(
  service: Service,
  queries: readonly Query[],
  ledger: Ledger,
  damage: Damage,
  seen: Seen,
): Promise<string[]> {
  const found: string[] = [];
  for (const { id, label, status } of queries) {
    if (status === "running" || seen.has(id)) continue;
    seen.add(id);
    if (status === "canceled" && !ledger.cancelRequested.has(id) && ledger.forcedRestarts === 0) {
      found.push(`query ${id} (${label}) was cancelled, and nobody asked for it`);
    }
    if (status !== "error" || label.endsWith("-hog") || damage.victims.has(id)) continue;
    const reason = await reasonOf(service, id);
    if (damage.diskWasFull && (reason === undefined || diskReason.test(reason))) continue;
    found.push(`query ${id} (${label}) ended as error: ${reason ?? "its log is gone"}`);
  }
  if (!damage.diskWasFull) found.push(...ledger.failures);
  ledger.failures = [];
  ledger.forcedRestarts = 0;
  return found;
}

/** Returns the reason of a failed query; undefined when a restart of the cluster has deleted its log. */
async function reasonOf(service: Service, id: number): Promise<string | undefined> {
  const answer = await call(service, "GET", `/v1/${id}/log?query`);
  const log = typeof answer?.body.log === "string" ? answer.body.log : undefined;
  return log && (/failed: .*/.exec(log)?.[0] ?? log.slice(-200));
}

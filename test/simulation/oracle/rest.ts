/** Checks of what is left when nothing happens any more. */
import { bucketsFolder } from "../actors/storage";
import { world } from "../world/world";
import type { KnownQueries } from "./queries";

/** Checks what holds when nothing happens any more. @param hasRestarted true when the service was started again since */
export function requireRest(queries: KnownQueries, hasRestarted: boolean): void {
  for (const known of queries.all.values()) {
    const status = queries.status(known.id);
    if (known.isForgotten) continue;
    if (status === undefined) world().violate("accepted is never lost", `query ${known.id} has no record`);
    else if (status === "running") world().violate("every operation ends", `query ${known.id} still runs`);
    else if (status !== known.status)
      world().violate("a query ends once", `query ${known.id} is ${status}, and ended as ${known.status}`);
  }
  for (const path of world().files.below(bucketsFolder)) {
    const [, , , key = ""] = /^\/([^/]+)\/([^/]+)\/(.*)$/.exec(path) ?? [];
    // The next start puts an earlier result back that a failed rename has left.
    const hasFailed = world().coverage.has("fault: a rename fails");
    if (!hasRestarted && hasFailed && /^tmp\/\d+\.old\//.test(key)) continue;
    if (key.startsWith("tmp/") || key === "tmp_$folder$") {
      world().violate("nothing temporary is left", `${path} is left`);
    }
  }
}

/** Checks that a list has each query once, in order, with its status. */
export function requireList(
  queries: KnownQueries,
  list: readonly { readonly id: number; readonly status: string }[],
  isAscending: boolean,
): void {
  const kept = [...queries.all.values()].filter(({ isForgotten }) => !isForgotten).map(({ id }) => id);
  const ids = kept.sort((a, b) => (isAscending ? a - b : b - a));
  const found = list.map(({ id }) => id);
  if (String(ids) !== String(found)) world().violate("lists are exact", `the queries ${ids} are listed as ${found}`);
  for (const { id, status } of list) {
    const known = queries.all.get(id)!;
    if (known.status !== status)
      world().violate("lists are exact", `query ${id} is ${known.status}, and listed as ${status}`);
  }
}

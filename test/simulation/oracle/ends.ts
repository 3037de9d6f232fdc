/** Checks of ends: a query ends once, a finished one has its result, and another one leaves what was there. */
import { partsIn, whyNotWhole } from "../actors/content";
import { world } from "../world/world";
import { pathOf, shown, type Known, type KnownQueries } from "./queries";

export class Ends {
  constructor(private readonly queries: KnownQueries) {}

  /** The end of a query was stored just now. */
  ended(id: number, status: string, isRecorded: boolean): void {
    const known = this.queries.all.get(id);
    world().tell(`query ${id} ends as ${status}`);
    if (known === undefined)
      return world().violate("accepted is never lost", `query ${id} ends and was never accepted`);
    if (known.status !== "running") {
      world().violate("a query ends once", `query ${id} ends as ${status}, and was ${known.status}`);
    }
    known.status = status;
    if (known.isCancelAnswered && status !== "canceled") {
      world().violate(
        "a cancelled query is never published",
        `query ${id} ends as ${status}, and its cancel was answered`,
      );
    }
    if (status === "error" && known.label === null && !this.queries.isHit(id)) {
      world().violate("an accepted query survives", `query ${id} ends as error, and nothing has hit it`);
    }
    if (known.isCancelled && status === "finished") {
      world().violate("a cancelled query is never published", `query ${id} ends as finished, and was cancelled`);
    }
    if (status !== "finished") {
      this.#requireEarlierResult(known);
      if (known.published.length > 0) {
        world().violate(
          "a failed or cancelled query leaves the old output",
          `query ${id} ends as ${status}, and its result was published`,
        );
      }
      return;
    }
    const why = whyNotWhole(partsIn(pathOf(known.folder)), id);
    if (why !== undefined)
      world().violate("a result is whole", `query ${id} is finished, but in ${shown(known.folder)} ${why}`);
    if (!isRecorded) world().violate("a result is recorded", `query ${id} is finished and not recorded`);
  }

  /** A folder has what its last query has published, also when a later one failed to. */
  #requireEarlierResult({ id, folder }: Known): void {
    const earlier = this.queries.publishers.get(pathOf(folder));
    // Others delete the results of deployments.
    if (earlier === undefined || earlier.id === id || earlier.status !== "finished" || earlier.label !== null) return;
    // When the rename that puts it back fails too, the next start puts it back.
    if ((world().coverage.get("fault: a rename fails") ?? 0) > 1) return;
    const why = whyNotWhole(partsIn(pathOf(folder)), earlier.id);
    if (why !== undefined)
      world().violate(
        "a failed or cancelled query leaves the old output",
        `query ${id} has failed, and of query ${earlier.id} in ${shown(folder)} ${why}`,
      );
  }

  /** A process has decided that a query ends as cancelled. */
  cancelled(id: number): void {
    const known = this.queries.all.get(id);
    if (known) known.isCancelled = true;
  }

  /** The only process of the service has ended. */
  processEnded(): void {
    for (const known of this.queries.all.values()) known.isCancelled = false;
  }

  /** The cancel of a query was answered with success. */
  cancelAnswered(id: number): void {
    const known = this.queries.all.get(id);
    if (known === undefined) return;
    known.isCancelAnswered = true;
    const status = this.queries.status(id);
    if (status !== "canceled" && status !== undefined) {
      world().violate(
        "a cancelled query is never published",
        `the cancel of query ${id} is answered, and it is ${status}`,
      );
    }
  }

  /** The power failed: what was published and not flushed may be away again, unless its query was finished. */
  powerFailed(): void {
    for (const { id, folder, status, label } of this.queries.publishers.values()) {
      // Others delete the results of deployments.
      if (status !== "finished" || label !== null) continue;
      const why = whyNotWhole(partsIn(pathOf(folder)), id);
      if (why !== undefined)
        world().violate(
          "a finished result is on the disk",
          `query ${id} was finished when the power failed, and in ${shown(folder)} ${why}`,
        );
    }
    for (const known of this.queries.all.values()) {
      if (known.status === "running") known.published.length = 0;
    }
  }
}

/** Checks of acceptances: IDs, slots and folders are exclusive, and no deployment submits a query twice. */
import { overlaps } from "../../../contract";
import { outputFolder } from "../../../service/core/queries/output-folder";
import type { AcceptedQuery, StoredQuery } from "../../../service/core/ports/state";
import { world } from "../world/world";
import { describe, folderOfRow, shown, type Known, type KnownQueries } from "./queries";

export class Acceptances {
  constructor(private readonly queries: KnownQueries) {}

  /** A query was accepted just now. */
  accepted(query: AcceptedQuery & Pick<StoredQuery, "id">, slots: number, caller: string): void {
    const { id, label, clusterName } = query;
    const folder = outputFolder(query);
    const known: Known = {
      id,
      folder,
      label,
      caller,
      status: "running",
      isForgotten: false,
      isCancelAnswered: false,
      isCancelled: false,
      published: [],
    };
    if (this.queries.all.has(id)) world().violate("no query ID is given twice", `query ${id} was accepted before`);
    this.queries.all.set(id, known);
    world().tell(`accepts query ${id} of ${caller}, ${describe(query)}`);
    const all = this.queries.records.running();
    const running = all.filter((row) => row.cluster_name === clusterName);
    if (running.length > slots) {
      world().violate("slots are exclusive", `cluster ${clusterName} runs ${running.length} queries in ${slots} slots`);
    }
    for (const row of all) {
      if (row.id === id) continue;
      const other = folderOfRow(row);
      if (overlaps(other, folder)) {
        world().violate(
          "folders are exclusive",
          `queries ${row.id} and ${id} write to ${shown(other)} and ${shown(folder)}`,
        );
      }
    }
    this.#requireOnce(known);
  }

  /** A deployment never has two queries of one resource run, and never submits one twice. */
  #requireOnce({ id, label, caller }: Known): void {
    if (label === null || !label.startsWith("urn:")) return;
    const resource = label.slice(0, label.lastIndexOf("#"));
    for (const other of this.queries.all.values()) {
      if (other.id === id || other.label?.startsWith(`${resource}#`) !== true) continue;
      const status = this.queries.status(other.id);
      if (status === "running") {
        world().violate(
          "one query of a resource runs",
          `queries ${other.id} and ${id} of ${resource} run at the same time`,
        );
      }
      if (other.label === label && other.caller === caller && status === "finished") {
        world().violate(
          "no query is submitted twice",
          `queries ${other.id} and ${id} of ${resource} are of one run, and ${other.id} is finished`,
        );
      }
    }
  }
}

/** The clusters in the state file: their settings, and which queries are older than their last restart. */
import type { ClusterSettings } from "../../core/ports/state";
import type { SqliteDatabase } from "./database";
import type { ClusterRange } from "./query-pages";

export class ClusterRecords {
  /** The greatest query ID before the last restart, for every cluster that ever existed. */
  readonly #rebootedTo: Map<string, number>;

  constructor(private readonly database: Pick<SqliteDatabase, "sql" | "write" | "writeUrgently">) {
    const rows = database.sql("SELECT name, rebooted_to AS rebootedTo FROM clusters").all();
    this.#rebootedTo = new Map(rows.map((row) => [row["name"] as string, row["rebootedTo"] as number]));
  }

  names(): string[] {
    return [...this.#rebootedTo.keys()];
  }

  ranges(): ClusterRange[] {
    return Array.from(this.#rebootedTo, ([name, rebootedTo]) => ({ name, rebootedTo }));
  }

  /** Returns true when a query is older than the last restart of its cluster. */
  isRebooted(cluster: string, id: number): boolean {
    return id <= (this.#rebootedTo.get(cluster) ?? 0);
  }

  /** Stores a cluster of the config. Returns its settings after its last restart, unless the config has changed since. */
  register(name: string, { type, debug }: ClusterSettings): ClusterSettings {
    const text = JSON.stringify({ type, debug });
    const known = this.database.sql("SELECT type, debug, configured FROM clusters WHERE name = ?").get(name) as
      | { type: string; debug: number; configured: string }
      | undefined;
    if (known?.configured === text) return { type: known.type, debug: known.debug !== 0 };
    const store = this.database.sql(
      `INSERT INTO clusters (name, type, debug, configured) VALUES (?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET type = excluded.type, debug = excluded.debug, configured = excluded.configured`,
    );
    this.database.write(() => store.run(name, type, Number(debug), text));
    if (known === undefined) this.#rebootedTo.set(name, 0);
    return { type, debug };
  }

  /** Stores a restart: all queries until now are older. */
  restart(name: string, { type, debug }: ClusterSettings): void {
    const { last } = this.database.sql("SELECT coalesce(max(id), 0) AS last FROM queries").get() as { last: number };
    const store = this.database.sql("UPDATE clusters SET type = ?, debug = ?, rebooted_to = ? WHERE name = ?");
    this.database.writeUrgently(() => store.run(type, Number(debug), last, name));
    this.#rebootedTo.set(name, last);
  }

  /** Forgets all restarts. Called in a transaction. */
  reset(): void {
    this.database.sql("UPDATE clusters SET rebooted_to = 0").run();
    for (const name of this.#rebootedTo.keys()) this.#rebootedTo.set(name, 0);
  }
}

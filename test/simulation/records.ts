/** The stored queries, as the oracle reads them. */
import { postgres } from "./actors/postgres";
import { DatabaseSync } from "./shims/sqlite";

/** The file of the service's state. */
export const stateFile = "/data/state.sqlite";

export interface QueryRow {
  readonly id: number;
  readonly type: "select" | "split";
  readonly status: string;
  readonly cluster_name: string;
  readonly request: string;
  readonly epoch: number;
  readonly publishing: number;
  readonly published_epoch: number;
}

export interface Records {
  running(): QueryRow[];
  get(id: number): QueryRow | undefined;
}

export class SqliteRecords implements Records {
  #database: DatabaseSync | undefined;

  #rows(where: string, ...values: number[]): QueryRow[] {
    this.#database ??= new DatabaseSync(stateFile);
    const columns = "id, type, status, cluster_name, request, epoch, publishing, published_epoch";
    return this.#database
      .prepare(`SELECT ${columns} FROM queries WHERE ${where}`)
      .all(...values) as unknown as QueryRow[];
  }

  running(): QueryRow[] {
    return this.#rows("status = 'running'");
  }

  get(id: number): QueryRow | undefined {
    return this.#rows("id = ?", id)[0];
  }
}

/** What was committed: the tables may have more, which nobody is told yet. */
export class PostgresRecords implements Records {
  running(): QueryRow[] {
    return [...postgres().queries.values()].filter(({ status }) => status === "running");
  }

  get(id: number): QueryRow | undefined {
    return postgres().queries.get(id);
  }
}

/** The service processes that use the database: until when each is alive, and what each says of its config. */
import { randomUUID } from "node:crypto";
import { errors } from "../../../contract";
import type { Database, Transaction } from "./connection";

/** Milliseconds for which a lease holds after its renewal: longer than an answer of `confirm`, as clocks' rates differ. */
export const leaseMilliseconds = 10_000;

/** SQL: the time until which a lease, or a hold, that begins now holds. */
export const leaseEnd = `now() + ${leaseMilliseconds} * interval '1 millisecond'`;

/** SQL: the condition that a process is alive, for a row `p` of the table `processes`. */
export const isAlive = "p.lease_until > now()";

/** SQL: the condition that a process `p` is alive, or may be about to start again. */
export const isExpected = "p.lease_until > now() - interval '10 minutes'";

/** What other processes know of the config of this one. */
export interface ProcessConfig {
  /** The fields that all processes share, as hashes. */
  readonly shared: Readonly<Record<string, string>>;
  /** Names of its clusters. */
  readonly clusters: readonly string[];
}

/** Another process that is alive. */
export interface OtherProcess {
  readonly name: string;
  /** As {@link ProcessConfig.shared}. */
  readonly config: Readonly<Record<string, string>>;
}

export class ProcessRegistry {
  /** Identifies this process. */
  readonly id = randomUUID();

  /** @param name of the process on its machine, which no two running processes share */
  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly config: ProcessConfig | undefined,
  ) {}

  /** Names of the clusters of this process; undefined when it runs the queries of every cluster. */
  get clusters(): readonly string[] | undefined {
    return this.config?.clusters;
  }

  /** Registers this process. An earlier process of its name has ended; those that ended long ago are forgotten. */
  async register(): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.run(`DELETE FROM dag.processes AS p WHERE place = $1 OR NOT ${isExpected}`, [this.name]);
      await this.renew(transaction);
    });
  }

  /** Renews the lease of this process. */
  async renew(database: Transaction): Promise<void> {
    await database.run(
      `INSERT INTO dag.processes (id, place, lease_until, config, clusters) VALUES ($1, $2, ${leaseEnd}, $3, $4)
       ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
      [this.id, this.name, this.config && JSON.stringify(this.config.shared), this.config?.clusters],
    );
  }

  /** Returns the other processes that are alive. Those of older versions are left out. */
  async others(): Promise<OtherProcess[]> {
    return await this.database.run<OtherProcess & object>(
      `SELECT place AS name, config FROM dag.processes AS p
       WHERE id <> $1 AND config IS NOT NULL AND ${isAlive} ORDER BY place`,
      [this.id],
    );
  }

  /** Ends the lease of this process: others may take over at once what it ran. They still know which clusters it had. */
  async remove(): Promise<void> {
    const end = async (transaction: Transaction) => {
      await transaction.run("DELETE FROM dag.reservations WHERE process = $1", [this.id]);
      await transaction.run("UPDATE dag.processes SET lease_until = now() WHERE id = $1", [this.id]);
    };
    await this.database.transaction(end).catch((error: unknown) => {
      // Without the database, the lease expires.
      if (!(error instanceof errors.ServiceUnavailable)) throw error;
    });
  }
}

/** A PostgreSQL server for the tests of a file, with an empty database for each test. */
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { postgresPrograms, startPostgres, type PostgresServer } from "./postgres-server.mts";

export interface PostgresFixture {
  readonly server: PostgresServer;
  /** Of the test's database. */
  readonly url: string;
}

/** Reason for which tests are skipped; undefined where there is PostgreSQL. */
export const missingPostgres = postgresPrograms ? undefined : "PostgreSQL is not installed on this machine";
if (missingPostgres !== undefined) console.warn(`skipped: ${missingPostgres}`);

/** Starts the server before the tests of the current block. */
export function usePostgres(): PostgresFixture {
  let server: PostgresServer | undefined;
  let url = "";
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.delete());
  beforeEach(async () => {
    url = await server!.createDatabase();
  });
  return {
    get server() {
      return server!;
    },
    get url() {
      return url;
    },
  };
}

/**
 * Lets the leases of the processes that run queries expire, and the holds of these queries, as if ten seconds had passed.
 * For a process that was killed: one that lives takes its own time for what it still may do.
 */
export async function expireLeasesOfKilled(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`
    UPDATE dag.processes SET lease_until = now() - interval '1 s'
      WHERE id IN (SELECT runner FROM dag.queries WHERE status = 'running');
    UPDATE dag.queries SET held_until = NULL WHERE status = 'running';`);
  await client.end();
}

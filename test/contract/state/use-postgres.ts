/** A PostgreSQL server for the tests of a file, with an empty database for each test. */
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

/** What PostgreSQL has stored, and not answered. Found by the simulation. */
import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { PostgresAdmission } from "../../../../../service/state/postgres/admission";
import type { Database } from "../../../../../service/state/postgres/connection";
import { OwnAttempts } from "../../../../../service/state/postgres/own-attempts";
import type { ProcessRegistry } from "../../../../../service/state/postgres/process-registry";
import { Takeover } from "../../../../../service/state/postgres/takeover";

/** A database that answers what a test gives, and notes its statements. */
class ScriptedDatabase {
  readonly statements: string[] = [];
  /** True while answers are lost after the work. */
  isBroken = false;

  constructor(private readonly rowsOf: (sql: string) => readonly object[]) {}

  async run(sql: string): Promise<readonly object[]> {
    this.statements.push(sql);
    if (this.isBroken) throw new errors.ServiceUnavailable("the database does not answer");
    return Promise.resolve(this.rowsOf(sql));
  }

  async transaction<Result>(work: (transaction: this) => Promise<Result>): Promise<Result> {
    const result = await work(this);
    if (!this.isCommitLost) return result;
    this.isCommitLost = false;
    throw new errors.ServiceUnavailable("the database does not answer");
  }

  /** True when the answer to the next commit is lost. */
  isCommitLost = false;

  persistently<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  get database(): Database {
    return this as unknown as Database;
  }
}

const processes = { id: 3, clusters: null, renew: () => Promise.resolve() } as unknown as ProcessRegistry;

test("reserve: a reservation whose commit was not answered is released, after its transaction has ended", async () => {
  const scripted = new ScriptedDatabase((sql) => (sql.startsWith("INSERT INTO dag.reservations") ? [{ id: 7 }] : []));
  const { database } = scripted;
  const parts = { database, processes, attempts: new OwnAttempts(), signals: {} as never, now: () => 0 };
  scripted.isCommitLost = true;
  const reserved = new PostgresAdmission(parts).reserve({ bucket: "out", key: "x/" }, "a submission");
  await expect(reserved).rejects.toThrow(errors.ServiceUnavailable);
  await expect.poll(() => scripted.statements.at(-1)).toBe("DELETE FROM dag.reservations WHERE id = $1");
  expect(scripted.statements.at(-2)).toContain("pg_advisory_xact_lock");
});

test("export: one whose answer was lost is released, and the next one begins", async () => {
  let isLost = true;
  const scripted = new ScriptedDatabase((sql) => {
    if (!sql.includes("SET exporter = $2")) return [];
    if (isLost) throw new errors.ServiceUnavailable("the database does not answer");
    return [{ name: "spark" }];
  });
  const { database } = scripted;
  const parts = { database, processes, attempts: new OwnAttempts(), signals: {} as never, now: () => 0 };
  const admission = new PostgresAdmission(parts);
  await expect(admission.beginExport("spark")).rejects.toThrow(errors.ServiceUnavailable);
  isLost = false;
  await expect.poll(() => scripted.statements.at(-1)).toContain("SET exporter = NULL");
  const begun = await admission.beginExport("spark");
  expect(begun).toBeDefined();
  expect(await admission.beginExport("spark")).toBeUndefined();
  await begun?.release();
  expect(await admission.beginExport("spark")).toBeDefined();
});

test("takeover: queries that could not be read after it are unknown, so that the lease gives them away", async () => {
  const attempts = new OwnAttempts();
  const scripted = new ScriptedDatabase((sql) => {
    if (!sql.startsWith("UPDATE dag.queries SET runner")) return [];
    scripted.isBroken = true;
    return [{ id: 5, epoch: 2 }];
  });
  await expect(new Takeover(scripted.database, processes, attempts).run()).rejects.toThrow(errors.ServiceUnavailable);
  expect(attempts.all()).toEqual([]);
});

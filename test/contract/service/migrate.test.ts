/** `dag-service migrate` between SQLite and PostgreSQL. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { postgresPrograms, startPostgres, type PostgresServer } from "../state/postgres-server.mts";
import { call, ended, type Target } from "./caller";
import { quick } from "./fixture";
import { declared, kill, select, useServiceFolder } from "./service-process";

/** A statement that takes seconds, with one row as its result. */
const seconds = "select count(*) n from data.numbers a cross join data.numbers b where a.n % 97 = b.n % 89";

const folder = useServiceFolder();

if (!postgresPrograms) console.warn("skipped: PostgreSQL is not installed on this machine");

describe.skipIf(!postgresPrograms)("migrate", () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.delete());
  beforeEach(async () => {
    url = await server.createDatabase();
  });

  const start = () => folder.start(["--tables", declared], { DAG_SERVICE_STATE: url });
  const path = (name: string) => join(folder.path, ".dag", name);
  const running = async (service: Target, output: string, query: string): Promise<number> => {
    const answer = await select(service, { query, outputResourcePath: `dag://out/${output}` });
    expect(answer.text).toContain("queryId");
    return answer.json.queryId;
  };

  test("migrate: moves every query, table and restart to PostgreSQL and back, but not beside a running service", async () => {
    const sqlite = await folder.start(["--tables", declared]);
    folder.fill();
    const done = (await select(sqlite, { label: "kept \u0001 \u{1F989}" })).json.queryId;
    await ended(sqlite, done);
    const split = await call(sqlite, "POST", "/v1/?split", {
      body: {
        clusterName: "demo",
        inputObjectKeys: ["dag://raw/in.csv"],
        outputDatabase: "data",
        outputTable: "made",
        schema: "bigint id, string v",
      },
    });
    await ended(sqlite, split.json.queryId);
    const left = await running(sqlite, "left", seconds);
    const records = async (service: Target) =>
      (await call(service, "GET", "/v1/?query")).json.queries.filter(({ id }: { id: number }) => id !== left);
    const before = await records(sqlite);
    const file = path("state.sqlite");
    const migrate = async (from: string, to: string) => {
      const command = folder.run(["migrate", "--from", from, "--to", to]);
      return { code: await command.exit, stdout: command.stdout(), stderr: command.stderr() };
    };
    expect(await migrate(`sqlite:${file}`, url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("in use by another dag-service"),
    });
    await kill(sqlite.child, "SIGTERM");
    expect(await migrate(`sqlite:${file}`, url)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^moved 3 queries/),
    });
    expect(existsSync(file)).toBe(false);

    const postgres = await start();
    expect(await records(postgres)).toEqual(before);
    expect(await ended(postgres, left)).toMatchObject({ status: "finished" });
    const next = await select(postgres, {
      query: "select count(*) n from data.made",
      outputResourcePath: "dag://out/made",
    });
    expect(next.json.queryId).toBeGreaterThan(left);
    expect(await ended(postgres, next.json.queryId)).toMatchObject({ status: "finished" });
    expect(await migrate(url, `sqlite:${file}`)).toMatchObject({ code: 2 });
    await kill(postgres.child, "SIGTERM");
    expect(await migrate(url, `sqlite:${file}`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^moved 4 queries/),
    });

    const again = await folder.start(["--tables", declared]);
    expect((await records(again)).slice(1)).toEqual(before);
    expect((await select(again, { query: quick, outputResourcePath: "dag://out/last" })).json.queryId).toBeGreaterThan(
      next.json.queryId,
    );
  });

  test("migrate: refuses two of a kind, a missing file and a database that is not empty", async () => {
    const migrate = async (from: string, to: string) => {
      const command = folder.run(["migrate", "--from", from, "--to", to, "--data", "."]);
      expect(await command.exit).toBe(2);
      return command.stderr();
    };
    expect(await migrate("sqlite:a", "sqlite:b")).toMatch(/must be one sqlite:FILE and one postgres:/);
    expect(await migrate("sqlite:a", url)).toMatch(/state file .*a does not exist/);
    expect(await migrate("sqlite:a", url.replace(/:[^:@]*@/, ":wrong@"))).toMatch(/refuses the user "dag"/);
    writeFileSync(join(folder.path, "a"), "not a database".repeat(1000));
    expect(await migrate("sqlite:a", url)).toMatch(/state file .*a cannot be used: it is damaged/);
  });
});

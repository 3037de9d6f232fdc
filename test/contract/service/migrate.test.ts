/** `dag-service migrate` between SQLite and PostgreSQL. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { missingPostgres, usePostgres } from "../state/use-postgres";
import { call, ended, type Target } from "./caller";
import { quick } from "./fixture";
import { gateContent, gated, gateObject, gateTable } from "./gate";
import { declared, kill, select, submitted, useServiceFolder } from "./service-process";

const tables = declared.replace("]", `, ${gateTable}]`);
const folder = useServiceFolder();

describe.skipIf(missingPostgres !== undefined)("migrate", () => {
  const postgres = usePostgres();

  const start = (env: NodeJS.ProcessEnv = {}) => folder.start(["--tables", tables], env);
  const onPostgres = () => start({ DAG_SERVICE_STATE: postgres.url });
  const path = (name: string) => join(folder.path, ".dag", name);

  test("migrate: moves every query, table and restart to PostgreSQL and back, but not beside a running service", async () => {
    const { url } = postgres;
    const sqlite = await start();
    folder.fill();
    folder.write(gateObject, gateContent.closed);
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
    const left = await submitted(sqlite, { query: gated, outputResourcePath: "dag://out/left" });
    const records = async (service: Target) =>
      (await call(service, "GET", "/v1/?query")).json.queries.filter(({ id }: { id: number }) => id !== left);
    const before = await records(sqlite);
    const file = path("state.sqlite");
    const migrate = async (from: string, to: string, ...flags: string[]) => {
      const command = folder.run(["migrate", "--from", from, "--to", to, ...flags]);
      return { code: await command.exit, stdout: command.stdout(), stderr: command.stderr() };
    };
    expect(await migrate(`sqlite:${file}`, url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("in use by another dag-service"),
    });
    expect(await migrate(`sqlite:${file}`, url, "--data", ".")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`state file ${file} is in use by another dag-service`),
    });
    await kill(sqlite.child, "SIGTERM");
    const job = { query_id: 1, cluster_name: "gone", handle: "h", since: Date.now() };
    inFile(file, (database) => {
      const insert = "INSERT INTO jobs_to_end (query_id, cluster_name, handle, since) VALUES (?, ?, ?, ?)";
      database.prepare(insert).run(...Object.values(job));
    });
    expect(await migrate(`sqlite:${file}`, url)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^moved 3 queries/),
    });
    expect(existsSync(file)).toBe(false);
    folder.write(gateObject, gateContent.open);

    const moved = await onPostgres();
    expect(await records(moved)).toEqual(before);
    expect(await ended(moved, left)).toMatchObject({ status: "finished" });
    const next = await select(moved, {
      query: "select count(*) n from data.made",
      outputResourcePath: "dag://out/made",
    });
    expect(next.json.queryId).toBeGreaterThan(left);
    expect(await ended(moved, next.json.queryId)).toMatchObject({ status: "finished" });
    expect(await migrate(url, `sqlite:${file}`)).toMatchObject({ code: 2 });
    await kill(moved.child, "SIGTERM");
    expect(await migrate(url, `sqlite:${file}`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^moved 4 queries/),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const jobs = "SELECT query_id, cluster_name, handle, since FROM jobs_to_end";
    expect(inFile(file, (database) => database.prepare(jobs).all())).toEqual([job]);

    const again = await start();
    expect((await records(again)).slice(1)).toEqual(before);
    expect((await select(again, { query: quick, outputResourcePath: "dag://out/last" })).json.queryId).toBeGreaterThan(
      next.json.queryId,
    );
  });

  test("start: with a database on a folder whose queries are recorded in a file is refused, and names migrate", async () => {
    const first = await start();
    folder.fill();
    await ended(first, (await select(first, {})).json.queryId);
    await kill(first.child, "SIGTERM");
    const refused = folder.run(["--tables", tables], { DAG_SERVICE_STATE: postgres.url });
    expect(await refused.exit).toBe(2);
    expect(refused.stderr()).toMatch(
      /are recorded in \S+state\.sqlite, and state names a database: .*dag-service migrate/,
    );
    const again = await start();
    expect((await call(again, "GET", "/v1/?query")).json.queries).toHaveLength(1);
  });

  test("migrate: a folder that does not exist, and a state that is none, are one line with the flag", async () => {
    const migrate = async (from: string, to: string, ...args: string[]) => {
      const command = folder.run(["migrate", "--from", from, "--to", to, ...args]);
      expect(await command.exit).toBe(2);
      expect(command.stderr().trim().split("\n")).toHaveLength(1);
      return command.stderr();
    };
    const { url } = postgres;
    expect(await migrate("sqlite:a", url, "--data", "none")).toMatch(
      /folder \S+none cannot be used \(ENOENT\): name the data folder of the service with --data/,
    );
    writeFileSync(join(folder.path, "dag.yaml"), "data: named\n");
    expect(await migrate("sqlite:a", url, "--config", "dag.yaml")).toMatch(/folder \S+named cannot be used \(ENOENT\)/);
    expect(await migrate("sqlite:none/a", url, "--data", ".")).toMatch(/none cannot be used .* with --from/);
    expect(await migrate(url, "sqlite:none/a", "--data", ".")).toMatch(/none cannot be used .* with --to/);
    expect(await migrate("a", url)).toMatch(/: --from: it must be sqlite:FILE or postgres:/);
    expect(await migrate("sqlite:a", "mysql://h/d")).toMatch(/: --to: it must be sqlite:FILE or postgres:/);
  });

  test("migrate: refuses two of a kind, a missing file and a database that is not empty", async () => {
    const { url } = postgres;
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

    await kill((await onPostgres()).child, "SIGTERM");
    await kill((await folder.start(["--tables", tables, "--data", "other"])).child, "SIGTERM");
    const used = folder.run(["migrate", "--from", "sqlite:other/state.sqlite", "--to", url, "--data", "other"]);
    expect(await used.exit).toBe(2);
    expect(used.stderr()).toContain("a service has been started on the database: name one with --to that no service");
  });
});

/** Uses a state file that no service uses. */
function inFile<Result>(file: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

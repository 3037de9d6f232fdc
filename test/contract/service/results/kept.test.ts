/** What is known of results after a restart, an upgrade, in PostgreSQL and when the state is moved. */
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { missingPostgres, usePostgres } from "../../state/use-postgres";
import { call, ended, type Target } from "../caller";
import { kill, submitted, useServiceFolder } from "../service-process";

const folder = useServiceFolder();
const path = (name: string) => join(folder.path, ".dag", name);

const names = `SELECT code, name FROM (SELECT 'ab' AS code, 'x, "5"' AS name UNION ALL SELECT 'cd', 'y') t`;

async function run(service: Target, query: string, outputResourcePath: string): Promise<void> {
  const id = await submitted(service, { query, outputResourcePath, outputFormat: "tsv" });
  const record = await ended(service, id);
  expect(record.status, (await call(service, "GET", `/v1/${id}/log?query`)).text).toBe("finished");
}

async function read(service: Target, query: string): Promise<string> {
  await run(service, query, "dag://out/read/");
  return readFileSync(path("buckets/out/read/000000_0"), "utf8");
}

const known = async (service: Target, table: string) => {
  const { source, format, columns } = (await call(service, "GET", `/catalog/out/${table}`)).json;
  return [source, format, ...columns.map(({ name }: { name: string }) => name)];
};

test("results: one of an earlier version has its format and no header, and a new one also its names", async () => {
  const first = await folder.start();
  folder.fill();
  await run(first, names, "dag://out/names/");
  await run(first, "SELECT 'ab' AS code, 1 AS n", "dag://out/changed/");
  await kill(first.child, "SIGTERM");
  const database = new DatabaseSync(path("state.sqlite"));
  database.exec(
    "DROP TABLE published; DROP TABLE jobs_to_end; DROP TABLE reads; DROP TABLE lineage_runs; ALTER TABLE queries DROP COLUMN row_count; UPDATE queries SET columns = NULL; PRAGMA user_version = 6",
  );
  database.close();
  folder.write("dag://out/changed/more.tsv", "cd\t2\n");

  const service = await folder.start();
  expect(await known(service, "names")).toEqual(["select", "tsv", "_c0", "_c1"]);
  expect(await read(service, "SELECT `_c0`, `_c1` FROM `out`.names ORDER BY `_c0`")).toBe('ab\tx, "5"\ncd\ty\n');
  expect(await known(service, "changed")).toEqual(["folder", "tsv", "_c0", "_c1"]);
  await run(service, names, "dag://out/names/");
  expect(await known(service, "names")).toEqual(["select", "tsv", "code", "name"]);
});

test("results: what is known of one is known to the next start, also of a folder that was moved in between", async () => {
  const first = await folder.start();
  folder.fill();
  await run(first, names, "dag://out/names/");
  await kill(first.child, "SIGTERM");
  renameSync(path("buckets/out/names"), path("buckets/out/moved"));
  const service = await folder.start();
  expect(await known(service, "moved")).toEqual(["select", "tsv", "code", "name"]);
});

describe.skipIf(missingPostgres !== undefined)("with PostgreSQL", () => {
  const postgres = usePostgres();

  test("results: every process knows what another one published, and migrate takes it along both ways", async () => {
    const start = () => folder.start([], { DAG_SERVICE_STATE: postgres.url });
    const migrate = async (from: string, to: string) => {
      const command = folder.run(["migrate", "--from", from, "--to", to]);
      expect(await command.exit, command.stderr()).toBe(0);
    };
    const file = `sqlite:${path("state.sqlite")}`;
    const sqlite = await folder.start();
    folder.fill();
    await run(sqlite, names, "dag://out/one/");
    await kill(sqlite.child, "SIGTERM");
    await migrate(file, postgres.url);

    const [a, b] = [await start(), await start()];
    expect(await known(a, "one")).toEqual(["select", "tsv", "code", "name"]);
    await run(a, "SELECT code AS c, upper(name) AS u FROM `out`.one", "dag://out/two/");
    expect(await read(b, "SELECT c, u FROM `out`.two ORDER BY c")).toBe('ab\tX, "5"\ncd\tY\n');
    await Promise.all([a, b].map(({ child }) => kill(child, "SIGTERM")));
    await migrate(postgres.url, file);

    const again = await folder.start();
    expect(await known(again, "one")).toEqual(["select", "tsv", "code", "name"]);
    expect(await known(again, "two")).toEqual(["select", "tsv", "c", "u"]);
  });
});

/** A data folder and a config of 0.1.0 are read by this service. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { call, ended, type Target } from "../service/caller";
import { kill, useServiceFolder } from "../service/service-process";
import { fixture, fixtures } from "./fixtures";

interface Answers {
  readonly queries: readonly { readonly id: number }[];
  readonly clusters: readonly { readonly name: string }[];
  readonly logs: readonly { readonly id: number }[];
}

const folder = useServiceFolder();
const { queries, clusters, logs } = fixture<Answers>("answers.json");
const credentials = { accessKeyId: "FIXTUREKEY", secretAccessKey: "fixture-secret-of-the-compatibility-tests" };
const path = (name: string) => join(folder.path, name);

async function startOnFixture() {
  cpSync(join(fixtures, "data"), path("data"), { recursive: true });
  cpSync(join(fixtures, "config.yaml"), path("config.yaml"));
  const started = await folder.start(["--config", path("config.yaml")]);
  const target: Target = { url: started.url, credentials };
  return { child: started.child, get: async (name: string) => (await call(target, "GET", `/v1/${name}`)).json, target };
}

test("data folder of 0.1.0: every query, log and cluster is answered as then, and more only is added", async () => {
  const { get } = await startOnFixture();
  for (const query of queries) expect(await get(`${query.id}?query`)).toMatchObject(query);
  for (const { id, ...answer } of logs) expect(await get(`${id}/log?query`)).toMatchObject(answer);
  expect((await get("?query")).queries.map(({ id }: { id: number }) => id)).toEqual(queries.map(({ id }) => id));
  for (const cluster of clusters) {
    const { name, status, ...kept } = cluster as { readonly name: string; readonly status: string };
    expect(await get(`${name}?clusterManagement`)).toMatchObject({ name, ...kept });
  }
});

test("data folder of 0.1.0: a table that a split wrote is read, and the next query gets the next ID", async () => {
  const { target } = await startOnFixture();
  const body = {
    clusterName: "demo",
    query: "SELECT sum(eggs) AS eggs, max(n) AS n FROM tables.birds CROSS JOIN data.numbers",
    outputResourcePath: "dag://results/both/",
  };
  const { json } = await call(target, "POST", "/v1/?select", { body });
  expect(json).toEqual({ queryId: queries.length + 1 });
  expect(await ended(target, json.queryId)).toMatchObject({ status: "finished" });
  expect(readFileSync(path("data/buckets/results/both/000000_0"), "utf8")).toBe("21,3\n");
});

test("data folder: a state of a later version is refused in words, and is not changed", async () => {
  const { child } = await startOnFixture();
  await kill(child, "SIGTERM");
  const file = path("data/state.sqlite");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 1000");
  database.close();
  const before = readFileSync(file);
  const refused = folder.run(["--config", path("config.yaml")]);
  expect(await refused.exit).toBe(2);
  expect(refused.stderr()).toMatch(
    /^dag-service: state file \S+state\.sqlite cannot be used: its version 1000 .*newer/,
  );
  expect(readFileSync(file).equals(before)).toBe(true);
});

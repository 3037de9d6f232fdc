/** OpenLineage events of the built service, received by a server that validates them. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startReceiver } from "../../unit/service/core/openlineage/receiver";
import { missingPostgres, usePostgres } from "../state/use-postgres";
import { call, ended, pause } from "./caller";
import { declared, kill, useServiceFolder, type Process } from "./service-process";

const folder = useServiceFolder();
const key = "secret-key-of-the-receiver";
const parent = "pulumi/shop%2Fdev/01890a5d-ac96-774b-bcce-b302099a8057";

const start = (url: string, state: Record<string, string> = {}): Promise<Process> => {
  const openlineage = JSON.stringify({ url, namespace: "dag://test", apiKey: key });
  return folder.start(["--tables", declared], { DAG_SERVICE_OPENLINEAGE: openlineage, ...state });
};

const select = (service: Process, query: string, to: string, headers: Record<string, string> = {}) =>
  call(service, "POST", "/v1/?select", { body: { clusterName: "demo", query, outputResourcePath: to }, headers });

test("openlineage: events of a finished and of a failed query, with the stack as parent, and no key in any file", async () => {
  folder.fill();
  await using receiver = await startReceiver();
  const service = await start(receiver.url);
  const query = "select v, count(*) n from data.events group by v";
  const first = await select(service, query, "dag://out/counts/", { "openlineage-parent": parent });
  expect(await ended(service, first.json.queryId)).toMatchObject({ status: "finished" });
  const failing = "select cast(split(v, 'x')[5] as int) + assert_true(false) n from data.events";
  const second = await select(service, failing, "dag://out/failed/");
  await receiver.taken(second.status === 202 ? 4 : 2);
  expect(receiver.problems).toEqual([]);
  expect(receiver.events.slice(0, 2)).toMatchObject([
    { eventType: "START", inputs: [{ name: "data/events" }] },
    {
      eventType: "COMPLETE",
      run: { facets: { parent: { job: { namespace: "pulumi", name: "shop/dev" } } } },
      job: { name: "select.out/counts", facets: { sql: { query } } },
      inputs: [{ name: "data/events" }],
      outputs: [{ name: "out/counts", outputFacets: { outputStatistics: { rowCount: 2 } } }],
    },
  ]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/dag_openlineage_events_total\{outcome="received"\} [24]/);
  const files = readdirSync(join(folder.path, ".dag"), { recursive: true, withFileTypes: true });
  const contents = files.filter((file) => file.isFile()).map((file) => readFileSync(join(file.parentPath, file.name)));
  expect(contents.length).toBeGreaterThan(3);
  expect(contents.some((content) => content.includes(key))).toBe(false);
  expect(service.stdout() + service.stderr()).not.toContain(key);
});

test("openlineage: what was not received is sent after a crash of the service, with the same run ID", async () => {
  folder.fill();
  await using receiver = await startReceiver();
  receiver.answer = 503;
  const first = await start(receiver.url);
  const { json } = await select(first, "select 1 as n", "dag://out/one/");
  expect(await ended(first, json.queryId)).toMatchObject({ status: "finished" });
  first.child.kill("SIGKILL");
  while (first.child.exitCode === null && first.child.signalCode === null) await pause(10);
  expect(receiver.events).toEqual([]);
  receiver.answer = undefined;
  await start(receiver.url);
  await receiver.taken(2);
  const [began, finished] = receiver.events;
  expect([began!.eventType, finished!.eventType]).toEqual(["START", "COMPLETE"]);
  expect(began!.run.runId).toBe(finished!.run.runId);
});

describe.skipIf(missingPostgres !== undefined)("two processes on one PostgreSQL database", () => {
  const postgres = usePostgres();

  test("openlineage: each event is sent once, also when the process that sends is killed", async () => {
    await using receiver = await startReceiver();
    const state = { DAG_SERVICE_STATE: postgres.url };
    const first = await start(receiver.url, state);
    folder.fill();
    const second = await start(receiver.url, state);
    const run = async (service: Process, name: string) => {
      const { json } = await select(service, "select v from data.events", `dag://out/${name}/`);
      expect(await ended(service, json.queryId)).toMatchObject({ status: "finished" });
    };
    for (let count = 0; count < 10; count += 1) await run(count % 2 === 0 ? first : second, `r${count}`);
    await receiver.taken(20);
    receiver.answer = 503;
    await run(first, "late1");
    await run(second, "late2");
    await kill(first.child, "SIGKILL");
    receiver.answer = undefined;
    await receiver.taken(24);
    await run(second, "last");
    await receiver.taken(26);
    expect(receiver.problems).toEqual([]);
    const sent = receiver.events.map(({ job, eventType }) => `${job.name} ${eventType}`);
    const names = [...Array.from({ length: 10 }, (_, index) => `r${index}`), "late1", "late2", "last"];
    expect(sent.toSorted()).toEqual(
      names.flatMap((name) => [`select.out/${name} COMPLETE`, `select.out/${name} START`]).toSorted(),
    );
    const runs = Map.groupBy(receiver.events, ({ run: { runId } }) => runId);
    expect(runs.size).toBe(names.length);
    for (const events of runs.values()) expect(events.map(({ eventType }) => eventType)).toEqual(["START", "COMPLETE"]);
  });
});

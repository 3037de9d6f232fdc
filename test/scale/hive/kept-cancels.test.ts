/** Cancels that do not reach Hive at once: its statement runs on when its connections end. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, inject, test } from "vitest";
import { HiveConnection } from "../../../service/engines/hiveserver2/client/connection";
import { UnknownStatementError } from "../../../service/engines/hiveserver2/client/errors";
import { HiveSession } from "../../../service/engines/hiveserver2/client/session";
import { fromKept } from "../../../service/engines/hiveserver2/running-statement";
import { call, ended } from "../../contract/service/caller";
import { kill, type Process } from "../../contract/service/service-process";
import { Network } from "../suites/network";
import { startOwnHive } from "../suites/own-hive";
import { useServices } from "../suites/service-with-cluster";

const services = useServices("hive", "files");
const { fill, start, submit, log, temporary, path } = services;
const disposables: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposables.splice(0).toReversed()) await dispose();
});

/** Runs for some twenty seconds on Hive, whose task runs on when it is cancelled: its end is waited for. */
const long = "select count(*) n from data.numbers a cross join data.numbers b where a.n < 1500 and a.n * b.n > 0.5";

/** Submits a select that takes long, waits until Hive runs it, and returns its ID and its handle. */
async function submitLong(service: Process) {
  const { status, json } = await submit(service, "demo", long, "k");
  expect([status, json]).toEqual([202, { queryId: expect.any(Number) }]);
  await expect.poll(() => log(service, json.queryId), { timeout: 90_000 }).toMatch(/Executing command\(queryId=/);
  const state = new DatabaseSync(join(path(), ".dag/state.sqlite"), { readOnly: true });
  const row = state.prepare("SELECT engine_handle AS handle FROM queries WHERE id = ?").get(json.queryId);
  state.close();
  return { id: json.queryId as number, handle: fromKept(row!["handle"] as string)! };
}

/** Asks Hive itself whether it runs a statement. */
async function isRunning(url: string, { session, operation }: NonNullable<ReturnType<typeof fromKept>>) {
  const { hostname: host, port } = new URL(url);
  const connection = await HiveConnection.open({ host, port: Number(port) }, new AbortController().signal);
  try {
    const sessionOptions = { settings: {}, reason: (message: string | null | undefined) => message ?? "" };
    return (await HiveSession.attached(connection, session, sessionOptions).progress(operation)).state === "running";
  } catch (error) {
    if (error instanceof UnknownStatementError) return false;
    throw error;
  } finally {
    connection.close();
  }
}

const toEnd = async (service: Process) =>
  /^dag_jobs_to_end\{cluster="demo"\} (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1];

test.each([
  ["the service that has cancelled it", false],
  ["the next one, after kill -9", true],
] as const)("cancelQuery: no server answers then: the statement is ended when it does, by %s", async (_, isKilled) => {
  fill();
  const network = new Network("hive");
  await network.up();
  disposables.push(() => network.down());
  const urls = [`hive2://127.0.0.1:${network.port}`];
  let service = await start(urls);
  const { id, handle } = await submitLong(service);
  network.loseServer("closed");
  expect((await call(service, "DELETE", `/v1/${id}?query`)).status).toBe(204);
  expect(await ended(service, id)).toMatchObject({ status: "canceled" });
  expect(await isRunning(inject("hive"), handle)).toBe(true);
  await expect.poll(() => toEnd(service)).toBe("1");
  if (isKilled) await kill(service.child, "SIGKILL");
  network.findServer();
  if (isKilled) service = await start(urls);
  await expect.poll(() => isRunning(inject("hive"), handle), { timeout: 60_000, interval: 500 }).toBe(false);
  // A local Tez does not interrupt a task: Hive answers the cancel when it has ended.
  await expect.poll(() => toEnd(service), { timeout: 200_000, interval: 500 }).toBe("0");
  await expect.poll(temporary, { timeout: 10_000 }).toEqual([]);
});

test("cancelQuery: a server that hangs: its statement is ended when it wakes, also after kill -9 of the service", async () => {
  fill();
  const server = await startOwnHive();
  disposables.push(() => server.stop());
  const first = await start([server.url]);
  const { id, handle } = await submitLong(first);
  server.hang();
  expect((await call(first, "DELETE", `/v1/${id}?query`)).status).toBe(204);
  await kill(first.child, "SIGKILL");
  const starting = start([server.url]);
  server.wake();
  const second = await starting;
  expect(await ended(second, id)).toMatchObject({ status: "canceled" });
  await expect.poll(() => isRunning(server.url, handle), { timeout: 60_000, interval: 500 }).toBe(false);
  await expect.poll(() => toEnd(second), { timeout: 200_000, interval: 500 }).toBe("0");
  await expect.poll(temporary, { timeout: 10_000 }).toEqual([]);
});

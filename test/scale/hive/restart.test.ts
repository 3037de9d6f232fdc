/** A HiveServer2 that is killed and started again: each test has servers of its own beside that of the run. */
import { afterEach, expect, inject, test } from "vitest";
import { freePort } from "../../../tools/scale/component.mts";
import type { HiveServer } from "../../../tools/scale/hive/hive.mts";
import { ended } from "../../contract/service/caller";
import { kill } from "../../contract/service/service-process";
import { startOwnHive } from "../suites/own-hive";
import { itsResult, statementsIn, submitLong } from "../suites/resume";
import { useServices } from "../suites/service-with-cluster";

const services = useServices("hive", "files");
const { fill, start, submit, result, log, temporary } = services;

const servers: HiveServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function startServer(port?: number): Promise<HiveServer> {
  const server = await startOwnHive(port === undefined ? {} : { port });
  servers.push(server);
  return server;
}

test("kill -9 of the HiveServer2 that runs a statement: it is noticed, and the next URL runs it", async () => {
  fill();
  const server = await startServer();
  const service = await start([server.url, inject("hive")]);
  const id = await submitLong(services, service, "r");
  await server.kill();
  await expect.poll(() => log(service, id), { timeout: 60_000, interval: 100 }).toContain(`${server.url} refuses`);
  const end = await ended(service, id);
  const text = await log(service, id);
  expect(end, text).toMatchObject({ status: "finished" });
  expect(result("r")).toBe(itsResult);
  expect(new Set(statementsIn(text)).size).toBe(2);
  expect(text.match(/result is at /g)).toHaveLength(1);
  // What the dead server's statement has written is deleted too.
  await expect.poll(temporary, { timeout: 60_000 }).toEqual([]);
  // The cluster takes the first server again when it is back.
  const again = await startServer(Number(new URL(server.url).port));
  const { json } = await submit(service, "demo", "select count(*) n from data.numbers", "r2");
  expect(await ended(service, json.queryId)).toMatchObject({ status: "finished" });
  expect(await log(service, json.queryId)).toMatch(new RegExp(`Hive runs the statement as \\S+ on ${again.url}`));
});

test("a service and its HiveServer2 that end together: the next one runs the statement again, and publishes it once", async () => {
  fill();
  const port = await freePort();
  const server = await startServer(port);
  const urls = [server.url, inject("hive")];
  const first = await start(urls);
  const id = await submitLong(services, first, "b");
  await kill(first.child, "SIGKILL");
  await server.kill();
  await startServer(port);
  const second = await start(urls);
  expect(await ended(second, id)).toMatchObject({ status: "finished" });
  expect(result("b")).toBe(itsResult);
  const text = await log(second, id);
  expect(text).toContain("Hive has the statement or its result no longer: it is run again");
  expect(new Set(statementsIn(text)).size).toBe(2);
  expect(text.match(/result is at /g)).toHaveLength(1);
  expect(text.match(/ finished after /g)).toHaveLength(1);
  await expect.poll(temporary, { timeout: 60_000 }).toEqual([]);
});

/** Answers that are large, and readers that do not take them: the service's memory stays bounded. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openState } from "../../../../service/state/sqlite";
import { call, pause, signedHead, type Target } from "../caller";
import { residentMegabytes, useServiceFolder } from "../service-process";

const folder = useServiceFolder();

const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

/** A statement of a million characters, of which each takes six in JSON. */
const statement = `select '${"\u0001".repeat(1_000_000)}'`;

/** A state with 100 finished queries of that statement. */
const stored = mkdtempSync(join(tmpdir(), "dag-answers-"));
beforeAll(async () => {
  const state = openState(join(stored, "state.sqlite"));
  await state.admission.registerCluster("demo", { type: "duckdb", debug: false });
  for (let count = 0; count < 100; count += 1) {
    const accepted = await state.admission.accept(
      {
        type: "select",
        clusterName: "demo",
        accessKeyId: "AK",
        label: null,
        startTime: Date.now(),
        query: statement,
        outputFormat: "csv",
        outputResourcePath: `dag://out/r${count}/`,
      },
      { slots: 1, generation: 0 },
    );
    if (accepted.refused) throw new Error(accepted.refused);
    await state.attempts.end(accepted.query, "finished", { progress: 100, stage: 1, jobId: null });
  }
  await state.close();
});
afterAll(() => rmSync(stored, { recursive: true }));
beforeEach(() => {
  mkdirSync(join(folder.path, ".dag/buckets/out"), { recursive: true });
  cpSync(join(stored, "state.sqlite"), join(folder.path, ".dag/state.sqlite"));
});

/** Opens a connection that reads nothing until it is resumed, and sends the request some times. */
function reader(service: Target, target: string, times = 1): Socket {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(signedHead(service, "GET", target).repeat(times));
  sockets.push(socket);
  return socket;
}

test("listQueries: has the first 1,000 characters of a long statement, getQuery has all of it", async () => {
  const service = await folder.start();
  const list = await call(service, "GET", "/v1/?query");
  expect(list.json.queries).toHaveLength(100);
  expect(list.json.queries[0].query).toBe(`${statement.slice(0, 1000)}…`);
  expect(list.text.length).toBeLessThan(700_000);
  const { json } = await call(service, "GET", `/v1/${list.json.queries[0].id}?query`);
  expect(json.query).toBe(statement);
});

test("slow readers: 70 that do not read a list of 100 long statements take little memory", async () => {
  const service = await folder.start();
  expect((await call(service, "GET", "/v1/?query")).status).toBe(200);
  const before = residentMegabytes(service.child);
  for (let count = 0; count < 70; count += 1) reader(service, "/v1/?query");
  await pause(3000);
  expect((await call(service, "GET", "/v1/1?query")).status).toBe(200);
  expect(residentMegabytes(service.child) - before).toBeLessThan(80);
});

test("slow readers: the one that has waited longest is disconnected when all that wait exceed 64 MiB", async () => {
  const service = await folder.start();
  const before = residentMegabytes(service.child);
  const readers = Array.from({ length: 100 }, () => reader(service, "/v1/1?query", 10));
  await expect.poll(() => readers[0]!.destroyed || isReset(readers[0]!), { timeout: 20_000 }).toBe(true);
  await pause(1000);
  expect(residentMegabytes(service.child) - before).toBeLessThan(400);
  expect((await call(service, "GET", "/v1/1?query")).status).toBe(200);
});

test("slow readers: one that takes nothing is disconnected, one that takes a little is not", async () => {
  const service = await folder.start();
  const started = performance.now();
  const none = reader(service, "/v1/1?query", 16);
  const little = reader(service, "/v1/1?query", 16);
  let received = 0;
  little.on("data", (chunk: Buffer) => {
    received += chunk.length;
    little.pause();
  });
  const taking = setInterval(() => little.resume(), 50);
  await expect.poll(() => isReset(none), { timeout: 60_000, interval: 200 }).toBe(true);
  expect(performance.now() - started).toBeGreaterThan(20_000);
  const then = received;
  expect(then).toBeGreaterThan(0);
  await expect.poll(() => received > then, { timeout: 10_000 }).toBe(true);
  clearInterval(taking);
});

/** Returns true when the service has closed the connection, which a socket that does not read notices by a write. */
function isReset(socket: Socket): boolean {
  if (!socket.destroyed) socket.write("\r\n");
  return socket.destroyed;
}

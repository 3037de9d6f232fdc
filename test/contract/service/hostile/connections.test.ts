/** Clients that send without end, do not read, or only hold connections: others are still served. */
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { pause, signedHead } from "../caller";
import { useService } from "../fixture";

const attacker = { accessKeyId: "ATTACKER", secretAccessKey: "attacker-secret" };
const f = useService({
  clusters: [{ name: "c1", instances: [{ grade: "small", quantity: 2 }] }],
  credentials: [{ accessKeyId: "AK", secretAccessKey: "secret" }, attacker],
});

const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

/** Opens a connection whose errors and answers are ignored unless a test listens. */
function open(options: { readonly allowHalfOpen?: boolean } = {}): Socket {
  const socket = connect({ port: Number(new URL(f.service.url).port), host: "127.0.0.1", ...options });
  socket.on("error", () => undefined);
  sockets.push(socket);
  return socket;
}

/**
 * Sends a body in chunks until the connection is closed, and goes on when the service has ended its half. Resolves with
 * what was received, and the bytes sent.
 */
function sendWithoutEnd(head: string): Promise<{ answer: string; sent: number }> {
  const socket = open({ allowHalfOpen: true });
  const chunk = Buffer.from(`10000\r\n${" ".repeat(65_536)}\r\n`);
  let answer = "";
  socket.on("data", (data) => (answer += data.toString()));
  socket.write(head);
  const more = () => {
    while (!socket.destroyed && socket.writable && socket.write(chunk)) {
      // Until the buffer is full.
    }
  };
  socket.on("drain", more);
  more();
  return new Promise((resolve) => {
    socket.on("close", () => resolve({ answer, sent: socket.bytesWritten }));
  });
}

const chunked = { "Transfer-Encoding": "chunked" };
const unsignedHead = (method: string, path: string, host = "localhost") =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`;

test.each([
  [
    "a signed submission",
    () => signedHead(f.service, "POST", "/v1/?select", { "Content-Type": "application/json", ...chunked }),
    /^HTTP\/1\.1 413 [^]*"code":"EntityTooLarge"/,
  ],
  [
    "a signed list of queries",
    () => signedHead(f.service, "GET", "/v1/?query", chunked),
    /^HTTP\/1\.1 413 [^]*"code":"EntityTooLarge"/,
  ],
  ["a signed catalog", () => signedHead(f.service, "GET", "/catalog", chunked), /^HTTP\/1\.1 200 /],
  ["an unsigned submission", () => unsignedHead("POST", "/v1/?select"), /^HTTP\/1\.1 403 [^]*"code":"AccessDenied"/],
  ["/healthz", () => unsignedHead("GET", "/healthz"), /^HTTP\/1\.1 200 /],
  ["/metrics", () => unsignedHead("GET", "/metrics"), /^HTTP\/1\.1 200 /],
  ["the console", () => unsignedHead("GET", "/console/"), /^HTTP\/1\.1 200 /],
  ["a target that is refused", () => unsignedHead("GET", "/v1/../metrics"), /^HTTP\/1\.1 400 /],
  ["a Host header that is refused", () => unsignedHead("GET", "/healthz", "a b"), /^HTTP\/1\.1 400 /],
])("endless body: of %s at most 8 MiB are read, and the connection is closed", async (_, head, expected) => {
  const { answer, sent } = await sendWithoutEnd(head());
  expect(answer).toMatch(expected);
  expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n");
  // The buffers of both sides hold some more.
  expect(sent).toBeLessThan(24 * 1024 * 1024);
  expect((await f.call("GET", "/v1/?query&max=1")).status).toBe(200);
});

test("idle connections: 1,500 that never sent a signed request do not keep a caller out", async () => {
  const answers = Array.from({ length: 1500 }, (_, index) => {
    const socket = open();
    // A third sends nothing, a third an unsigned request, a third half a request.
    if (index % 3 === 1) socket.write("GET /v1/?query HTTP/1.1\r\nHost: x\r\n\r\n");
    if (index % 3 === 2) socket.write("GET /v1/?query HTTP/1.1\r\n");
    return socket;
  });
  await pause(1000);
  expect(answers.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(900);
  for (let turn = 0; turn < 20; turn += 1) {
    expect((await f.call("GET", "/v1/?query&max=1")).status).toBe(200);
  }
});

const json = { "Content-Type": "application/json" };
const signedBy = (method: string, target: string, headers: Readonly<Record<string, string>> = {}) =>
  signedHead({ ...f.service, credentials: attacker }, method, target, headers);

test.each([
  [
    "unfinished bodies",
    () => `${signedBy("POST", "/v1/?select", { ...json, "Content-Length": "900000" })}{"query":"${" ".repeat(990)}`,
  ],
  ["unfinished requests of other paths", () => `${signedBy("POST", "/check", { ...json, "Content-Length": "9" })}{`],
  ["idle connections", () => signedBy("GET", "/v1/?query&max=1")],
  ["half second requests", () => `${signedBy("GET", "/v1/?query&max=1")}GET /v1/?query HTTP/1.1\r\n`],
])("connections of one key: 1,200 with %s do not keep another key out", async (_, sent) => {
  const text = sent();
  const openOne = () => {
    const socket = open();
    socket.on("data", () => undefined).write(text);
    return socket;
  };
  const held = Array.from({ length: 1200 }, openOne);
  await pause(2000);
  for (let turn = 0; turn < 20; turn += 1) {
    // The attacker replaces what it loses while the other key calls.
    held.push(...Array.from({ length: 10 }, openOne));
    expect((await f.call("GET", "/v1/?query&max=1")).status).toBe(200);
  }
  expect(held.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(900);
});

test("idle connections: a caller's connection outlives 1,500 others", async () => {
  const mine = open();
  let received = "";
  mine.on("data", (data) => (received += data.toString()));
  mine.write(signedHead(f.service, "GET", "/v1/?query&max=1"));
  await expect.poll(() => received.match(/HTTP\/1\.1 200/g)?.length).toBe(1);
  for (let index = 0; index < 1500; index += 1) open();
  await pause(1000);
  mine.write(signedHead(f.service, "GET", "/v1/?query&max=1"));
  await expect.poll(() => received.match(/HTTP\/1\.1 200/g)?.length).toBe(2);
});

test("idle connections: one without a signed request is closed after 5 seconds, a caller's is not", async () => {
  const [unsigned, signed] = [open(), open()];
  const received = ["", ""];
  for (const [index, socket] of [unsigned, signed].entries())
    socket.on("data", (data) => (received[index] += data.toString()));
  const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", () => resolve("closed")));
  unsigned.write("GET /v1/?query HTTP/1.1\r\nHost: x\r\n\r\n");
  signed.write(signedHead(f.service, "GET", "/v1/?query&max=1"));
  const first = closed(signed);
  expect(await Promise.race([closed(unsigned), pause(9000)])).toBe("closed");
  expect(await Promise.race([first, pause(1000)])).toBeUndefined();
  const keptFor = (answer: string) => answer.match(/^keep-alive: (.*)$/im)?.[1];
  expect(received.map(keptFor)).toEqual(["timeout=5", "timeout=65"]);
});

test("pipelining: a connection with 17 requests that are not answered is closed", async () => {
  const socket = open();
  socket.pause();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(signedHead(f.service, "GET", "/v1/?query&max=1").repeat(5000));
  socket.resume();
  await closed;
  expect((await f.call("GET", "/v1/?query&max=1")).status).toBe(200);
});

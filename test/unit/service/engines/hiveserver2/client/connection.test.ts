import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { HiveConnection } from "../../../../../../service/engines/hiveserver2/client/connection";
import { onFirst, openSession } from "../../../../../../service/engines/hiveserver2/client/servers";

const host = "127.0.0.1";
const { signal } = new AbortController();
const servers: Server[] = [];
const sockets: Socket[] = [];
let folder = "";
const certificate = () => join(folder, "certificate.pem");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hive-tls-"));
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    join(folder, "key.pem"),
  ];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", "-x509", ...key, "-out", certificate(), "-days", "2", ...name], { stdio: "ignore" });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a server that does this with each connection, and returns its port. */
async function serve(use: (socket: Socket) => void, encrypted = false): Promise<number> {
  const onSocket = (socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    use(socket);
  };
  const files = { key: join(folder, "key.pem"), cert: certificate() };
  const server = encrypted
    ? createTlsServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, onSocket)
    : createServer(onSocket);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

const silent = () => undefined;
const login = { user: "ann", password: "secret" };
const status = (code: number, text: string) => {
  const header = Buffer.alloc(5);
  header.writeUInt8(code, 0);
  header.writeUInt32BE(text.length, 1);
  return Buffer.concat([header, Buffer.from(text)]);
};
const thriftText = (value: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
};
/** Returns an answer with the first sequence number, in Thrift's binary protocol. @param fields of its result */
const thriftAnswer = (call: string, ...fields: readonly (Buffer | readonly number[])[]) =>
  Buffer.concat([
    Buffer.from([0x80, 0x01, 0, 2]),
    thriftText(call),
    Buffer.from([0, 0, 0, 1]),
    Buffer.from([12, 0, 0]),
    ...fields.map((field) => Buffer.from(field)),
    Buffer.from([0, 0]),
  ]);
const queryIdAnswer = thriftAnswer("GetQueryId", [11, 0, 1], thriftText("hive_1"));
/** The status ERROR_STATUS with a message, and a protocol version. */
const noSession = thriftAnswer(
  "OpenSession",
  [12, 0, 1, 8, 0, 1, 0, 0, 0, 3, 11, 0, 5],
  thriftText("Cannot open new session: maximum reached"),
  [0, 8, 0, 2, 0, 0, 0, 10],
);
const operationHandle = {
  operationId: { guid: Buffer.alloc(16), secret: Buffer.alloc(16) },
  operationType: 0,
  hasResultSet: false,
};
const askQueryId = (connection: HiveConnection, milliseconds = 5000) =>
  connection.call("GetQueryId", "TGetQueryIdReq", { operationHandle }, milliseconds);

test("open: a server that does not listen is named with the remedy", async () => {
  const port = await serve(silent);
  servers.pop()!.close();
  await expect(HiveConnection.open({ host, port }, signal)).rejects.toMatchObject({
    problem: "unreachable",
    message: `hive2://127.0.0.1:${port} refuses connections: start the server, or correct urls in the config`,
  });
});

test("open: a server that does not answer the login in time is given up", async () => {
  const port = await serve(silent);
  await expect(HiveConnection.open({ host, port, login }, signal, 200)).rejects.toMatchObject({ problem: "timeout" });
});

test("open: a server that does not answer the TLS handshake in time is given up", async () => {
  const port = await serve(silent);
  await expect(HiveConnection.open({ host, port, tls: {} }, signal, 200)).rejects.toMatchObject({ problem: "timeout" });
});

test("open: ends when its signal is aborted", async () => {
  const port = await serve(silent);
  const abort = new AbortController();
  const opening = HiveConnection.open({ host, port, login }, abort.signal);
  abort.abort(new Error("left"));
  await expect(opening).rejects.toThrow("left");
});

test("open: a certificate that is not trusted is refused, and accepted with its authority", async () => {
  const port = await serve(silent, true);
  await expect(HiveConnection.open({ host: "localhost", port, tls: {} }, signal)).rejects.toMatchObject({
    problem: "tls",
    message: expect.stringContaining("not trusted: name its authority with tls.ca"),
  });
  const trusted = await HiveConnection.open({ host: "localhost", port, tls: { ca: certificate() } }, signal);
  trusted.close();
});

test.each([
  ["does not exist", "none.pem", undefined, /none\.pem cannot be read \(ENOENT\): correct tls\.ca in the config$/],
  ["is not PEM", "text.pem", "text", /text\.pem has no certificate in PEM: correct tls\.ca/],
  ["is damaged", "bad.pem", "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n", /has no certificate in PEM/],
])("open: a file of authorities that %s is named", async (_, name, content, message) => {
  const port = await serve(silent, true);
  const ca = join(folder, name);
  if (content !== undefined) writeFileSync(ca, content);
  await expect(HiveConnection.open({ host: "localhost", port, tls: { ca } }, signal)).rejects.toMatchObject({
    problem: "tls",
    message: expect.stringMatching(message),
  });
});

test("open: a certificate of another host is refused, although its authority is trusted", async () => {
  const port = await serve(silent, true);
  await expect(HiveConnection.open({ host, port, tls: { ca: certificate() } }, signal)).rejects.toMatchObject({
    problem: "tls",
    message: expect.stringContaining("a certificate for another host"),
  });
});

test("open: a server without TLS is named as such", async () => {
  const port = await serve((socket) => socket.once("data", () => socket.write("not TLS at all")));
  await expect(HiveConnection.open({ host, port, tls: {} }, signal)).rejects.toMatchObject({
    problem: "tls",
    message: expect.stringContaining("does not speak TLS"),
  });
});

test("open: logs in with SASL PLAIN, and the password is not in the message of a refusal", async () => {
  const received: Buffer[] = [];
  const accepting = await serve((socket) =>
    socket.on("data", (data) => {
      received.push(data);
      if (Buffer.concat(received).includes("secret")) socket.write(status(5, ""));
    }),
  );
  (await HiveConnection.open({ host, port: accepting, login }, signal)).close();
  expect(Buffer.concat(received)).toEqual(Buffer.concat([status(1, "PLAIN"), status(2, "\0ann\0secret")]));

  const refusing = await serve((socket) => socket.on("data", () => socket.write(status(3, "bad secret"))));
  await expect(HiveConnection.open({ host, port: refusing, login }, signal)).rejects.toMatchObject({
    problem: "login",
    message: `hive2://127.0.0.1:${refusing} refuses the login of the user "ann": correct auth in the config`,
  });
});

test("call: an answer that arrives byte by byte is read", async () => {
  const port = await serve((socket) => {
    socket.setNoDelay(true);
    socket.once("data", async () => {
      for (const byte of queryIdAnswer) {
        socket.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  const connection = await HiveConnection.open({ host, port }, signal);
  expect(await askQueryId(connection)).toMatchObject({ queryId: "hive_1" });
  connection.close();
});

test("call: a server that hangs is given up, and its connection is not used again", async () => {
  const port = await serve(silent);
  const connection = await HiveConnection.open({ host, port }, signal);
  const late = {
    problem: "timeout",
    message: expect.stringContaining("did not answer the call GetQueryId within 0.1 s"),
  };
  await expect(askQueryId(connection, 100)).rejects.toMatchObject(late);
  await expect(askQueryId(connection)).rejects.toMatchObject(late);
  expect(await connection.ended).toMatchObject(late);
});

test("call: a server that closes the connection ends the calls that wait", async () => {
  const port = await serve((socket) => socket.once("data", () => socket.destroy()));
  const connection = await HiveConnection.open({ host, port }, signal);
  await expect(askQueryId(connection)).rejects.toMatchObject({ problem: "lost" });
});

test("call: bytes that are not the protocol end the connection", async () => {
  const port = await serve((socket) => socket.once("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")));
  const connection = await HiveConnection.open({ host, port }, signal);
  await expect(askQueryId(connection)).rejects.toMatchObject({ problem: "protocol" });
});

test("onFirst: the first server that takes the connection is used", async () => {
  const port = await serve(silent);
  const both = [
    { host, port: 1 },
    { host, port },
  ];
  const used = await onFirst(both, signal, async (connection, isLast) => {
    connection.close();
    return [connection.server.port, isLast];
  });
  expect(used).toEqual([port, true]);
});

test("onFirst: a server behind which nothing answers is passed over", async () => {
  const dead = await serve((socket) => socket.once("data", () => socket.destroy()));
  const port = await serve((socket) => socket.once("data", () => socket.write(queryIdAnswer)));
  const both = [
    { host, port: dead },
    { host, port },
  ];
  const used = await onFirst(both, signal, async (connection) => {
    const { queryId } = await askQueryId(connection);
    connection.close();
    return [connection.server.port, queryId];
  });
  expect(used).toEqual([port, "hive_1"]);
});

test("onFirst: a server that opens no session is passed over, and the last one says why it opens none", async () => {
  const full = await serve((socket) => socket.once("data", () => socket.write(noSession)));
  const port = await serve(silent);
  const both = [full, port].map((each) => ({ host, port: each }));
  const open = (connection: HiveConnection) => openSession(connection, true, { settings: {}, reason: String });
  const used = await onFirst(both, signal, async (connection, isLast) => {
    if (!isLast) await open(connection);
    connection.close();
    return connection.server.port;
  });
  expect(used).toBe(port);
  await expect(onFirst([{ host, port: full }], signal, open)).rejects.toMatchObject({
    problem: "refused",
    message: `hive2://${host}:${full} refuses a session: Cannot open new session: maximum reached`,
  });
});

test("onFirst: when no server answers, the error has the reason of each", async () => {
  const ports = [1, 2];
  const none = ports.map((port) => ({ host, port }));
  await expect(onFirst(none, signal, async () => undefined)).rejects.toMatchObject({
    problem: "unreachable",
    message: expect.stringMatching(
      new RegExp(
        `^hive2://${host}:${ports[1]} refuses connections: .*; hive2://${host}:${ports[0]} refuses connections: `,
      ),
    ),
  });
});

test("onFirst: an abort ends the use of a silent server", async () => {
  const port = await serve(silent);
  const abort = new AbortController();
  const using = onFirst([{ host, port }], abort.signal, (connection) => {
    const asked = askQueryId(connection);
    abort.abort(new Error("left"));
    return asked;
  });
  await expect(using).rejects.toThrow("left");
});

test("onFirst: a refused login is not tried at another server", async () => {
  const refusing = await serve((socket) => socket.on("data", () => socket.write(status(3, ""))));
  let connections = 0;
  const other = await serve(() => void (connections += 1));
  const both = [
    { host, port: refusing, login },
    { host, port: other, login },
  ];
  await expect(onFirst(both, signal, async () => undefined)).rejects.toMatchObject({ problem: "login" });
  expect(connections).toBe(0);
});

/** What a start says of a PostgreSQL that it cannot connect to. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openConfiguredState } from "../../../../service/state/open";

let folder = "";
const file = (name: string) => join(folder, name);
const servers: Server[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postgres-tls-"));
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file("key.pem")];
  const name = ["-subj", "/CN=db.example.com", "-addext", "subjectAltName=DNS:db.example.com"];
  const args = ["req", "-x509", ...key, "-out", file("certificate.pem"), "-days", "2", ...name];
  execFileSync("openssl", args, { stdio: "ignore" });
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a server that answers a request for TLS, or the first message of another connection. */
async function serve(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `postgres://dag:secret-word@127.0.0.1:${(server.address() as AddressInfo).port}/dag`;
}

const encrypted = (socket: Socket) => {
  socket.write("S");
  const files = { key: readFileSync(file("key.pem")), cert: readFileSync(file("certificate.pem")) };
  new TLSSocket(socket, { isServer: true, ...files }).on("error", () => undefined);
};
const plain = (socket: Socket) => void socket.end("N");
/** An error of the server, by its SQLSTATE. */
const refusing = (code: string) => (socket: Socket) => {
  const fields = Buffer.from(`SFATAL\0C${code}\0MSECRET WORDS\0\0`);
  const header = Buffer.alloc(5);
  header.write("E");
  header.writeInt32BE(fields.length + 4, 1);
  socket.end(Buffer.concat([header, fields]));
};

test.each([
  [
    "a certificate that is not trusted",
    encrypted,
    "?sslmode=verify-full",
    /not trusted: name the file of its authority/,
  ],
  ["the mode require, which verifies too", encrypted, "?sslmode=require", /has a certificate that is not trusted/],
  ["the mode verify-ca", encrypted, "?a=b&sslmode=verify-ca&c=d", /has a certificate that is not trusted/],
  [
    "a certificate of another host",
    encrypted,
    "?sslmode=verify-full&sslrootcert=FOLDER/certificate.pem",
    /has a certificate for another host: use the name in its certificate as HOST/,
  ],
  [
    "a file that does not exist",
    encrypted,
    "?sslmode=verify-full&sslrootcert=FOLDER/no.pem",
    /needs a file that cannot be read \(ENOENT\): correct sslrootcert/,
  ],
  [
    "a server without TLS",
    plain,
    "?sslmode=verify-full",
    /cannot be reached .*, or remove sslmode if the server takes no/,
  ],
  [
    "a server that takes TLS only",
    refusing("28000"),
    "",
    /refuses the user "dag": .*encrypt the connection with \?sslmode/,
  ],
  ["no free connection", refusing("53300"), "", /has no connection left: raise its max_connections/],
  ["a server that starts", refusing("57P03"), "", /is starting or stopping: start again/],
])("openConfiguredState: says what to do about %s, without texts of others", async (_, answer, options, message) => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const url = (await serve(answer)) + options.replace("FOLDER", folder);
  const data = folder;
  const opened = openConfiguredState(
    { state: { kind: "postgres", url }, data },
    { now: Date.now, acceptLoss: false, processName: "here", isApart: false },
  );
  const error = (await opened.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as Error;
  expect(error.message).toMatch(message);
  expect(error.message).toMatch(/^the state's database "dag" at 127\.0\.0\.1:\d+ [^\n]*$/);
  expect(error.message).not.toMatch(/secret-word|SECRET WORDS/);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

/** How the service finds DuckDB's extension httpfs at its start, and that DuckDB trusts the servers that Node.js trusts. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { httpfsExtension } from "../../../tools/scale/httpfs.mts";
import { call, ended, type Target } from "../service/caller";
import { s3Environment, useS3 } from "./harness";

const s3 = useS3();
let httpfs: string;
let unavailable: string | undefined;

beforeAll(async () => {
  try {
    httpfs = await httpfsExtension();
  } catch (error) {
    unavailable = (error as Error).message;
    console.warn(`skipped: ${unavailable}`);
  }
}, 600_000);
beforeEach(({ skip }) => {
  if (unavailable !== undefined) skip(unavailable);
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

const cases: [string, () => string, RegExp][] = [
  [
    "no file",
    () => "missing/httpfs.duckdb_extension",
    /^dag-service: httpfs: \S+ does not exist: install that of DuckDB v/,
  ],
  [
    "a damaged file",
    () => {
      const bytes = readFileSync(httpfs);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(join(s3.folder.path, "damaged.duckdb_extension"), bytes);
      return "damaged.duckdb_extension";
    },
    /^dag-service: httpfs: \S+ is not loaded by DuckDB: it is for another version or platform, or is not signed by DuckDB: install/,
  ],
  [
    "a file of another kind",
    () => {
      writeFileSync(join(s3.folder.path, "httpfs.duckdb_extension"), "text");
      return "httpfs.duckdb_extension";
    },
    /is not loaded by DuckDB/,
  ],
];

test.each(cases)("start: %s as --httpfs is one line that says what to do", async (_, given, message) => {
  const { exit, stderr, stdout } = s3.folder.run(
    ["--listen", "127.0.0.1:0", "--storage", s3.specification, "--httpfs", given()],
    s3Environment,
  );
  expect(await exit).toBe(2);
  const lines = stderr().split("\n");
  expect(lines.filter((line) => line !== "" && !line.startsWith("dag-service created a key pair"))).toEqual([
    expect.stringMatching(message),
  ]);
  expect(stdout()).toBe("");
});

/** Runs a statement over a Parquet table of one object. */
async function count(service: Target): Promise<void> {
  const file = join(s3.folder.path, "rows.parquet");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(`COPY (SELECT range AS id, md5(range::VARCHAR) AS v FROM range(150000)) TO '${file}'`);
  await s3.put({ "dag://data/items/part": readFileSync(file) });
  await s3.makeBuckets("out");
  const body = { clusterName: "demo", query: "SELECT max(id) FROM data.items", outputResourcePath: "dag://out/r" };
  const { json } = await call(service, "POST", "/v1/?select", { body });
  const record = await ended(service, json.queryId);
  const log = (await call(service, "GET", `/v1/${json.queryId}/log?query`)).json.log as string;
  expect(record, log).toMatchObject({ status: "finished" });
  expect(await s3.content("dag://out/r/")).toBe("149999\n");
}

const tables = ["--tables", "[{database: data, table: items, format: parquet}]"];
const notice =
  /"Parquet objects are copied whole to be read, because DuckDB's extension httpfs is missing: \S+ does not exist: install that of DuckDB v\S+ for \S+ as docs\/scale\/s3.md describes, or name it with --httpfs"/;

test("start: without the extension a line of the log says so, and objects are copied", async () => {
  const environment = { ...s3Environment, HOME: join(s3.folder.path, "home") };
  const service = await s3.folder.start(["--storage", s3.specification, ...tables], environment);
  await expect.poll(service.stdout).toMatch(notice);
  await count(service);
});

test("start: the extension in DuckDB's own place is found", async () => {
  const home = join(s3.folder.path, "home");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const platform = String((await connection.runAndReadAll("PRAGMA platform")).getRowsJson()[0]![0]);
  const version = String((await connection.runAndReadAll("SELECT version()")).getRowsJson()[0]![0]);
  const folder = join(home, ".duckdb/extensions", version, platform);
  mkdirSync(folder, { recursive: true });
  copyFileSync(httpfs, join(folder, "httpfs.duckdb_extension"));
  const service = await s3.folder.start(["--storage", s3.specification, ...tables], { ...s3Environment, HOME: home });
  expect(service.stdout()).not.toMatch(notice);
  await count(service);
});

test("NODE_EXTRA_CA_CERTS: DuckDB trusts the server too", async () => {
  const { path } = s3.folder;
  const [key, certificate] = [join(path, "key.pem"), join(path, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject], {
    stdio: "ignore",
  });
  const { hostname, port } = new URL(s3.server.endpoint);
  const agents: string[] = [];
  server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (from, to) => {
    agents.push(from.headers["user-agent"] ?? "");
    const { method, url, headers } = from;
    const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(to);
    });
    from.pipe(passed);
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server!.once("listening", listening));
  const endpoint = `https://localhost:${(server.address() as AddressInfo).port}`;
  const environment = { ...s3Environment, NODE_EXTRA_CA_CERTS: certificate };
  const storage = ["--storage", `s3:${endpoint}?region=us-east-1`, "--httpfs", httpfs];
  const service = await s3.folder.start([...storage, ...tables], environment);
  await count(service);
  expect(agents.some((agent) => /duckdb/i.test(agent))).toBe(true);
});

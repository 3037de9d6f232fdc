/** A PostgreSQL server for tests: started from the machine's installation, in a temporary folder. */
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { descendantsOf, isAlive } from "../../../tools/quickstart/process-tree.mts";
import { freePort } from "../../../tools/scale/component.mts";
import { initdbArguments, installedPrograms, serverArguments } from "../../../tools/scale/postgres.mts";

export interface PostgresServer {
  readonly port: number;
  readonly password: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Ends the server at once, as a crash does, and starts it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and deletes its folder. */
  delete(): Promise<void>;
}

/** Folder of the server's programs; undefined where PostgreSQL is not installed. */
export const postgresPrograms: string | undefined = installedPrograms();

/** Starts a server. It does not run as root, which PostgreSQL refuses: as `nobody` instead. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = postgresPrograms!;
  const directory = mkdtempSync(join(tmpdir(), "dag-postgres-"));
  const owner = process.getuid?.() === 0 ? userOf("nobody") : undefined;
  const data = join(directory, "data");
  const password = "p%40ss:word/?#";
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, password);
  chmodSync(directory, 0o700);
  if (owner) for (const path of [directory, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const options = { cwd: directory, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", HOME: directory }, ...owner };
  await promisify(execFile)(join(programs, "initdb"), initdbArguments(data, passwordFile), options);
  const port = await freePort();
  let server: ChildProcess;
  const urlOf = (database: string) => `postgres://dag:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

  const start = async () => {
    server = spawn(join(programs, "postgres"), serverArguments(data, port, directory), { ...options, stdio: "ignore" });
    for (const end = Date.now() + 15_000; ;) {
      const client = new Client({ connectionString: urlOf("postgres") });
      try {
        await client.connect();
        return await client.end();
      } catch (error) {
        if (Date.now() > end || server.exitCode !== null) throw error;
        await sleep(20);
      }
    }
  };
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const own = descendantsOf(server.pid!);
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await ended;
    // Its own processes notice that it has gone, and end too. Until then, no other server starts on the folder.
    while (own.some(isAlive)) await sleep(20);
    rmSync(join(data, "postmaster.pid"), { force: true });
  };
  process.once("exit", () => server.kill("SIGKILL"));
  await start();
  let count = 0;
  return {
    port,
    password,
    async createDatabase() {
      const name = `test_${(count += 1)}`;
      const client = new Client({ connectionString: urlOf("postgres") });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return urlOf(name);
    },
    kill,
    start,
    async delete() {
      await kill();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function userOf(name: string) {
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

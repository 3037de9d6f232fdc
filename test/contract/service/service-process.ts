/** The command `dag-service` as a process, in a folder of its own. */
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { call, pause, type Target } from "./caller";
import { objects, quick } from "./fixture";

const main = join(__dirname, "../../../service/dist/service/main.js");

export interface Process extends Target {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Declares the tables of {@link ServiceFolder.fill}: the value of `--tables`. */
export const declared =
  '[{database: data, table: events, schema: "bigint id, string v"}, {database: data, table: numbers, schema: "bigint n"}]';

/** The folder of a test, and the services that it starts there. */
export interface ServiceFolder {
  readonly path: string;
  /** Starts the command with these arguments. */
  run(
    args: readonly string[],
    env?: NodeJS.ProcessEnv,
    stdio?: StdioOptions,
    user?: User,
  ): Omit<Process, keyof Target> & Ended;
  /** Starts a service, also as another user of the system, and waits for its first line. */
  start(args?: readonly string[], env?: NodeJS.ProcessEnv, user?: User): Promise<Process>;
  /** Writes the objects of the tests, and the bucket `out`. */
  fill(): void;
  /** Writes an object, such as `dag://data/t/a.csv`. */
  write(location: string, content: string): void;
}

/** A user of the system. @default the one who runs the test */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

interface Ended {
  readonly exit: Promise<number | null>;
}

/** Makes a folder for each test, and ends its services and deletes it afterwards. */
export function useServiceFolder(): ServiceFolder {
  let path = "";
  const children: ChildProcess[] = [];
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), "dag-process-"));
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => kill(child, "SIGKILL")));
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });
  const run: ServiceFolder["run"] = (args, env = {}, stdio = "pipe", user = {}) => {
    const options = { cwd: path, env: { PATH: process.env.PATH, ...env }, stdio, ...user };
    const child = spawn(process.execPath, [main, ...args], options);
    children.push(child);
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (chunk) => (stdout += chunk));
    child.stderr?.on("data", (chunk) => (stderr += chunk));
    const exit = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
    return { child, exit, stdout: () => stdout, stderr: () => stderr };
  };
  const write: ServiceFolder["write"] = (location, content) => {
    const file = join(path, ".dag/buckets", location.slice("dag://".length));
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, content);
  };
  return {
    get path() {
      return path;
    },
    run,
    start: async (args = [], env = {}, user = {}) => {
      const started = run(["--listen", "127.0.0.1:0", ...args], env, "pipe", user);
      const failed = started.exit.then((code) => {
        throw new Error(`exit ${code}: ${started.stderr()}`);
      });
      failed.catch(() => undefined);
      while (!started.stdout().includes("\n")) await Promise.race([pause(10), failed]);
      const first = JSON.parse(started.stdout().split("\n", 1)[0]!);
      expect(first).toMatchObject({ msg: "listening", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
      const file = join(path, ".dag/credentials.json");
      const credentials = existsSync(file)
        ? JSON.parse(readFileSync(file, "utf8"))
        : { accessKeyId: "AK", secretAccessKey: "SK" };
      return { ...started, url: first.url, credentials };
    },
    write,
    fill: () => {
      for (const [location, content] of Object.entries(objects)) write(location, content);
      mkdirSync(join(path, ".dag/buckets/out"), { recursive: true });
    },
  };
}

export function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}

/** Returns the processes of the engines of a service. */
export function enginesOf(parent: number): number[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

/** Returns true for a process that has not ended. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** Kills a service, and waits until its engines have ended too, which write to its folder until then. */
export async function killWithEngines(child: ChildProcess): Promise<void> {
  const engines = enginesOf(child.pid!);
  await kill(child, "SIGKILL");
  while (engines.some(isAlive)) await pause(20);
}

/** Submits a select to the cluster `demo`. */
export const select = (service: Target, overrides: object = {}) =>
  call(service, "POST", "/v1/?select", {
    body: { clusterName: "demo", query: quick, outputResourcePath: "dag://out/r", ...overrides },
  });

/** Submits a select, which must be accepted. Returns its ID. */
export async function submitted(service: Target, overrides: object): Promise<number> {
  const answer = await select(service, overrides);
  expect(answer.text).toContain("queryId");
  return answer.json.queryId;
}

/** Returns the resident memory of a process, in MB. */
export function residentMegabytes({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}

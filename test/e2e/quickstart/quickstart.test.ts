/** Tests the README's first command on a small event log: results, second run, interruption and `--destroy`. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandLineOf } from "../../../tools/quickstart/process-tree.mts";

const root = join(__dirname, "../../..");
/** Small enough for a test, and long enough to be interrupted. */
const eventBytes = 4_000_000;
let parent: string;
let folder: string;

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), "quickstart-test-"));
  folder = join(parent, "data");
});
afterAll(async () => {
  for (const pid of processesOf(parent)) process.kill(pid, "SIGKILL");
  rmSync(parent, { recursive: true, maxRetries: 5 });
});

interface Run {
  readonly child: ChildProcess;
  /** Output so far. */
  text(): string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** Runs the quickstart script from a folder outside of the repository. */
function quickstart(directory: string, ...args: string[]): Run {
  const setup = [join(root, "scripts/setup.mjs"), "--", "node", join(root, "scripts/quickstart.mts")];
  const own = ["--dir", directory, "--event-bytes", String(eventBytes)];
  const child = spawn(process.execPath, [...setup, ...own, ...args], {
    cwd: parent,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (printed += chunk));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  return { child, ended, text: () => printed };
}

async function until(what: string, run: Run, condition: () => boolean): Promise<void> {
  while (!condition()) {
    if (run.child.exitCode !== null) throw new Error(`it ended before ${what}:\n${run.text()}`);
    await sleep(20);
  }
}

/** Processes whose command line or working directory contains a folder. */
function processesOf(directory: string): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((pid) => pid !== process.pid && commandLineOf(pid).includes(directory));
}

async function expectNothingRuns(directory: string): Promise<void> {
  // Ended processes stay in /proc for a moment.
  for (let tries = 0; tries < 40 && processesOf(directory).length > 0; tries++) await sleep(50);
  expect(processesOf(directory).map(commandLineOf)).toEqual([]);
}

function stateFile(directory: string): string {
  return readFileSync(join(directory, "state/.pulumi/stacks/dag-quickstart/quickstart.json"), "utf8");
}

function resources(directory: string): { urn: string; type: string; id?: string; inputs?: { __provider?: string } }[] {
  return JSON.parse(stateFile(directory)).checkpoint.latest.resources;
}

describe("npm run quickstart", () => {
  let first: ReturnType<typeof resources>;

  test("prints result rows, and its second up changes nothing", async () => {
    const run = quickstart(folder);
    expect(await run.ended, run.text()).toBe(0);
    expect(run.text()).toMatch(/2026-01-01 +purchase +\d+ +\d+\.\d+/);
    expect(run.text()).toMatch(/DALLAS\/FORT WORTH INTL ARPT +908 +736006/);
    expect(run.text()).toContain("changed nothing: 6 resources");
    expect(run.text()).toContain("dag://quickstart/raw/events.csv (changed)");
    expect(run.text()).toContain("replaced 2 resources and kept 4");
    const purchases = [...run.text().matchAll(/2026-01-01 +purchase +(\d+)/g)].map(([, count]) => Number(count));
    expect(purchases).toEqual([purchases[0], purchases[0]! + 3]);
    await expectNothingRuns(folder);
  });

  test("creates all four resource types in order: log export and restart after the queries", () => {
    first = resources(folder);
    const kinds = first.map(({ type }) => type.split(":").at(-1));
    const own = ["SelectQuery", "SplitTable", "SelectQuery", "ClusterLogExport", "ClusterRestart"];
    expect(kinds.slice(2).toSorted()).toEqual(own.toSorted());
    expect(kinds.slice(-2)).toEqual(["ClusterLogExport", "ClusterRestart"]);
  });

  test("stores no secrets in the state, and makes its files readable only by the owner", () => {
    const { secretAccessKey } = JSON.parse(readFileSync(join(folder, "data/credentials.json"), "utf8"));
    expect(secretAccessKey.length).toBeGreaterThan(20);
    expect(stateFile(folder)).not.toContain(secretAccessKey);
    for (const file of ["env.sh", "passphrase", "service.log", "data/credentials.json"]) {
      expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
    }
  });

  test("stores no handler code in the state", () => {
    const codes = first.flatMap(({ inputs }) => (inputs?.__provider ? [inputs.__provider] : []));
    expect(codes).toHaveLength(5);
    for (const code of codes) expect(code.length).toBeLessThan(300);
  });

  test("runs a second time without running a query again", async () => {
    const run = quickstart(folder);
    expect(await run.ended, run.text()).toBe(0);
    expect(run.text()).toMatch(/2026-01-01 +purchase +\d+/);
    expect(run.text()).toContain("replaced 0 resources and kept 6");
    const idsOf = (all: ReturnType<typeof resources>) => Object.fromEntries(all.map(({ urn, id }) => [urn, id]));
    expect(idsOf(resources(folder))).toEqual(idsOf(first));
    await expectNothingRuns(folder);
  });

  test("--keep keeps the service and prints a link that signs in to its console", async () => {
    const run = quickstart(folder, "--keep");
    await until("it keeps the service", run, () => run.text().includes("The service keeps running"));
    await until("it prints the link", run, () => /keeps running[^]*#sign-in=[\w-]{32}\n/.test(run.text()));
    const [, url, token] = /keeps running[^]*?(http:\/\/[\d.:]+)\/console\/#sign-in=([\w-]+)/.exec(run.text())!;
    const page = await fetch(`${url}/console/`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const headers = { "x-dag-control": "1" };
    const signedIn = await fetch(`${url}/console/sign-in`, { method: "POST", headers, body: token! });
    expect(await signedIn.json()).toEqual(JSON.parse(readFileSync(join(folder, "data/credentials.json"), "utf8")));
    const environment = () => readFileSync(join(folder, "env.sh"), "utf8");
    expect(environment()).toContain(`export DAG_ENDPOINT='${url}'\n`);
    process.kill(-(run.child.pid as number), "SIGINT");
    expect(await run.ended, run.text()).toBe(0);
    expect(environment()).toContain("export DAG_ENDPOINT='http://127.0.0.1:9393'\n");
    await expectNothingRuns(folder);
  });

  test("continues after a run that was killed", async () => {
    const killed = quickstart(folder);
    await until("Pulumi starts", killed, () => killed.text().includes("── pulumi up"));
    process.kill(-(killed.child.pid as number), "SIGKILL");
    await killed.ended;
    const run = quickstart(folder);
    expect(await run.ended, run.text()).toBe(0);
    expect(run.text()).toContain("changed nothing");
    await expectNothingRuns(folder);
  });

  test("--destroy deletes everything, and reports when there is nothing to delete", async () => {
    const run = quickstart(folder, "--destroy");
    expect(await run.ended, run.text()).toBe(0);
    expect(existsSync(folder)).toBe(false);
    const again = quickstart(folder, "--destroy");
    expect(await again.ended, again.text()).toBe(0);
    expect(again.text()).toContain("nothing to destroy");
    await expectNothingRuns(folder);
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe("an interruption", () => {
  const moments = [
    ["while the service starts", "set-up", (directory: string) => existsSync(join(directory, "data"))],
    ["while Pulumi starts", "one", (_: string, printed: string) => printed.includes("── pulumi up")],
    ["while a query runs", "group", (directory: string) => logOf(directory).includes('"operation":"submitS')],
  ] as const;
  const logOf = (directory: string) => {
    const file = join(directory, "service.log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };

  test.each(moments)("%s: nothing is left running", async (_, whom, isMoment) => {
    const directory = join(parent, `interrupted-${whom}`);
    const run = quickstart(directory);
    await until("the moment", run, () => isMoment(directory, run.text()));
    const pid = run.child.pid as number;
    process.kill(whom === "group" ? -pid : pid, "SIGINT");
    expect(await run.ended, run.text()).toBe(130);
    await expectNothingRuns(directory);
  });

  test("the next run continues and succeeds", async () => {
    const directory = join(parent, "interrupted-group");
    const run = quickstart(directory);
    expect(await run.ended, run.text()).toBe(0);
    expect(run.text()).toContain("changed nothing");
    await expectNothingRuns(directory);
  });
});

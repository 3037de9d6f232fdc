import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dag, queriesOf, root, TestStack, type Target } from "./harness";
import { until } from "./processes";

const directory = mkdtempSync(join(tmpdir(), "dag-restart-"));
const credentials = { accessKeyId: "AK", secretAccessKey: "the-secret-of-this-test-0123456789" };
const slow = "SELECT sum((a.n * b.n) % 7) AS s FROM data.numbers a CROSS JOIN data.numbers b";

let child: ChildProcess;
let target: Target;
let stack: TestStack;

/** Starts the service in its own process, always with the same data; resolves with its address. */
async function start(listen: string): Promise<string> {
  const main = join(root, "service/dist/service/main.js");
  const data = join(directory, "data");
  child = spawn(
    process.execPath,
    [main, "--config", join(directory, "config.yaml"), "--listen", listen, "--data", data],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  for await (const chunk of child.stdout!) {
    const line = String(chunk)
      .split("\n")
      .find((one) => one.includes('"msg":"listening"'));
    if (line !== undefined) return (JSON.parse(line) as { readonly url: string }).url;
  }
  throw new Error("the service ended before it listened");
}

async function end(signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

beforeAll(async () => {
  const buckets = join(directory, "data/buckets");
  mkdirSync(join(buckets, "data/numbers"), { recursive: true });
  mkdirSync(join(buckets, "results"), { recursive: true });
  writeFileSync(join(buckets, "data/numbers/n.csv"), Array.from({ length: 15_000 }, (_, n) => `${n}\n`).join(""));
  const tables = '[{database: data, table: numbers, schema: "bigint n"}]';
  writeFileSync(join(directory, "config.yaml"), `credentials: [${JSON.stringify(credentials)}]\ntables: ${tables}\n`);
  target = { url: await start("127.0.0.1:0"), credentials, bucketsDirectory: buckets };
  stack = await TestStack.create(target);
});

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await end("SIGTERM");
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});

describe("a service in its own process", () => {
  test("killed and started again during a wait: the wait continues for the same query", async () => {
    stack.program = () => {
      new dag.SelectQuery("slow", { clusterName: "demo", query: slow, outputResourcePath: "dag://results/slow/" });
    };
    const up = stack.up();
    await until("the query runs", async () => (await queriesOf(target)).some(({ status }) => status === "running"));
    await end("SIGKILL");
    expect(await start(new URL(target.url).host)).toBe(target.url);
    const run = await up;
    expect(run.ok, run.text).toBe(true);
    expect(await queriesOf(target)).toMatchObject([{ id: 1, status: "finished" }]);
  });

  test("-v9: secrets are logged only by the engine, when it passes the configuration to dynamic providers", async () => {
    stack.program = () => {
      new dag.SelectQuery("quick", {
        clusterName: "demo",
        query: "SELECT 1 AS n",
        outputResourcePath: "dag://results/quick/",
      });
    };
    const run = await stack.up({ logVerbosity: 9, logToStdErr: true });
    expect(run.ok).toBe(true);
    expect(run.text.length).toBeGreaterThan(10_000);
    const lines = run.text.split("\n").filter((line) => line.includes(credentials.secretAccessKey));
    expect(lines.filter((line) => !line.includes("Marshaling property for RPC"))).toEqual([]);
  });
});

/**
 * `npm run quickstart -- --scale`: the quickstart's program, unchanged, on a Spark cluster over S3, with two service
 * processes on one PostgreSQL database, of which one is killed while it runs a query.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { Client } from "pulumi-dag/client";
import { inheritedEnvironment, programEnvironment } from "../quickstart/environment.mts";
import { writeEventLog } from "../quickstart/event-log.mts";
import { quickstartFolder, type QuickstartFolder } from "../quickstart/folder.mts";
import type { Interruption } from "../quickstart/interruption.mts";
import { root } from "../setup/layout.mjs";
import { startBalancer } from "./balancer.mts";
import { compareClusters } from "./compare.mts";
import { deleteFolder, temporaryFolder } from "./component.mts";
import { type ComponentName, componentNames, fetchComponents, startComponents } from "./components.mts";
import { type S3Access, s3Environment, storageOf } from "./s3.mts";
import { killInMidQuery, showTakeover } from "./takeover.mts";
import { startService, type ServiceProcess, type Shared } from "./services.mts";

/** The bucket of the program. */
const bucket = "quickstart";
const nameOf: Record<ComponentName, string> = { s3: "S3", postgres: "PostgreSQL", spark: "Spark", hive: "Hive" };

/** The first statement of a Hive takes half a minute, and longer on a busy machine. */
const timeouts = { headers: 150_000, call: 180_000 };

export interface ScaleOptions {
  /** Size of the event log. */
  readonly eventBytes: number;
  readonly interruption: Interruption;
}

/** Runs the quickstart at scale. Everything that it has started has ended when it returns. */
export async function runScaleQuickstart({ eventBytes, interruption }: ScaleOptions): Promise<void> {
  const { signal } = interruption;
  await requireComponents();
  const work = temporaryFolder("quickstart");
  const cleanUp: (() => Promise<void>)[] = [];
  try {
    heading("servers");
    const options = { buckets: [bucket], workers: 2, signal };
    const { stop, ...started } = await startComponents(componentNames, options, (line) => console.log(line));
    cleanUp.push(stop);
    const servers = started as Required<typeof started>;
    const shared: Shared = {
      folder: work,
      s3: servers.s3.access,
      postgres: servers.postgres.url,
      config: configOf(servers.spark, servers.hive),
      accessKeyId: "quickstart",
      secretAccessKey: randomBytes(24).toString("base64url"),
    };
    const services: ServiceProcess[] = [];
    cleanUp.push(async () => void (await Promise.all(services.map((service) => service.stop()))));
    for (const number of [1, 2]) services.push(await startService(shared, number, signal));
    const balancer = await startBalancer(services.map(({ url }) => url));
    cleanUp.push(() => balancer.close());
    services.forEach(({ url }, index) => console.log(`service process ${index + 1} on ${url}`));
    console.log(`load balancer on ${balancer.url}: to process 1, and to process 2 when process 1 takes no connection`);

    await uploadInputs(join(work, "inputs"), shared.s3, eventBytes, signal);
    const keys = { accessKeyId: shared.accessKeyId, secretAccessKey: shared.secretAccessKey };
    const access = { url: balancer.url, ...keys };
    await using client = new Client({ endpoint: balancer.url, ...keys, timeouts });
    const folder = quickstartFolder(join(work, "pulumi"));
    mkdirSync(folder.path);
    const environment = {
      ...programEnvironment(folder, access),
      ...s3Environment(shared.s3),
      DAG_STORAGE: storageOf(shared.s3),
    };
    const deployed = deploy(folder, environment, interruption);
    deployed.catch(() => {});
    const takeover = await killInMidQuery({ client, service: services[0]!, deployed, signal });
    await deployed;
    showTakeover(takeover);
    await compareClusters({ client, query: takeover.query, s3: shared.s3, signal });
  } finally {
    for (const step of cleanUp.toReversed()) await step();
    deleteFolder(work);
  }
  console.log("\nAll servers have ended, and their data is deleted. What it shows: docs/scale.md");
}

/** @throws Error that says all that this machine lacks */
async function requireComponents(): Promise<void> {
  const missing = await fetchComponents(componentNames);
  if (missing.size === 0) return;
  const lines = [...missing].map(([name, reason]) => `  ${nameOf[name]}: ${reason}`);
  throw new Error(`this machine lacks what \`--scale\` starts:\n${lines.join("\n")}`);
}

function configOf(spark: { readonly url: string; readonly ui?: string }, hive: { readonly url: string }): object {
  const instances = [{ grade: "standard", quantity: 5 }];
  return {
    clusters: [
      { name: "spark", type: "spark", instances },
      { name: "hive", type: "hive", instances },
      { name: "duckdb", type: "duckdb", instances },
    ],
    engines: {
      spark: { dialect: "spark", urls: [spark.url], ...(spark.ui && { ui: spark.ui }) },
      hive: { dialect: "hive", urls: [hive.url] },
    },
  };
}

/** Writes the inputs of the program, and uploads them to its bucket. */
async function uploadInputs(folder: string, s3: S3Access, eventBytes: number, signal: AbortSignal): Promise<void> {
  mkdirSync(folder);
  const events = join(folder, "events.csv");
  await writeEventLog(events, eventBytes, signal);
  const { endpoint, region, ...credentials } = s3;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const inputs = [
    { file: events, Key: "raw/events.csv" },
    { file: join(root, "node_modules/vega-datasets/data/birdstrikes.csv"), Key: "birdstrikes/birdstrikes.csv" },
  ];
  for (const { file, Key } of inputs) {
    signal.throwIfAborted();
    await new Upload({ client, params: { Bucket: bucket, Key, Body: createReadStream(file) } }).done();
  }
  client.destroy();
  console.log(`uploaded an event log of ${eventBytes / 1_000_000} MB and a table of bird strikes to s3://${bucket}/`);
}

/** Runs Pulumi in a process group of its own and forwards an interruption to it once. */
async function deploy(
  folder: QuickstartFolder,
  env: Record<string, string>,
  interruption: Interruption,
): Promise<void> {
  const program = join(root, "tools", "quickstart", "deploy.mts");
  const child: ChildProcess = spawn(process.execPath, [program, "up", folder.path, "spark"], {
    env: { ...inheritedEnvironment(), ...env },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const [code] = await interruption.stopOnInterruption(child, () => once(child, "exit"));
  interruption.signal.throwIfAborted();
  if (code !== 0) throw new Error("pulumi up failed: see Pulumi's output above");
}

function heading(text: string): void {
  console.log(`\n── ${text} ${"─".repeat(Math.max(0, 76 - text.length))}\n`);
}

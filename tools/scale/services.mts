/** Service processes that share a data folder, a database and the buckets of an S3 server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inheritedEnvironment } from "../quickstart/environment.mts";
import { root } from "../setup/layout.mjs";
import { GuardedProcess, MissingComponent } from "./component.mts";
import { httpfsExtension } from "./httpfs.mts";
import { type S3Access, s3Environment, storageOf } from "./s3.mts";

const main = join(root, "service", "dist", "service", "main.js");

/** What the processes share. */
export interface Shared {
  /** An empty folder for their config, data and logs. */
  readonly folder: string;
  readonly s3: S3Access;
  /** URL of the PostgreSQL database; without it, the state of one process is in its data folder. */
  readonly postgres?: string;
  /** The remaining config: clusters, engines, tables. */
  readonly config: object;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Ends the service with SIGKILL, and leaves what it has started. */
  kill(): Promise<void>;
  /** Sends a signal to the service. */
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Returns the setting with which the processes read Parquet objects by ranges; none where the extension cannot be had. */
async function httpfsSetting(): Promise<{ readonly DAG_SERVICE_HTTPFS?: string }> {
  try {
    return { DAG_SERVICE_HTTPFS: await httpfsExtension() };
  } catch (error) {
    if (!(error instanceof MissingComponent)) throw error;
    console.log(`Parquet objects are copied: ${error.message}`);
    return {};
  }
}

/**
 * Starts one process, and waits until it listens and its clusters are up.
 *
 * @param number of the process, for the name of its log
 */
export async function startService(shared: Shared, number: number, signal?: AbortSignal): Promise<ServiceProcess> {
  const { folder, s3, postgres, config, accessKeyId, secretAccessKey } = shared;
  const file = join(folder, "service.json");
  const credentials = [{ accessKeyId, secretAccessKey }];
  writeFileSync(file, JSON.stringify({ ...config, data: join(folder, "data"), storage: storageOf(s3), credentials }), {
    mode: 0o600,
  });
  const env = {
    ...inheritedEnvironment(),
    ...(postgres && { DAG_SERVICE_STATE: postgres }),
    ...s3Environment(s3),
    ...(await httpfsSetting()),
  };
  const log = join(folder, `service-${number}.log`);
  const args = [main, "--config", file, "--listen", "127.0.0.1:0"];
  const server = new GuardedProcess(`service process ${number}`, log, process.execPath, args, { cwd: folder, env });
  let url = "";
  const listens = (text: string) => {
    const line = text.split("\n").find((each) => each.includes('"msg":"listening"'));
    url = line === undefined ? "" : (JSON.parse(line) as { url: string }).url;
    return line !== undefined;
  };
  try {
    await server.until("listen", listens, signal);
    await clustersHaveStarted(url, signal);
  } catch (error) {
    await server.end();
    throw error;
  }
  const send = (name: NodeJS.Signals) => {
    if (server.pid !== undefined) process.kill(server.pid, name);
  };
  return {
    url,
    pid: server.pid!,
    signal: send,
    async kill() {
      send("SIGKILL");
      await server.ended;
    },
    stop: () => server.end(),
  };
}

/** Waits until the first start of each cluster has succeeded or failed: a service listens after 20 seconds without it. */
export async function clustersHaveStarted(url: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/healthz`, signal ? { signal } : {});
    const { clusters } = (await answer.json()) as { clusters: readonly { status: string }[] };
    if (!clusters.some(({ status }) => status === "init" || status === "starting")) return;
    await setTimeout(200, undefined, signal ? { signal } : {});
  }
}

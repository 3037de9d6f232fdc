/** Servers and services of one measurement, and what they use. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { Client } from "pulumi-dag/client";
import { deleteFolder, temporaryFolder } from "../../../tools/scale/component.mts";
import { type ComponentName, type Components, startComponents } from "../../../tools/scale/components.mts";
import type { S3Access } from "../../../tools/scale/s3.mts";
import { type ServiceProcess, type Shared, startService } from "../../../tools/scale/services.mts";
import { descendantsOf } from "../../../tools/quickstart/process-tree.mts";

/** The buckets of every measurement. */
const buckets = ["data", "raw", "out"];

/** A submission of 10,000 inputs, or on a busy machine, takes longer than the defaults. */
const timeouts = { headers: 120_000, call: 180_000 };

export interface Setting extends AsyncDisposable {
  readonly servers: Components;
  readonly s3: S3Access;
  /** The folder of the service's config and data. */
  readonly folder: string;
  /** The client of the SDK, for inputs. */
  readonly client: S3Client;
  /** Starts a service process; all of a setting share their state. */
  service(config: object, s3?: S3Access): Promise<Running>;
}

export interface Running extends ServiceProcess {
  readonly client: Client;
}

/** Starts servers. Everything has ended and is deleted when the setting is disposed of. */
export async function startSetting(names: readonly ComponentName[], workers = 0): Promise<Setting> {
  const servers = await startComponents(names, { buckets, workers }, (line) => console.log(`  ${line}`));
  const s3 = servers.s3!.access;
  const folder = temporaryFolder("bench");
  const { endpoint, region, ...credentials } = s3;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const running: Running[] = [];
  const pair = { accessKeyId: "bench", secretAccessKey: randomBytes(12).toString("hex") };
  return {
    servers,
    s3,
    folder,
    client,
    async service(config, own = s3) {
      mkdirSync(join(folder, "data"), { recursive: true });
      const { url: postgres } = servers.postgres ?? {};
      const shared: Shared = { folder, s3: own, config, ...pair, ...(postgres && { postgres }) };
      const service = await startService(shared, running.length + 1);
      const started = { ...service, client: new Client({ endpoint: service.url, ...pair, timeouts }) };
      running.push(started);
      return started;
    },
    async [Symbol.asyncDispose]() {
      for (const service of running) await service.client.close();
      await Promise.all(running.map((service) => service.stop()));
      client.destroy();
      await servers.stop();
      deleteFolder(folder);
    },
  };
}

/** Puts objects, 64 at a time. */
export async function putAll(
  client: S3Client,
  bucket: string,
  objects: Iterable<readonly [key: string, body: string]>,
) {
  const left = Iterator.from(objects);
  const put = async () => {
    for (const [Key, Body] of left) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
  };
  await Promise.all(Array.from({ length: 64 }, put));
}

/** Waits for a query. @returns its seconds @throws Error with its log unless it is finished */
export async function finished({ client }: Running, clusterName: string, submit: () => Promise<{ queryId: number }>) {
  const begun = performance.now();
  const { queryId } = await submit();
  const { status } = await client.waitForQuery({ queryId, clusterName });
  if (status !== "finished")
    throw new Error(`query ${queryId} is ${status}: ${(await client.getQueryLog({ queryId })).log}`);
  return (performance.now() - begun) / 1000;
}

/** A TCP proxy that counts the bytes that the server sends. */
export async function countingProxy(
  access: S3Access,
): Promise<{ access: S3Access; received(): number; close(): void }> {
  const { hostname, port } = new URL(access.endpoint);
  let bytes = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    far.on("data", (chunk: Buffer) => (bytes += chunk.length));
    for (const socket of [near, far]) socket.on("error", () => socket.destroy());
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { access: { ...access, endpoint }, received: () => bytes, close: () => void server.close() };
}

/** Watches the memory of a process and its descendants. */
export class MemoryWatch implements Disposable {
  /** The greatest sum of their resident sets, in MB. */
  most = 0;
  readonly #timer: NodeJS.Timeout;
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), 100);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const sum = [this.#pid, ...descendantsOf(this.#pid)].reduce((total, pid) => total + residentMegabytes(pid), 0);
    this.most = Math.max(this.most, sum);
  }
}

/** Returns the resident set of a process in MB; 0 when it has ended. */
function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

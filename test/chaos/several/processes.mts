/** The service processes of a run, their database and their buckets. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { s3Environment, startS3, storageOf, type S3Access, type S3Server } from "../../../tools/scale/s3.mts";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { startPostgres, type PostgresServer } from "../../contract/state/postgres-server.mts";
import { call, killService, startService, type Answer, type Service, type ServiceOptions } from "../service.mts";
import type { Findings } from "./findings.mts";
import { Records } from "./records.mts";

/** Service processes of a run. */
export const processCount = 3;
/** The clusters: queries of the first one are never cancelled by a restart. */
const clusters = [
  { name: "c1", slots: 4, memory: "512MB" },
  { name: "c2", slots: 1, memory: "256MB" },
] as const;
/** Rows of the table that selects read, and of each object that splits read. */
const rows = 20_000;
export const splitInputs = ["a", "b", "c"].map((name) => `in-${name}.csv`);

const bucketNames = ["data", "out", "raw"];

/** Milliseconds after which a caller gives up: the process may be stopped. */
const patience = 15_000;

/** A process that is alive, with the name under which the database knows it. */
export interface Member {
  readonly service: Service;
  /** Its place among the processes: a process that is started again has the same. */
  readonly index: number;
  readonly runner: string;
}

export class Processes {
  /** The processes that answer. */
  readonly members: Member[] = [];

  /** The folder of the processes' data. */
  readonly directory: string;
  readonly database: PostgresServer;
  readonly records: Records;
  readonly #options: Omit<ServiceOptions, "directory">;
  readonly #s3: S3Server | undefined;
  /** Resolves when no process is being started. */
  #begun: Promise<void> = Promise.resolve();

  private constructor(
    directory: string,
    database: PostgresServer,
    records: Records,
    options: Omit<ServiceOptions, "directory">,
    s3: S3Server | undefined,
  ) {
    this.directory = directory;
    this.database = database;
    this.records = records;
    this.#options = options;
    this.#s3 = s3;
  }

  /** The folder whose subfolders are the buckets. */
  get buckets(): string {
    return this.#options.buckets;
  }

  /** Starts a database, an S3 server if asked to, and the processes. */
  static async start(onS3: boolean, findings: Findings): Promise<Processes> {
    const directory = mkdtempSync(join(tmpdir(), "dag-several-"));
    const s3 = onS3 ? await startS3(bucketNames) : undefined;
    const database = await startPostgres();
    const url = await database.createDatabase();
    const buckets = s3?.directory ?? join(directory, "buckets");
    await fill(buckets, s3?.access);
    const options = {
      buckets,
      clusters,
      ...(s3 && { storage: storageOf(s3.access) }),
      environment: { DAG_SERVICE_STATE: url, ...(s3 && s3Environment(s3.access)) },
    };
    const all = new Processes(directory, database, new Records(url, findings), options, s3);
    for (let index = 0; index < processCount; index += 1) await all.begin(index);
    return all;
  }

  /** Starts a process, one at a time, so that it is known which one the database has got. */
  begin(index: number): Promise<void> {
    const begun = this.#begun.then(() => this.#begin(index));
    this.#begun = begun.catch(() => undefined);
    return begun;
  }

  /** On S3, the processes share no folder. */
  async #begin(index: number): Promise<void> {
    const directory = join(this.directory, this.#s3 ? `state-${index}` : "state");
    const service = await this.#startService(directory);
    this.members.push({ service, index, runner: await this.records.newProcess() });
  }

  /** Starts a service, again and again as a supervisor does: none starts while the database is not there. */
  async #startService(directory: string): Promise<Service> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startService({ ...this.#options, directory });
      } catch (error) {
        if (attempt === 20) throw error;
        await sleep(500);
      }
    }
  }

  /** Takes a process out of those that are asked. */
  remove(member: Member): void {
    this.members.splice(this.members.indexOf(member), 1);
  }

  /** Asks one of the processes; undefined without an answer. */
  async ask(random: () => number, method: string, target: string, body?: object): Promise<Answer | undefined> {
    const member = this.members[Math.floor(random() * this.members.length)];
    if (!member) return undefined;
    const giveUp = new AbortController();
    const answer = call(member.service, method, target, body);
    const late = sleep(patience, undefined, { signal: giveUp.signal }).catch(() => undefined);
    return await Promise.race([answer, late]).finally(() => giveUp.abort());
  }

  /** Ends everything. @param keep true to keep the files */
  async end(keep: boolean): Promise<void> {
    await Promise.all(this.members.map(({ service }) => killService(service)));
    await this.records.close();
    await this.database.delete();
    if (keep && this.#s3) cpSync(this.buckets, join(this.directory, "buckets"), { recursive: true });
    await this.#s3?.stop();
    if (!keep) rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Makes the buckets, with their objects. An object on S3 has an ETag when it was sent to the server. */
async function fill(buckets: string, access: S3Access | undefined): Promise<void> {
  for (const bucket of bucketNames) mkdirSync(join(buckets, bucket), { recursive: true });
  const client = access && new S3Client({ ...access, credentials: access, forcePathStyle: true });
  const write = async (bucket: string, key: string, content: string) => {
    if (client) return void (await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content })));
    mkdirSync(join(buckets, bucket, key, ".."), { recursive: true });
    await writeFile(join(buckets, bucket, key), content);
  };
  await write("data", "events/a.csv", lines("v"));
  for (const name of splitInputs) await write("raw", name, lines(name));
  client?.destroy();
}

/** Rows of a table with the columns `id` and `v`. */
export function lines(name: string): string {
  return Array.from({ length: rows }, (_, id) => `${id},${name}${id}\n`).join("");
}

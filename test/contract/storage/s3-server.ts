/** A real S3 server, versitygw, on a local folder. It is built once, as for the quickstart at scale. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../tools/scale/component.mts";
import { s3Program } from "../../../tools/scale/s3.mts";

/** Key pair of the server. */
export const s3Credentials = { accessKeyId: "s3-user", secretAccessKey: "s3-secret" };

export interface S3Server {
  readonly endpoint: string;
  /** The folder whose subfolders are the buckets. */
  readonly directory: string;
  close(): Promise<void>;
}

/**
 * Starts the server. Rejects with the reason when it can neither be found nor built.
 * @param given the folder whose subfolders are the buckets; it is kept. @default a temporary folder that is deleted
 */
export async function startS3Server(given?: string): Promise<S3Server> {
  const binary = await s3Program();
  const directory = given ?? (await mkdtemp(join(tmpdir(), "dag-s3-")));
  const port = await freePort();
  const { accessKeyId, secretAccessKey } = s3Credentials;
  const args = [
    "--access",
    accessKeyId,
    "--secret",
    secretAccessKey,
    "--port",
    `127.0.0.1:${port}`,
    "posix",
    directory,
  ];
  const server = spawn(binary, args, { stdio: ["ignore", "ignore", "pipe"] });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilItAnswers(server, endpoint);
  return {
    endpoint,
    directory,
    async close() {
      const ended = new Promise((done) => server.once("exit", done));
      if (server.exitCode === null && server.kill()) await ended;
      if (given === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(server: ChildProcess, endpoint: string): Promise<void> {
  let said = "";
  server.stderr!.on("data", (chunk: Buffer) => (said += chunk.toString()));
  for (let tries = 0; tries < 200; tries += 1) {
    if (server.exitCode !== null) throw new Error(`the S3 server ended with ${server.exitCode}: ${said}`);
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(50);
  }
  server.kill();
  throw new Error(`the S3 server did not answer at ${endpoint}: ${said}`);
}

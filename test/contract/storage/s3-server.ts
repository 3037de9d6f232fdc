/** A real S3 server, versitygw, on a local folder. It is built once from the Go module proxy and cached. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const version = "v1.8.0";
const cache = resolve(__dirname, "../../../node_modules/.cache/versitygw");

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
  const binary = await provideBinary();
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

/** Returns the path of the server's executable. Builds it first if it is missing, which takes a minute or two. */
async function provideBinary(): Promise<string> {
  const binary = join(cache, `versitygw-${version}`);
  if (existsSync(binary)) return binary;
  await mkdir(cache, { recursive: true });
  const building = await mkdtemp(join(cache, "build-"));
  try {
    const program = `github.com/versity/versitygw/cmd/versitygw@${version}`;
    await promisify(execFile)("go", ["install", program], { env: { ...process.env, GOBIN: building } });
    await rename(join(building, "versitygw"), binary);
    return binary;
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new Error(`no S3 server to test against, since Go could not build one (${reason})`, { cause: error });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
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

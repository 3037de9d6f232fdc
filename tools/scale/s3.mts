/** An S3 server, versitygw, whose buckets are folders of this machine. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  answersHttp,
  deleteFolder,
  fetchWith,
  freePort,
  GuardedProcess,
  inCache,
  requireProgram,
  temporaryFolder,
  type Server,
} from "./component.mts";

/** The module, whose checksum Go compares with its checksum database. */
const versitygw = { module: "github.com/versity/versitygw/cmd/versitygw", version: "1.8.0" } as const;

/** Where buckets are, and with which key pair. */
export interface S3Access {
  /** Such as `http://127.0.0.1:7070`. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Server extends Server {
  readonly access: S3Access;
  /** The folder whose subfolders are the buckets. */
  readonly directory: string;
  /** The file of its log, which has a line for each request: `… | GET | /bucket/key | …`. */
  readonly log: string;
}

/** Returns the path of the server's program, which Go builds once. */
export async function s3Program(): Promise<string> {
  return await inCache(`versitygw-${versitygw.version}`, `versitygw ${versitygw.version} (80 MB)`, async (work) => {
    const go = requireProgram("go", "install Go 1.24 or later");
    const env = { ...process.env, GOBIN: work, GOFLAGS: "", CGO_ENABLED: "0" };
    const args = ["install", `${versitygw.module}@v${versitygw.version}`];
    await fetchWith(go, args, { cwd: work, env, remedy: "it must reach a Go module proxy" });
    return join(work, "versitygw");
  });
}

/**
 * Starts the server and waits until it answers.
 *
 * @param buckets that it has
 * @param signal ends the start
 */
export async function startS3(buckets: readonly string[], signal?: AbortSignal): Promise<S3Server> {
  const program = await s3Program();
  const work = temporaryFolder("s3");
  const directory = join(work, "buckets");
  const log = join(work, "log");
  for (const bucket of buckets) mkdirSync(join(directory, bucket), { recursive: true });
  const port = await freePort();
  const access = {
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    accessKeyId: "s3-user",
    secretAccessKey: "s3-secret",
  };
  const env = { ...process.env, ROOT_ACCESS_KEY: access.accessKeyId, ROOT_SECRET_KEY: access.secretAccessKey };
  const args = ["--port", `127.0.0.1:${port}`, "posix", directory];
  const server = new GuardedProcess("versitygw", log, program, args, { cwd: work, env });
  const stop = async () => {
    await server.end();
    deleteFolder(work);
  };
  try {
    await server.until("answer", () => answersHttp(access.endpoint), signal);
    return { version: `versitygw ${versitygw.version}`, access, directory, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the settings of Hadoop's S3A client, with which Hive and Spark reach the server; credentials are in the environment. */
export function s3aSettings({ endpoint, region }: S3Access): Readonly<Record<string, string>> {
  return {
    "fs.s3a.endpoint": endpoint,
    "fs.s3a.endpoint.region": region,
    "fs.s3a.path.style.access": "true",
    "fs.s3a.connection.ssl.enabled": String(endpoint.startsWith("https:")),
    // With it, each PUT waits minutes for the deletion of folders' markers, which versitygw refuses.
    "fs.s3a.directory.marker.retention": "keep",
    // Tests put objects as files, which have no etags: S3A's default stream needs one.
    "fs.s3a.change.detection.mode": "none",
    "fs.s3a.change.detection.version.required": "false",
    "fs.s3a.input.stream.type": "classic",
  };
}

/** Returns the environment variables with the key pair. */
export function s3Environment({ accessKeyId, secretAccessKey, region }: S3Access): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region };
}

/** Returns the setting `storage` of the service and of the provider. */
export function storageOf({ endpoint, region }: S3Access): string {
  return `s3:${endpoint}?region=${region}`;
}

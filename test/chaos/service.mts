/** Runs a real service process and sends signed requests to it. */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { authorization } = createRequire(import.meta.url)(
  join(root, "service/dist/contract/index.js"),
) as typeof import("../../contract/index.ts");

export interface Service {
  readonly process: ChildProcess;
  readonly url: string;
  /** The folder of its data; the buckets are in `buckets/`. */
  readonly directory: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Starts a service on the folder with one cluster, `c1`, and waits until it listens. */
export async function startService(directory: string, slots: number): Promise<Service> {
  const clusters = `[{name: c1, memory: 512MB, instances: [{grade: small, quantity: ${slots + 1}}]}]`;
  const tables = '[{database: data, table: events, schema: "bigint id, string v"}]';
  const main = join(root, "service/dist/service/main.js");
  const args = ["--listen", "127.0.0.1:0", "--data", directory, "--clusters", clusters, "--tables", tables];
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const killWithParent = () => child.kill("SIGKILL");
  process.once("exit", killWithParent);
  child.once("exit", () => process.off("exit", killWithParent));
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const first = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the service ended with exit code ${code}: ${errors}`)));
  });
  child.stdout.resume();
  const { url } = JSON.parse(first) as { url: string };
  return { process: child, url, directory };
}

export function killService({ process: child }: Service): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

/** Sends one request; returns undefined when the connection breaks before the response is complete. */
export async function call(
  service: Service,
  method: string,
  target: string,
  body?: object,
): Promise<Answer | undefined> {
  const credentials = JSON.parse(readFileSync(join(service.directory, "credentials.json"), "utf8"));
  const date = new Date().toUTCString();
  const contentType = body === undefined ? undefined : "application/json";
  const headers: Record<string, string> = {
    Date: date,
    Authorization: authorization({ method, target, contentType, date }, credentials),
    ...(contentType === undefined ? {} : { "Content-Type": contentType }),
  };
  try {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(service.url + target, { method, headers, ...init });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

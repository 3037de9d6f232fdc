/** Runs the built `dag-service` command for a service of a test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Target } from "../service/caller";

/** The built program. */
export const main = join(__dirname, "../../../service/dist/service/main.js");

/** Returns the environment of a command for the service of a test. */
export function environmentFor({ service }: { readonly service: Target }) {
  const { accessKeyId, secretAccessKey } = service.credentials;
  return {
    PATH: process.env["PATH"],
    DAG_ENDPOINT: service.url,
    DAG_ACCESS_KEY_ID: accessKeyId,
    DAG_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/** Returns a function that starts the command with the service's address and key pair in its environment. */
export const commandFor =
  (fixture: { readonly service: Target }) =>
  (args: readonly string[], environment: Record<string, string> = {}, input?: string | Uint8Array) => {
    const env = { ...environmentFor(fixture), ...environment };
    const child = spawn(process.execPath, [main, ...args], { env });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.stdin.end(input);
    const ended = once(child, "close").then(([code]) => ({ code: code as number, stdout, stderr }));
    return { child, ended };
  };

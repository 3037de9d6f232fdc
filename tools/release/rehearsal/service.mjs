/** The service as a user runs it: by npx, or as an installed program. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { platformCommand } from "../../setup/platform-command.mjs";

/** @typedef {import("./user.mjs").User} User */
/** @typedef {{ address?: string, args?: string[] }} ServiceOptions `address` to listen on, and more arguments */

/**
 * @param {string} spec of the package for npm, such as `@pulumi-dag/service@1.0.0` or a packed file
 * @returns {string[]} the command that runs its program
 */
export const byNpx = (spec) => ["npx", "--yes", "--package", spec, "dag-service"];

/**
 * Starts the service and waits until it listens.
 *
 * @param {User} user
 * @param {readonly string[]} command
 * @param {string} data its folder
 * @param {ServiceOptions} [options]
 */
export async function startService(user, command, data, options = {}) {
  const { child, said } = spawnService(user, command, data, options);
  const listening = () =>
    said()
      .split("\n")
      .find((line) => line.includes('"msg":"listening"'));
  for (let tries = 0; listening() === undefined; tries++) {
    if (child.exitCode !== null || tries > 1_500)
      throw new Error(`the service does not start:\n${said().slice(-2_000)}`);
    await sleep(200);
  }
  const { url } = JSON.parse(String(listening()));
  const { accessKeyId, secretAccessKey } = JSON.parse(readFileSync(join(data, "credentials.json"), "utf8"));
  const buckets = join(data, "buckets");
  for (const bucket of ["data/raw", "results", "tables", "wildlife/strikes"])
    mkdirSync(join(buckets, bucket), { recursive: true });
  writeFileSync(join(buckets, "data/raw/birds.csv"), "owl,2\nwren,5\n");
  writeFileSync(join(buckets, "wildlife/strikes/strikes.json"), '{"state":"NY"}\n');
  const env = {
    ...user.env,
    DAG_ENDPOINT: url,
    DAG_ACCESS_KEY_ID: accessKeyId,
    DAG_SECRET_ACCESS_KEY: secretAccessKey,
    DAG_STORAGE: `file:${buckets}`,
    DAG_POLL_INTERVAL: "250",
  };
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    for (let tries = 0; await answers(url); tries++) {
      if (tries > 150) throw new Error("the service still answers 15 s after a SIGTERM");
      await sleep(100);
    }
  };
  return { url, env, stop };
}

/**
 * Starts a service that is expected to end by itself.
 *
 * @param {User} user
 * @param {readonly string[]} command
 * @param {string} data
 * @param {ServiceOptions} [options]
 * @returns {Promise<{ code: number | null, said: string }>}
 */
export async function endedService(user, command, data, options = {}) {
  const { child, said } = spawnService(user, command, data, options);
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, said: said() };
}

/**
 * @param {User} user
 * @param {readonly string[]} command
 * @param {string} data
 * @param {ServiceOptions} options
 */
function spawnService({ home, env }, command, data, { address = "127.0.0.1:0", args = [] }) {
  const [program = "", ...words] = [...command, "--listen", address, "--data", data, ...args];
  const call = platformCommand(program, words);
  const child = spawn(call.file, call.args, { shell: call.shell, cwd: home, env, stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  return { child, said: () => said };
}

/** @param {string} url */
function answers(url) {
  return fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

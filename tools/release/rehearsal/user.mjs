/** A user with an empty home folder, whose package managers know this rehearsal's registries. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { withPath } from "../../setup/layout.mjs";
import { platformCommand } from "../../setup/platform-command.mjs";
import { sdks } from "../packages.mjs";
import { must } from "../step.mjs";

const repository = "github.com/pulumi-dag/pulumi-dag";

/**
 * @param {string} folder of the rehearsal
 * @param {{ npm: { url: string }, pypi: { url: string } } | undefined} registries undefined for those of the developer
 * @param {string} pulumi the folder of the Pulumi CLI
 */
export function makeUser(folder, registries, pulumi) {
  const home = join(folder, "home");
  mkdirSync(join(home, "state"), { recursive: true });
  if (registries) writeFileSync(join(home, ".npmrc"), `registry=${registries.npm.url}/\nupdate-notifier=false\n`);
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|DAG_|PULUMI_)/i.test(name)),
  );
  const env = withPath([dirname(process.execPath), pulumi], {
    ...inherited,
    HOME: home,
    USERPROFILE: home,
    PULUMI_HOME: join(home, ".pulumi"),
    PULUMI_BACKEND_URL: pathToFileURL(join(home, "state")).href,
    PULUMI_CONFIG_PASSPHRASE: "rehearsal",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...(registries && { PIP_EXTRA_INDEX_URL: `${registries.pypi.url}/simple/` }),
  });
  // A folder of the project lies in the home folder, outside of any package of the clone.
  const project = (/** @type {string} */ name, /** @type {Record<string, string>} */ files) => {
    const path = join(home, name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  };
  return { home, env, project };
}

/** @typedef {ReturnType<typeof makeUser>} User */

/**
 * Starts the service with npx, from the registry.
 *
 * @param {User} user
 * @param {string} spec of the package, such as `@pulumi-dag/service@1.0.0`
 * @param {string} data its folder
 */
export async function startService({ home, env }, spec, data) {
  const call = platformCommand("npx", [
    "--yes",
    "--package",
    spec,
    "dag-service",
    "--listen",
    "127.0.0.1:0",
    "--data",
    data,
  ]);
  const child = spawn(call.file, call.args, {
    shell: call.shell,
    cwd: home,
    env,
    stdio: "pipe",
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const listening = () => said.split("\n").find((line) => line.includes('"msg":"listening"'));
  for (let tries = 0; listening() === undefined; tries++) {
    if (child.exitCode !== null || tries > 1_500) throw new Error(`the service does not start:\n${said.slice(-2_000)}`);
    await sleep(200);
  }
  const { url } = JSON.parse(String(listening()));
  const { accessKeyId, secretAccessKey } = JSON.parse(readFileSync(join(data, "credentials.json"), "utf8"));
  const buckets = join(data, "buckets");
  for (const bucket of ["data/raw", "results", "tables"]) mkdirSync(join(buckets, bucket), { recursive: true });
  writeFileSync(join(buckets, "data/raw/birds.csv"), "owl,2\nwren,5\n");
  const configured = {
    ...env,
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
    for (let tries = 0; tries < 100; tries++) {
      if (
        !(await fetch(`${url}/healthz`).then(
          (answer) => answer.ok,
          () => false,
        ))
      )
        return;
      await sleep(100);
    }
    throw new Error("the service still answers 10 s after SIGTERM to npx");
  };
  return { url, env: configured, stop };
}

/**
 * Makes a Go proxy of files from the tags of the remote, as Go's own proxy does.
 *
 * @param {string} folder
 * @param {string} remote the bare repository
 * @param {string} version
 * @returns {Promise<NodeJS.ProcessEnv>} Go's settings for a user
 */
export async function makeGoProxy(folder, remote, version) {
  const cache = join(folder, "go-proxy");
  await must("go", ["mod", "download", "-modcacherw", `${sdks.go.module}@v${version}`], {
    cwd: folder,
    env: {
      ...process.env,
      GOMODCACHE: cache,
      GOPROXY: "direct",
      GONOSUMDB: repository,
      GOFLAGS: "",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${pathToFileURL(remote).href}.insteadOf`,
      GIT_CONFIG_VALUE_0: `https://${repository}`,
    },
  });
  const outside = (await must("go", ["env", "GOPROXY"], { cwd: folder })).trim();
  return {
    GOPROXY: `${pathToFileURL(join(cache, "cache/download")).href},${outside}`,
    GONOSUMDB: repository,
    GOFLAGS: "-mod=mod -modcacherw",
    // Only compiled packages are shared with the developer: they take minutes, and no module comes from there.
    GOCACHE: (await must("go", ["env", "GOCACHE"], { cwd: folder })).trim(),
  };
}

/**
 * Real registries on this machine, in the rehearsal's folder: verdaccio for npm, pypiserver for PyPI, a bare git remote; and
 * servers that take archives and Maven packages as GitHub and Maven Central do.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { must } from "../step.mjs";
import { startFaultProxy } from "./fault-proxy.mjs";
import { startMavenServer } from "./maven-server.mjs";
import { startReleaseServer } from "./release-server.mjs";

const verdaccio = "6.10.4";
/** Verdaccio's `node-fetch` is a range that not every registry has. */
const verdaccioManifest = { private: true, dependencies: { verdaccio }, overrides: { "node-fetch": "2.7.0" } };
const pythonPackages = ["pypiserver==2.4.2", "build", "twine", "setuptools", "wheel"];

/**
 * Starts the registries.
 *
 * @param {string} folder
 */
export async function startRegistries(folder) {
  mkdirSync(folder, { recursive: true });
  /** @type {import("node:child_process").ChildProcess[]} */
  const children = [];
  const npm = await startVerdaccio(join(folder, "npm"), children);
  const pypi = await startPypi(join(folder, "pypi"), children);
  const git = join(folder, "remote.git");
  await must("git", ["init", "--quiet", "--bare", "--initial-branch=main", git]);
  const archives = await startReleaseServer();
  const maven = await startMavenServer(join(folder, "maven"));
  const close = () => {
    for (const child of children) child.kill("SIGKILL");
    for (const server of [npm, pypi, archives, maven]) server.close();
  };
  return { npm, pypi, git: { folder: git, ...gitFault(git) }, archives, maven, close };
}

/** @typedef {Awaited<ReturnType<typeof startRegistries>>} Registries */

/**
 * Packages of other owners come from the registry of npm's own settings.
 *
 * @param {string} folder
 * @param {import("node:child_process").ChildProcess[]} children
 */
async function startVerdaccio(folder, children) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(verdaccioManifest));
  await must("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
  const uplink = (await must("npm", ["config", "get", "registry", "--loglevel=silent"])).trim();
  const all = { access: "$all", publish: "$authenticated", unpublish: "$authenticated" };
  const config = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { outside: { url: uplink, maxage: "60m" } },
    packages: {
      "@pulumi-dag/*": all,
      "pulumi-dag": all,
      "hiveql-duckdb": all,
      "**": { ...all, proxy: "outside" },
    },
    max_body_size: "200mb",
    log: { type: "stdout", format: "json", level: "warn" },
  };
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const port = await freePort();
  const main = join(folder, "node_modules/verdaccio/bin/verdaccio");
  start(
    process.execPath,
    [main, "--config", join(folder, "config.yaml"), "--listen", `127.0.0.1:${port}`],
    folder,
    children,
  );
  await answers(`http://127.0.0.1:${port}/-/ping`);
  const proxy = await startFaultProxy(port);
  const user = { name: "releaser", password: "releaser-of-the-rehearsal" };
  const answer = await fetch(`${proxy.url}/-/user/org.couchdb.user:${user.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  return { ...proxy, token: String(/** @type {any} */ (await answer.json()).token) };
}

/**
 * @param {string} folder
 * @param {import("node:child_process").ChildProcess[]} children
 */
async function startPypi(folder, children) {
  mkdirSync(join(folder, "packages"), { recursive: true });
  await must("python3", ["-m", "venv", join(folder, "venv")]);
  const programs = join(folder, "venv/bin");
  await must(join(programs, "python3"), ["-m", "pip", "install", "--quiet", ...pythonPackages]);
  const port = await freePort();
  const args = ["run", "-i", "127.0.0.1", "-p", String(port), "-P", ".", "-a", ".", "--disable-fallback"];
  start(join(programs, "pypi-server"), [...args, join(folder, "packages")], folder, children);
  await answers(`http://127.0.0.1:${port}/simple/`);
  return { ...(await startFaultProxy(port)), programs };
}

/** @param {string} folder of the remote */
function gitFault(folder) {
  const hook = join(folder, "hooks/update");
  /** @param {string} ref part of the name of the ref that is refused */
  const refuse = (ref) => {
    writeFileSync(hook, `#!/bin/sh\ncase "$1" in *${ref}*) exit 1;; esac\n`);
    chmodSync(hook, 0o755);
  };
  return { refuse, accept: () => rmSync(hook, { force: true }) };
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {import("node:child_process").ChildProcess[]} children
 */
function start(program, args, cwd, children) {
  const log = openSync(join(cwd, "server.log"), "a");
  children.push(spawn(program, [...args], { cwd, stdio: ["ignore", log, log] }));
}

/** @param {string} url */
async function answers(url) {
  for (let tries = 0; tries < 300; tries++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(200);
  }
  throw new Error(`${url} does not answer`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

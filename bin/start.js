// Starts the plugin in this Node.js, or in a newer one on this machine when this one is too old.
"use strict";

const { existsSync, readFileSync, readdirSync } = require("node:fs");
const { homedir } = require("node:os");
const { delimiter, dirname, join } = require("node:path");
const { spawn, spawnSync } = require("node:child_process");

const { version, engines } = /** @type {{ version: string, engines: { node: string } }} */ (
  JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8"))
);
/** The oldest Node.js that runs the plugin, such as `22.19`. */
const oldestNode = engines.node.replace(">=", "");
const main = join(__dirname, "..", "dist", "provider", "plugin", "main.js");

const [argument = ""] = process.argv.slice(2);
if (argument === "--version" || argument === "-v") console.log(version);
else if (argument === "--help" || argument === "-h") console.log(help());
else if (isEnough(process.versions.node)) require(main);
else runWith(newerNode());

/** @returns {string} what `--help` prints */
function help() {
  return `pulumi-resource-dag ${version}: the Pulumi resource provider "dag".

Pulumi starts it by itself: put it on PATH, or set plugins.providers[].path of Pulumi.yaml to its folder.

Usage: pulumi-resource-dag [HOST:PORT]

Serves Pulumi's provider protocol on a free port of 127.0.0.1 and prints the port. HOST:PORT is the address at
which the Pulumi engine receives messages.

  --help     prints this
  --version  prints the version`;
}

/**
 * Runs the plugin in another Node.js with this process's input, output and exit code.
 *
 * @param {string | undefined} node undefined when no newer Node.js was found
 */
function runWith(node) {
  if (node === undefined) {
    console.error(
      `pulumi-resource-dag needs Node.js ${oldestNode} or later, and not 23, but this is Node.js ` +
        `${process.versions.node}: put a newer node first on PATH, or install the plugin's archive, which includes ` +
        "Node.js",
    );
    process.exit(1);
  }
  // The child notices that this process was killed when the IPC channel closes; nothing is sent over it.
  const stdio = /** @type {const} */ (["inherit", "inherit", "inherit", "ipc"]);
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: [...stdio] });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  child.once("error", (error) => {
    console.error(`pulumi-resource-dag cannot start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.once("exit", (code) => process.exit(code ?? 1));
}

/** Finds a Node.js that is new enough: in a node_modules folder above this package, on PATH, or beside a Pulumi CLI. */
function newerNode() {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const pulumi = join(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "versions");
  const folders = [
    ...ancestors(dirname(main)).map((folder) => join(folder, "node_modules", "node", "bin")),
    ...(process.env.PATH || "").split(delimiter),
    ...(existsSync(pulumi) ? readdirSync(pulumi).map((release) => join(pulumi, release, "node", "bin")) : []),
  ];
  const found = folders.map((folder) => join(folder, name)).filter((file) => existsSync(file));
  return found.find((file) => isEnough(spawnSync(file, ["--version"], { encoding: "utf8" }).stdout || ""));
}

/**
 * @param {string} folder
 * @returns {string[]} the folder and all its parents
 */
function ancestors(folder) {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** @param {string} running version, such as `v24.1.0` */
function isEnough(running) {
  const [major = 0, minor = 0] = running.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  // The plugin refuses 23: see contract/node-version.ts.
  return major !== 23 && (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor));
}

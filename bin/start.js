// Starts the plugin in a Node that can run it: this one, or a newer one that is at hand.
"use strict";

const { existsSync, readdirSync } = require("node:fs");
const { homedir } = require("node:os");
const { delimiter, dirname, join } = require("node:path");
const { spawn, spawnSync } = require("node:child_process");

/** Major and minor version. */
const needed = /** @type {const} */ ([22, 19]);
const main = join(__dirname, "..", "dist", "provider", "plugin", "main.js");

if (isEnough(process.versions.node)) require(main);
else hand(newerNode());

/**
 * Runs the plugin in another Node: its input, output and end are this process's.
 *
 * @param {string | undefined} node
 */
function hand(node) {
  if (node === undefined) {
    console.error(
      `pulumi-resource-dag needs Node ${needed.join(".")} or later, and this is ${process.versions.node}: ` +
        "put a newer one first on PATH, or install the plugin's archive, which brings its own",
    );
    process.exit(1);
  }
  // The channel, over which nothing is sent, tells it when this process is killed.
  const stdio = /** @type {const} */ (["inherit", "inherit", "inherit", "ipc"]);
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: [...stdio] });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  child.once("error", (error) => {
    console.error(`pulumi-resource-dag cannot run ${node}: ${error.message}`);
    process.exit(1);
  });
  child.once("exit", (code) => process.exit(code ?? 1));
}

/** A Node that is new enough: beside the package's dependencies, on PATH, or beside Pulumi. */
function newerNode() {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const pulumi = join(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "versions");
  const folders = [
    ...ancestors(dirname(main)).map((folder) => join(folder, "node_modules", "node", "bin")),
    ...(process.env.PATH || "").split(delimiter),
    ...(existsSync(pulumi) ? readdirSync(pulumi).map((version) => join(pulumi, version, "node", "bin")) : []),
  ];
  const found = folders.map((folder) => join(folder, name)).filter((file) => existsSync(file));
  return found.find((file) => isEnough(spawnSync(file, ["--version"], { encoding: "utf8" }).stdout || ""));
}

/**
 * @param {string} folder
 * @returns {string[]} it and every folder that holds it
 */
function ancestors(folder) {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** @param {string} version */
function isEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

/** Starts a Hive server for one run. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "../../../tools/setup/layout.mjs";

export interface HiveServer {
  readonly url: string;
  /** Ends the server and deletes its files. */
  stop(): Promise<void>;
}

/** The internal Java modules that Hive accesses by reflection. */
const openedModules = [
  "java.base/java.lang",
  "java.base/java.util",
  "java.base/java.io",
  "java.base/java.net",
  "java.base/java.nio",
  "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/java.text",
  "java.base/java.util.regex",
  "java.base/java.time",
  "java.base/sun.nio.ch",
  "java.sql/java.sql",
];
const startMs = 120_000;

/**
 * Starts HiveServer2 and waits until it accepts connections. Needs `mvn` and Java 17; caches the jars.
 * @param home a folder with `pom.xml`, which names Hive's artifacts, and `hive-site.xml`, in which `${work}` is
 *   replaced by the folder that the server may write to.
 * @throws Error when a program is missing or the server ends unexpectedly.
 */
export async function startHive(home: string): Promise<HiveServer> {
  const site = readFileSync(join(home, "hive-site.xml"), "utf8");
  const jars = await fetchJars(home);
  const work = mkdtempSync(join(tmpdir(), "conformance-hive-"));
  for (const folder of ["wh", "scratch", "lscratch", "user", "conf"]) {
    mkdirSync(join(work, folder));
    // Hive requires scratch directories that every user may write to.
    chmodSync(join(work, folder), 0o777);
  }
  chmodSync(work, 0o777);
  writeFileSync(join(work, "conf/hive-site.xml"), site.replaceAll("${work}", work));
  const port = Number(/thrift\.port<\/name>\s*<value>(\d+)/.exec(site)?.[1] ?? 10_000);
  const log = openSync(join(work, "server.log"), "a");
  const options = openedModules.map((module) => `--add-opens=${module}=ALL-UNNAMED`);
  const java = spawn(
    "java",
    [
      "-Xmx2g",
      ...options,
      "-cp",
      `${join(work, "conf")}:${join(jars, "*")}`,
      "org.apache.hive.service.server.HiveServer2",
    ],
    { cwd: work, env: { ...process.env, HADOOP_HOME: work }, stdio: ["ignore", log, log] },
  );
  const ended = once(java, "exit");
  const stop = async () => {
    java.kill("SIGTERM");
    await ended.catch(() => undefined);
    rmSync(work, { recursive: true, force: true });
  };
  try {
    await waitUntilListening(port, java);
    return { url: `hive://127.0.0.1:${port}`, stop };
  } catch (error) {
    const logTail = readFileSync(join(work, "server.log"), "utf8").trim().split("\n").slice(-5).join("\n");
    await stop();
    throw new Error(`${(error as Error).message}; the last lines of its log:\n${logTail}`, { cause: error });
  }
}

async function fetchJars(home: string): Promise<string> {
  const folder = join(root, "node_modules/.cache/conformance-hive");
  const jars = join(folder, "jars");
  const done = join(folder, "complete");
  if (existsSync(done)) return jars;
  mkdirSync(folder, { recursive: true });
  cpSync(join(home, "pom.xml"), join(folder, "pom.xml"));
  console.log("downloading Hive's jars with mvn (about 330 MB, only once)");
  const maven = spawn("mvn", ["-q", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`], {
    cwd: folder,
    stdio: "inherit",
  });
  const [code] = await once(maven, "exit");
  if (code !== 0) throw new Error(`mvn failed with exit code ${code} for ${join(folder, "pom.xml")}`);
  writeFileSync(done, "");
  return jars;
}

/** Waits until the server accepts connections on a port of this machine. */
async function waitUntilListening(port: number, server: ReturnType<typeof spawn>): Promise<void> {
  const failure = new Promise<never>((_resolve, reject) => {
    server.once("error", (error) => reject(new Error(`cannot start java (${error.message}): install Java 17`)));
    server.once("exit", (code) => reject(new Error(`the Hive server ended with exit code ${code}`)));
  });
  const deadline = Date.now() + startMs;
  const isOpen = async () => {
    while (Date.now() < deadline) {
      if (await acceptsConnections(port)) return;
      await pause(500);
    }
    throw new Error(`the Hive server did not listen on port ${port} within ${startMs / 1000} s`);
  };
  await Promise.race([isOpen(), failure]);
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

/** Starts a Hive server of our own for the time of a run. */
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
import { root } from "../../../tools/load-hiveql.mts";

export interface HiveServer {
  readonly url: string;
  /** Ends the server and removes what it wrote. */
  stop(): Promise<void>;
}

/** Modules of Java that Hive reaches into. */
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
 * Starts HiveServer2 and waits until it takes connections. Needs `mvn` and Java 17; the jars are kept in a cache.
 * @param home a folder with `pom.xml`, which names Hive's artifacts, and `hive-site.xml`, where `${work}` is the folder
 *   that the server may write to.
 * @throws where a program is missing or the server ends by itself.
 */
export async function startHive(home: string): Promise<HiveServer> {
  const site = readFileSync(join(home, "hive-site.xml"), "utf8");
  const jars = await fetchJars(home);
  const work = mkdtempSync(join(tmpdir(), "conformance-hive-"));
  for (const folder of ["wh", "scratch", "lscratch", "user", "conf"]) {
    mkdirSync(join(work, folder));
    // Hive refuses a scratch directory that not everybody may write to.
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
    const said = readFileSync(join(work, "server.log"), "utf8").trim().split("\n").slice(-5).join("\n");
    await stop();
    throw new Error(`${(error as Error).message}; its log ends in:\n${said}`, { cause: error });
  }
}

async function fetchJars(home: string): Promise<string> {
  const folder = join(root, "node_modules/.cache/conformance-hive");
  const jars = join(folder, "jars");
  const done = join(folder, "complete");
  if (existsSync(done)) return jars;
  mkdirSync(folder, { recursive: true });
  cpSync(join(home, "pom.xml"), join(folder, "pom.xml"));
  console.log("fetching Hive's jars (about 330 MB, once)");
  const maven = spawn("mvn", ["-q", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`], {
    cwd: folder,
    stdio: "inherit",
  });
  const [code] = await once(maven, "exit");
  if (code !== 0) throw new Error(`mvn ended with exit code ${code}`);
  writeFileSync(done, "");
  return jars;
}

/** Waits until something takes connections on a port of this machine. */
async function waitUntilListening(port: number, server: ReturnType<typeof spawn>): Promise<void> {
  const failure = new Promise<never>((_resolve, reject) => {
    server.once("error", (error) => reject(new Error(`java cannot be run (${error.message})`)));
    server.once("exit", (code) => reject(new Error(`the Hive server has ended with exit code ${code}`)));
  });
  const deadline = Date.now() + startMs;
  const opens = async () => {
    while (Date.now() < deadline) {
      if (await acceptsConnections(port)) return;
      await pause(500);
    }
    throw new Error(`the Hive server does not listen on port ${port} after ${startMs / 1000} s`);
  };
  await Promise.race([opens(), failure]);
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

/** Starts Spark's Thrift server for one run, from the Python package that carries it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fetchJars, serverCache } from "./jars/fetch.mts";
import { type S3Access, s3aSettings } from "./s3-access.mts";

/** The package, pinned by its checksum. */
const spark = {
  version: "4.3.0",
  sha256: "e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6",
} as const;

export interface SparkServer {
  /** Such as `hive2://127.0.0.1:10016`. */
  readonly url: string;
  /** URL of its web interface. */
  readonly ui: string;
  /** Ends the server and deletes its files. */
  stop(): Promise<void>;
}

/** The internal Java modules that Spark accesses by reflection. */
const openedModules = [
  "java.lang",
  "java.lang.invoke",
  "java.lang.reflect",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "sun.nio.ch",
  "sun.nio.cs",
  "sun.security.action",
  "sun.util.calendar",
].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
const startMs = 300_000;

/**
 * Starts a Thrift server that computes with two threads, and waits until it accepts connections. Needs `python3` with pip,
 * `tar` and Java 17, for S3 also `mvn`; caches the jars.
 * @param s3 where the buckets are, if they are on S3
 * @throws Error when a program is missing or the server ends unexpectedly.
 */
export async function startSpark(s3?: S3Access): Promise<SparkServer> {
  const jars = await fetchSpark();
  const classPath = [jars, ...(s3 ? [await fetchJars("spark-s3")] : [])].map((folder) => join(folder, "*"));
  const work = mkdtempSync(join(tmpdir(), "scale-spark-"));
  const [port, uiPort] = [await freePort(), await freePort()];
  const log = join(work, "server.log");
  const output = openSync(log, "a");
  const settings = {
    "spark.sql.warehouse.dir": join(work, "warehouse"),
    "spark.local.dir": join(work, "local"),
    "spark.ui.port": String(uiPort),
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    ...(s3 &&
      Object.fromEntries(Object.entries(s3aSettings(s3)).map(([name, value]) => [`spark.hadoop.${name}`, value]))),
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:spark;create=true",
  };
  const hive = {
    "hive.server2.thrift.port": String(port),
    "hive.server2.thrift.bind.host": "127.0.0.1",
    "hive.server2.authentication": "NOSASL",
    "hive.server2.enable.doAs": "false",
  };
  const pairs = (option: string, values: object) =>
    Object.entries(values).flatMap(([name, value]) => [option, `${name}=${value}`]);
  const java = spawn(
    "java",
    [
      "-Xmx1200m",
      "-XX:+UseSerialGC",
      ...openedModules,
      "-Djdk.reflect.useDirectMethodHandle=false",
      "-Dio.netty.tryReflectionSetAccessible=true",
      `-Dderby.system.home=${work}`,
      "-cp",
      classPath.join(":"),
      "org.apache.spark.deploy.SparkSubmit",
      "--class",
      "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
      "--master",
      "local[2]",
      ...pairs("--conf", settings),
      "spark-internal",
      ...pairs("--hiveconf", hive),
    ],
    {
      cwd: work,
      env: { ...process.env, ...s3?.environment, SPARK_LOCAL_IP: "127.0.0.1" },
      stdio: ["ignore", output, output],
    },
  );
  const ended = once(java, "exit");
  const stop = async () => {
    java.kill("SIGTERM");
    await ended.catch(() => undefined);
    rmSync(work, { recursive: true, force: true });
  };
  try {
    await waitUntilStarted(log, java);
    return { url: `hive2://127.0.0.1:${port}`, ui: `http://127.0.0.1:${uiPort}`, stop };
  } catch (error) {
    const logTail = readFileSync(log, "utf8").trim().split("\n").slice(-5).join("\n");
    await stop();
    throw new Error(`${(error as Error).message}; the last lines of its log:\n${logTail}`, { cause: error });
  }
}

/** Returns the folder of Spark's jars, which it fetches once, in the user's cache folder. */
async function fetchSpark(): Promise<string> {
  const cache = serverCache;
  const folder = join(cache, `spark-${spark.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "spark-"));
  try {
    console.log(`downloading Spark ${spark.version} with pip (about 460 MB, only once)`);
    const requirement = `pyspark==${spark.version} --hash=sha256:${spark.sha256}\n`;
    writeFileSync(join(work, "requirements.txt"), requirement);
    const options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--require-hashes", "-r", "requirements.txt"];
    await run("python3", ["-m", "pip", "download", ...options], work);
    const name = `pyspark-${spark.version}`;
    await run("tar", ["-xzf", `${name}.tar.gz`, `${name}/deps/jars`], work);
    renameSync(join(work, name, "deps/jars"), folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function run(program: string, options: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, options, { cwd, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} failed with exit code ${code}: it must fetch Spark ${spark.version}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until the server's log says that it has started. */
async function waitUntilStarted(log: string, server: ReturnType<typeof spawn>): Promise<void> {
  const failure = new Promise<never>((_resolve, reject) => {
    server.once("error", (error) => reject(new Error(`cannot start java (${error.message}): install Java 17`)));
    server.once("exit", (code) => reject(new Error(`the Spark server ended with exit code ${code}`)));
  });
  const deadline = Date.now() + startMs;
  const isStarted = async () => {
    while (!readFileSync(log, "utf8").includes("HiveThriftServer2 started")) {
      if (Date.now() > deadline) throw new Error(`the Spark server did not start within ${startMs / 1000} s`);
      await pause(200);
    }
  };
  await Promise.race([isStarted(), failure]);
}

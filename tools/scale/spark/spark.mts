/** A standalone Spark cluster: a master, workers, and a Thrift server whose statements they compute. */
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  answersHttp,
  deleteFolder,
  freePort,
  GuardedProcess,
  requireProgram,
  temporaryFolder,
  type Server,
} from "../component.mts";
import { addOpens } from "../java.mts";
import { type S3Access, s3aSettings, s3Environment } from "../s3.mts";
import { s3Jars, sparkJars } from "./jars.mts";

export interface SparkOptions {
  /** How many workers compute. 0 is no cluster: the Thrift server computes with two threads. */
  readonly workers: number;
  /** Where tables may be, besides in the files of this machine. */
  readonly s3?: S3Access;
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined;
}

export interface SparkServer extends Server {
  /** Such as `hive2://127.0.0.1:10016`. */
  readonly url: string;
  /** URL of its web interface. */
  readonly ui: string;
  /** Lets the Thrift server hang, until it wakes. */
  hang(): void;
  wake(): void;
}

/** Starts a cluster and waits until its Thrift server takes statements and all workers have registered. */
export async function startSpark({ workers, s3, signal }: SparkOptions): Promise<SparkServer> {
  const java = requireProgram("java", "install Java 17");
  const jars = await sparkJars();
  const jarsForS3 = s3 && (await s3Jars());
  const work = temporaryFolder("spark");
  // Workers look for the jars of their executors in this layout.
  const home = join(work, "home");
  mkdirSync(home);
  const temporary = join(work, "tmp");
  mkdirSync(temporary);
  symlinkSync(jars, join(home, "jars"));
  const classPath = [join(jars, "*"), ...(jarsForS3 ? [join(jarsForS3, "*")] : [])].join(":");
  const env = {
    ...process.env,
    SPARK_HOME: home,
    SPARK_LOCAL_IP: "127.0.0.1",
    SPARK_PUBLIC_DNS: "127.0.0.1",
    SPARK_SCALA_VERSION: "2.13",
    ...(s3 && s3Environment(s3)),
  };
  const processes: GuardedProcess[] = [];
  const start = (name: string, megabytes: number, options: readonly string[], args: readonly string[]) => {
    const all = [
      `-Xmx${megabytes}m`,
      "-XX:+UseSerialGC",
      `-Djava.io.tmpdir=${temporary}`,
      ...addOpens,
      ...options,
      "-cp",
      classPath,
      ...args,
    ];
    const log = join(work, `${name.replaceAll(" ", "-")}.log`);
    const process = new GuardedProcess(name, log, java, all, { cwd: work, env });
    processes.push(process);
    return process;
  };
  const stop = async () => {
    await Promise.all(processes.map((each) => each.end()));
    deleteFolder(work);
  };
  try {
    const master = workers > 0 ? await startCluster(start, { workers, work, signal }) : "local[2]";
    const [port, uiPort] = [await freePort(), await freePort()];
    const settings = {
      "spark.sql.warehouse.dir": join(work, "warehouse"),
      "spark.local.dir": join(work, "local"),
      "spark.ui.port": String(uiPort),
      "spark.ui.showConsoleProgress": "false",
      "spark.driver.bindAddress": "127.0.0.1",
      "spark.driver.host": "127.0.0.1",
      "spark.sql.shuffle.partitions": String(Math.max(2, workers)),
      "spark.executor.memory": "640m",
      "spark.executor.extraJavaOptions": `-XX:+UseSerialGC ${addOpens.join(" ")}`,
      "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:spark;create=true",
      ...(jarsForS3 && { "spark.executor.extraClassPath": join(jarsForS3, "*") }),
      ...(s3 && prefixed("spark.hadoop.", s3aSettings(s3))),
    };
    const hive = {
      "hive.server2.thrift.port": String(port),
      "hive.server2.thrift.bind.host": "127.0.0.1",
      "hive.server2.authentication": "NOSASL",
      "hive.server2.enable.doAs": "false",
    };
    const server = start(
      "Thrift server",
      1200,
      [`-Dderby.system.home=${work}`],
      [
        "org.apache.spark.deploy.SparkSubmit",
        "--class",
        "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
        "--master",
        master,
        ...pairs("--conf", settings),
        "spark-internal",
        ...pairs("--hiveconf", hive),
      ],
    );
    await server.until("start", (log) => log.includes("HiveThriftServer2 started"), signal);
    const version = /spark-core_[\d.]+-([\d.]+)\.jar/.exec(readdirSync(jars).join(" "))?.[1];
    const size = workers > 0 ? ` with a master and ${workers} workers` : "";
    const send = (name: NodeJS.Signals) => {
      if (server.pid !== undefined) process.kill(server.pid, name);
    };
    return {
      version: `Spark ${version}${size}`,
      url: `hive2://127.0.0.1:${port}`,
      ui: `http://127.0.0.1:${uiPort}`,
      hang: () => send("SIGSTOP"),
      wake: () => send("SIGCONT"),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = (name: string, megabytes: number, options: readonly string[], args: readonly string[]) => GuardedProcess;

interface ClusterOptions {
  readonly workers: number;
  readonly work: string;
  readonly signal: AbortSignal | undefined;
}

/** Starts a master and workers with one core each. Returns the master's URL. */
async function startCluster(start: Start, { workers, work, signal }: ClusterOptions): Promise<string> {
  const [port, uiPort] = [await freePort(), await freePort()];
  const url = `spark://127.0.0.1:${port}`;
  const listen = ["--host", "127.0.0.1", "--webui-port"];
  const masterArgs = [...listen, String(uiPort), "--port", String(port)];
  const master = start("Spark master", 256, [], ["org.apache.spark.deploy.master.Master", ...masterArgs]);
  await master.until("answer", () => answersHttp(`http://127.0.0.1:${uiPort}/json/`), signal);
  for (let number = 1; number <= workers; number += 1) {
    const args = [...listen, "0", "--cores", "1", "--memory", "1g", "--work-dir", join(work, `worker-${number}`), url];
    start(`Spark worker ${number}`, 192, [], ["org.apache.spark.deploy.worker.Worker", ...args]);
  }
  const haveRegistered = async () => {
    const answer = await fetch(`http://127.0.0.1:${uiPort}/json/`);
    // A starting master attaches its pages one by one: until that of /json is there, the one of / answers, in HTML.
    if (answer.headers.get("content-type")?.includes("json") !== true) return false;
    return ((await answer.json()) as { aliveworkers: number }).aliveworkers === workers;
  };
  await master.until(`see ${workers} workers`, haveRegistered, signal);
  return url;
}

function prefixed(prefix: string, settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [prefix + name, value]));
}

function pairs(option: string, values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => [option, `${name}=${value}`]);
}

/** Apache Hive: a HiveServer2 with a metastore in memory, which computes with Tez in its own process. */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { deleteFolder, freePort, GuardedProcess, requireProgram, temporaryFolder, type Server } from "../component.mts";
import { addOpens } from "../java.mts";
import { fetchJars } from "../maven.mts";
import { type S3Access, s3aSettings, s3Environment } from "../s3.mts";

const version = "4.0.1";
/**
 * Connections in a row after which a server counts as started. Where nothing listens, one can meet itself, and a test that
 * has killed a server and starts another one on its port must not meet what is left of the first.
 */
const steadyConnections = 3;
const folder = new URL(".", import.meta.url).pathname;

export interface HiveOptions {
  /** A folder of another `pom.xml`, which names Hive's artifacts, and another `hive-site.xml`. @default those beside this */
  readonly home?: string | undefined;
  /** Where tables may be, besides in the files of this machine. */
  readonly s3?: S3Access;
  /** Where it listens, instead of a free port or that of another `hive-site.xml`. */
  readonly port?: number;
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined;
}

export interface HiveServer extends Server {
  /** Such as `hive2://127.0.0.1:10012`. */
  readonly url: string;
  /** Ends it with SIGKILL, as a crash of its machine does. Its files stay until {@link stop}. */
  kill(): Promise<void>;
  /** Lets it hang, until it wakes. */
  hang(): void;
  wake(): void;
}

/** Returns the folder of Hive's jars, which Maven fetches once. @param home as in {@link HiveOptions} */
export async function hiveJars(home = folder): Promise<string> {
  const pom = join(home, "pom.xml");
  if (home !== folder) {
    const name = createHash("sha256").update(readFileSync(pom)).digest("hex").slice(0, 16);
    return await fetchJars({ name: `hive-${name}`, title: `Hive of ${pom} (about 340 MB)`, pom });
  }
  return await fetchJars({
    name: `hive-${version}`,
    title: `Hive ${version} (340 MB)`,
    pom,
    sha256: "ec33f067acad9d436246edec432b8131b3794f4ab7628a7ff59be4fe88df0113",
  });
}

/** Starts a server and waits until it takes connections. */
export async function startHive({ home = folder, s3, port: wanted, signal }: HiveOptions = {}): Promise<HiveServer> {
  const java = requireProgram("java", "install Java 17");
  const jars = await hiveJars(home);
  const work = temporaryFolder("hive");
  for (const name of ["wh", "scratch", "lscratch", "user", "conf", "tmp"]) {
    mkdirSync(join(work, name));
    // Hive requires scratch directories that every user may write to.
    chmodSync(join(work, name), 0o777);
  }
  const settings = Object.entries(s3 ? s3aSettings(s3) : {}).map(
    ([name, value]) => `<property><name>${name}</name><value>${value}</value></property>\n`,
  );
  const own = String(wanted ?? (await freePort()));
  const site = readFileSync(join(home, "hive-site.xml"), "utf8")
    .replaceAll("${work}", work)
    .replace("${port}", own)
    .replace("${s3}", () => settings.join(""));
  // Another file may name a port of its own.
  const port = Number(/thrift\.port<\/name>\s*<value>(\d+)/.exec(site)?.[1] ?? 10_000);
  writeFileSync(join(work, "conf/hive-site.xml"), site);
  const env = {
    ...process.env,
    HADOOP_HOME: work,
    // Hive hides the settings of credentials from its tasks, so they are in the environment.
    ...(s3 && s3Environment(s3)),
  };
  const classPath = `${join(work, "conf")}:${join(jars, "*")}`;
  const args = [
    "-Xmx1500m",
    "-XX:+UseSerialGC",
    `-Djava.io.tmpdir=${join(work, "tmp")}`,
    ...addOpens,
    "-cp",
    classPath,
    "org.apache.hive.service.server.HiveServer2",
  ];
  const server = new GuardedProcess("Hive", join(work, "server.log"), java, args, { cwd: work, env });
  const stop = async () => {
    await server.end();
    deleteFolder(work);
  };
  try {
    let taken = 0;
    const isUp = async () => (taken = (await takesConnections(port)) ? taken + 1 : 0) === steadyConnections;
    await server.until("take connections", isUp, signal);
    const send = (name: NodeJS.Signals) => {
      if (server.pid !== undefined) process.kill(server.pid, name);
    };
    const kill = async () => {
      send("SIGKILL");
      await server.ended;
    };
    const [hang, wake] = [() => send("SIGSTOP"), () => send("SIGCONT")];
    return { version: `Hive ${version}`, url: `hive2://127.0.0.1:${port}`, kill, hang, wake, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => end(socket.localPort !== port));
    socket.once("error", () => end(false));
  });
}

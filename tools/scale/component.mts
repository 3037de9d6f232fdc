/** What every component of the quickstart at scale needs: a cache, programs of the machine, and processes that end. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { descendantsOf } from "../quickstart/process-tree.mts";
import { findGo } from "../setup/go.mjs";
import { withLock } from "../setup/lock.mjs";
import { run, tail } from "../setup/process.mjs";
import { step } from "../setup/progress.mjs";

/** A server of another project that runs for a while. */
export interface Server {
  /** Name and version, such as `PostgreSQL 15.18`. */
  readonly version: string;
  /** Ends its processes and deletes its files. */
  stop(): Promise<void>;
}

/** Thrown when this machine cannot have a component; the message is one line with the reason and the remedy. */
export class MissingComponent extends Error {
  override name = "MissingComponent";
}

/** The folder of downloads, which every run of every clone uses. */
export const cacheFolder = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pulumi-dag");

/** The folders that programs are looked for in, those of Go's installers included. */
function programFolders(): string[] {
  const go = findGo();
  return [...(process.env["PATH"] ?? "").split(delimiter), ...(go ? [dirname(go)] : [])];
}

/**
 * Returns the path of a program of this machine.
 *
 * @param name such as `java`
 * @param remedy what the user can do when it is missing
 */
export function requireProgram(name: string, remedy: string): string {
  for (const folder of programFolders()) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder.
    }
  }
  throw new MissingComponent(`\`${name}\` is not on PATH: ${remedy}`);
}

/**
 * Returns a path in the cache. Makes it first if it is missing, which one process at a time does, in a folder of its own;
 * it appears complete, by one rename.
 *
 * @param name of the file or folder in the cache
 * @param title what is fetched, and how large it is
 * @param make makes it in the folder that it is given, and returns its path there
 */
export async function inCache(name: string, title: string, make: (work: string) => Promise<string>): Promise<string> {
  const path = join(cacheFolder, name);
  if (existsSync(path)) return path;
  mkdirSync(cacheFolder, { recursive: true });
  return await withLock(join(cacheFolder, `.${name}.lock`), async () => {
    if (existsSync(path)) return path;
    const work = join(cacheFolder, `.${name}.partial`);
    // What a fetch that was interrupted has left.
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    try {
      renameSync(await step(`fetching ${title}, once, into ${cacheFolder}`, () => make(work)), path);
      return path;
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

/**
 * Runs a program that fetches something, to its end.
 *
 * @throws MissingComponent with the last line of its output and `remedy` when it fails
 */
export async function fetchWith(
  program: string,
  args: readonly string[],
  { cwd, env = process.env, remedy }: { cwd: string; env?: NodeJS.ProcessEnv; remedy: string },
): Promise<string> {
  const { code, output } = await run(program, args, { cwd, env, timeoutMs: 900_000 });
  if (code === 0) return output;
  const reason = tail(stripVTControlCharacters(output), 1).trim().slice(0, 200);
  throw new MissingComponent(`\`${program.split("/").at(-1)} ${args[0]}\` failed (${reason}): ${remedy}`);
}

/**
 * Returns a port of 127.0.0.1 that nothing listens on, and that the operating system gives to nobody by itself, neither to
 * another server nor to a connection: a server that starts takes it half a minute later, and one that restarts comes back
 * to it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

const temporaryFolders = new Set<string>();
process.once("exit", () => temporaryFolders.forEach(deleteFolder));

/** Returns a new temporary folder, which is deleted at the end of this process at the latest. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `dag-scale-${name}-`));
  temporaryFolders.add(folder);
  return folder;
}

/** Deletes a temporary folder. */
export function deleteFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  temporaryFolders.delete(folder);
}

const guard = fileURLToPath(new URL("../setup/guard.mjs", import.meta.url));
/** How long a process may take to begin to serve, and to end after SIGTERM. */
const startMs = 600_000;
const endMs = 10_000;

/** A process that ends, with all that it has started, when this process ends for any reason. */
export class GuardedProcess {
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #log: string;
  readonly #name: string;

  /**
   * @param name for messages, such as `the Spark master`
   * @param log file of its output
   */
  constructor(
    name: string,
    log: string,
    program: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  ) {
    this.#name = name;
    this.#log = log;
    const output = openSync(log, "a");
    this.#child = spawn(process.execPath, [guard, program, ...args], {
      ...options,
      stdio: ["pipe", output, output],
      detached: true,
    });
    this.#child.stdin?.on("error", () => {});
    this.ended = new Promise((resolve) => {
      this.#child.once("exit", () => resolve()).once("error", () => resolve());
    });
  }

  /** The ID of its process; undefined when it could not be started. */
  get pid(): number | undefined {
    // The child is the guard, whose first child is the program.
    return this.#child.pid === undefined ? undefined : descendantsOf(this.#child.pid)[0];
  }

  get hasEnded(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /**
   * Waits until a condition holds.
   *
   * @param signal ends the wait
   * @throws Error with the last lines of the log when the process ends before, or after ten minutes
   */
  async until(
    what: string,
    isReached: (log: string) => boolean | Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<void> {
    for (const deadline = Date.now() + startMs; ;) {
      signal?.throwIfAborted();
      if (await isReached(readFileSync(this.#log, "utf8"))) return;
      const reason = this.hasEnded ? "ended before" : Date.now() > deadline ? `did not within ${startMs / 1000} s` : "";
      if (reason) throw new Error(`${this.#name} should ${what}, but ${reason}; its log ends:\n${this.logTail()}`);
      await pause(100);
    }
  }

  /** The last lines of its log. */
  logTail(): string {
    return tail(readFileSync(this.#log, "utf8"), 8);
  }

  /** Sends a signal to the process and all that it has started. */
  signal(name: NodeJS.Signals): void {
    if (this.hasEnded) return;
    try {
      process.kill(-this.#child.pid!, name);
    } catch {
      // It has ended in the meantime.
    }
  }

  /** Asks it to end, kills it after ten seconds, and waits until it has ended. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), endMs);
    await this.ended;
    clearTimeout(timer);
  }
}

/** Tells whether something answers HTTP at a URL. */
export async function answersHttp(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
    () => true,
    () => false,
  );
}

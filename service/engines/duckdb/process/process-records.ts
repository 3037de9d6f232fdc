/**
 * The engine processes of a cluster, recorded in files, so that the next start ends those that a killed service has
 * left: normally an engine process ends with its service by itself, but not while it is stopped (SIGSTOP).
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The records of one cluster: a file for each process, named by its process ID, with the process's token. */
export class ProcessRecords {
  /** An argument of each process, by which it is recognised: process IDs are used again by other programs. */
  readonly token = `engine-${randomUUID()}`;
  readonly #directory: string;

  /** Ends the recorded processes that are still there. */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true });
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const token = readFileSync(path, "utf8");
      const pid = Number(name);
      if (Number.isSafeInteger(pid) && pid > 1 && token !== "" && commandOf(pid).includes(token)) kill(pid);
      rmSync(path, { force: true });
    }
  }

  /** Records a process; on a full disk it runs without a record. */
  add(pid: number): void {
    try {
      writeFileSync(join(this.#directory, String(pid)), this.token);
    } catch {
      // The process ends with its service by itself, unless it is stopped at that time.
    }
  }

  remove(pid: number): void {
    rmSync(join(this.#directory, String(pid)), { force: true });
  }
}

/** Returns the command line of a process; empty when there is no such process. */
function commandOf(pid: number): string {
  try {
    return process.platform === "linux"
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8")
      : execFileSync("ps", ["-ww", "-o", "args=", "-p", String(pid)], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        });
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in the meantime.
  }
}

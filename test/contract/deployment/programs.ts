/** The files of docs/run/files, and the programs of other projects that use them. */
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { kill } from "../service/service-process";

/** Reads a file that users copy. */
export function deploymentFile(name: string): string {
  return readFileSync(deploymentPath(name), "utf8");
}

export function deploymentPath(name: string): string {
  return join(__dirname, "../../../docs/run/files", name);
}

/** Replaces texts that must be there. */
export function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the file does not have "${from}"`);
    return result.replaceAll(from, to);
  }, text);
}

/** Path of a program; undefined, with the reason printed, where there is none. */
export function programPath(name: string, debianPackage: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) {
    console.log(`skipped: there is no ${name} on this machine (Debian: apt-get install ${debianPackage})`);
  }
  return found;
}

/** A program that runs for the tests of a file. */
export interface Running {
  /** What it has printed. @throws when it has failed */
  readonly output: () => string;
  readonly exit: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** A folder of the tests of a file, and the programs that run in it. All end after the tests. */
export function useFolder() {
  const path = mkdtempSync(join(tmpdir(), "dag-deployment-"));
  const children: ChildProcess[] = [];
  afterAll(async () => {
    // A signal that they pass on: nginx's worker outlives a master that is killed.
    await Promise.all(children.map((child) => kill(child, "SIGTERM")));
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    path,
    start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
      const child = spawn(program, args, { cwd: path, env: { PATH: process.env.PATH, HOME: path, ...env } });
      children.push(child);
      let output = "";
      child.stdout.on("data", (chunk) => (output += chunk));
      child.stderr.on("data", (chunk) => (output += chunk));
      return {
        exit: new Promise((resolve) => child.on("exit", (code) => resolve(code))),
        signal: (name) => void child.kill(name),
        output: () => {
          if (child.exitCode !== null) throw new Error(`${program} has ended: ${output}`);
          return output;
        },
      };
    },
  };
}

/** Makes a certificate for a host before the tests of a file. */
export function useCertificate(folder: string, host: string) {
  const files = { certificate: join(folder, "fullchain.pem"), key: join(folder, "privkey.pem") };
  beforeAll(() => {
    const names = `subjectAltName=DNS:${host},IP:127.0.0.1`;
    const subject = ["-subj", `/CN=${host}`, "-addext", names, "-days", "2", "-nodes"];
    const target = ["-keyout", files.key, "-out", files.certificate];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...subject, ...target], { stdio: "pipe" });
  });
  return files;
}

/** Runs a program to its end. */
export const execute = promisify(execFile);

/**
 * Locks a folder or a state file for services. The operating system releases a lock when the process ends, even after a
 * kill.
 */
import { randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createFolderSync } from "../../storage/durable";
import { FolderInUseError, StartError } from "../config/start-error";

/** Result code of SQLite: another process holds the lock. */
const sqliteBusy = 5;

/** Symbolic links that Linux follows for one path. */
const maxLinks = 40;

/** Processes of one machine that may share a data folder. */
const maxProcesses = 64;

/**
 * Locks a folder for one service.
 * @param setting the flag that selects another folder, for the error message.
 * @returns a disposable that releases the lock.
 * @throws {FolderInUseError} when another service holds the lock.
 */
export function lockFolder(folder: string, setting: string): Disposable {
  const lock = tryLock(lockOf(folder), "BEGIN EXCLUSIVE");
  if (lock) return lock;
  throw new FolderInUseError(
    `folder ${folder} is in use by another dag-service${ownerOf(lockOf(folder))}: stop that one, choose another folder with ${setting}, or let both have their state in PostgreSQL`,
  );
}

/** Returns true for a folder that a service has locked once, and may use now. */
export function wasLocked(folder: string): boolean {
  return existsSync(lockOf(folder));
}

/**
 * Locks a folder for services that have their state in one PostgreSQL database.
 * @throws {FolderInUseError} when a service with another state holds the lock.
 */
export function shareFolder(folder: string, setting: string): Disposable {
  // Reading takes the lock, which lasts as long as the transaction.
  const lock = tryLock(lockOf(folder), "BEGIN; SELECT count(*) FROM sqlite_schema");
  if (lock) return lock;
  throw new FolderInUseError(
    `folder ${folder} is in use by a dag-service whose state is in SQLite${ownerOf(lockOf(folder))}: stop that one, or choose another folder with ${setting}`,
  );
}

/**
 * Locks a state file, which exists or not, for one service: services with other data folders may name it too.
 * @throws {StartError} when another service uses it, also by a symbolic link.
 */
export function lockStateFile(file: string, setting: string): Disposable {
  const path = followLinks(file);
  const lockFile = `${join(realpathSync(dirname(path)), basename(path))}.lock`;
  const lock = tryLock(lockFile, "BEGIN EXCLUSIVE");
  if (lock) return lock;
  throw new StartError(
    `state file ${file} is in use by another dag-service${ownerOf(lockFile)}: stop that one, or choose another with ${setting}`,
  );
}

/** Returns the path of a file that exists or not, or of what it is a symbolic link to. */
export function followLinks(file: string): string {
  let path = file;
  try {
    for (let links = 0; links < maxLinks; links += 1) path = resolve(dirname(path), readlinkSync(path));
  } catch {
    // No link, or no file.
  }
  return path;
}

/** The name of a process among those that share a data folder. */
export interface ProcessName extends Disposable {
  /** The machine's name and a number, such as `host-1`. */
  readonly name: string;
  /** The name with that of the data folder, which no other folder has. */
  readonly uniqueName: string;
}

/** Takes the first name of this machine that no running process has. @throws {StartError} when all are taken */
export function takeProcessName(data: string): ProcessName {
  const folderName = nameOf(join(data, "processes"));
  const host = hostname().replaceAll(/[^\w.-]/g, "_") || "host";
  for (let number = 1; number <= maxProcesses; number += 1) {
    const name = `${host}-${number}`;
    const folder = join(data, "processes", name);
    createFolderSync(folder);
    const lock = tryLock(lockOf(folder), "BEGIN EXCLUSIVE");
    if (lock) return { name, uniqueName: `${folderName}/${name}`, [Symbol.dispose]: () => lock[Symbol.dispose]() };
  }
  throw new StartError(`folder ${data} is in use by ${maxProcesses} processes of this machine: stop some of them`);
}

/** Returns the random name of a folder, which is stored in it. */
function nameOf(folder: string): string {
  createFolderSync(folder);
  const file = join(folder, "name");
  const name = randomUUID();
  const written = join(folder, name);
  writeFileSync(written, name, { flush: true });
  try {
    // Whole or not at all; fails when another process was first.
    linkSync(written, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(written);
  }
  return readFileSync(file, "utf8");
}

/** Returns the file whose lock is that of a folder. */
function lockOf(folder: string): string {
  return join(folder, ".lock");
}

/** Runs the statements that take a lock; undefined when another process holds one that excludes it. */
function tryLock(file: string, statements: string): Disposable | undefined {
  const database = new DatabaseSync(file);
  try {
    database.exec(`PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; ${statements}`);
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    return undefined;
  }
  noteOwner(file);
  return { [Symbol.dispose]: () => void (database.isOpen && database.close()) };
}

/** Beside the lock: the process that has it, for the message of another one, and the machine, which may be another. */
const ownerFileOf = (lock: string) => `${lock}-owner`;

function noteOwner(lock: string): void {
  try {
    writeFileSync(ownerFileOf(lock), `${process.pid} ${hostname()}\n`);
  } catch {
    // The lock does not need it: the disk may be full.
  }
}

/** Returns the process that has a lock, in parentheses; empty when it is not known. */
function ownerOf(lock: string): string {
  try {
    const [pid = "", host = ""] = readFileSync(ownerFileOf(lock), "utf8").trim().split(" ");
    if (!/^\d+$/.test(pid)) return "";
    return host === hostname() ? ` (process ${pid})` : ` (process ${pid} on ${host})`;
  } catch {
    return "";
  }
}

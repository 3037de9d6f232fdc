/**
 * One set-up at a time: a lock file that its holder keeps fresh, so that a holder that was killed is noticed and its
 * lock taken over, and two that start together do the work once.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { note } from "./progress.mjs";

const FRESHEN_EVERY_MS = 2_000;
/** Far above the interval, so that a busy or briefly suspended holder keeps its lock. */
const STALE_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Runs `work` while no other process on this machine runs work under the same lock; waits for its turn.
 *
 * @template T
 * @param {string} file the lock file; its folder is made if need be
 * @param {() => Promise<T>} work
 * @param {{ waitingFor?: string, signal?: AbortSignal }} [options] what is said while it waits; what ends the waiting
 * @returns {Promise<T>} what the work returns; the lock is released whether it succeeds or throws
 */
export async function withLock(file, work, { waitingFor = "another set-up", signal } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  const token = JSON.stringify({ pid: process.pid, host: hostname(), nonce: Math.random() });
  for (let waited = 0; !take(file, token); waited += LOOK_EVERY_MS) {
    if (waited === LOOK_EVERY_MS * 5) note(`waiting for ${waitingFor} that is running (${file})`);
    signal?.throwIfAborted();
    const holder = read(file);
    if (holder && isAbandoned(holder)) breakLock(file, holder.token);
    else await sleep(LOOK_EVERY_MS);
  }
  const freshen = setInterval(() => touch(file), FRESHEN_EVERY_MS);
  const release = () => {
    if (read(file)?.token === token) rmSync(file, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(freshen);
    process.off("exit", release);
    release();
  }
}

/**
 * @param {string} file
 * @param {string} token
 */
function take(file, token) {
  try {
    writeFileSync(file, token, { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * @param {string} file
 * @returns {{ token: string, ageMs: number } | undefined}
 */
function read(file) {
  try {
    return { ageMs: Date.now() - statSync(file).mtimeMs, token: readFileSync(file, "utf8") };
  } catch {
    return undefined;
  }
}

/** @param {{ token: string, ageMs: number }} holder */
function isAbandoned({ token, ageMs }) {
  if (ageMs > STALE_AFTER_MS) return true;
  try {
    const { pid, host } = JSON.parse(token);
    return host === hostname() && !isAlive(pid);
  } catch {
    // Another process is just writing it.
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/**
 * Removes an abandoned lock, but never one that somebody else took in the meantime.
 *
 * @param {string} file
 * @param {string} token the abandoned holder's
 */
function breakLock(file, token) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const taken = read(aside)?.token;
  if (taken !== undefined && taken !== token) {
    renameSync(aside, file);
    return;
  }
  rmSync(aside, { force: true });
}

/** @param {string} file */
function touch(file) {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // Somebody took the lock over, because this process was suspended for long; its work is idempotent.
  }
}

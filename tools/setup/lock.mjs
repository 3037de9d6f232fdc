/**
 * A lock file, so that one set-up works at a time. The holder updates the file's modification time; a lock whose holder
 * was killed is removed by the next process that waits for it.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { note } from "./progress.mjs";

const REFRESH_INTERVAL_MS = 2_000;
/** Much longer than the refresh interval, so that a busy or briefly suspended holder keeps its lock. */
const STALE_AFTER_MS = 30_000;
const POLL_INTERVAL_MS = 200;

/**
 * Acquires a lock, runs `work`, and releases the lock, also when `work` throws. Waits while another process holds it.
 *
 * @template T
 * @param {string} file the lock file; its folder is created when it is missing
 * @param {() => Promise<T>} work
 * @param {{ waitingFor?: string, signal?: AbortSignal }} [options] `waitingFor` names the holder in the progress
 *   message; `signal` ends the wait
 * @returns {Promise<T>} the result of `work`
 */
export async function withLock(file, work, { waitingFor = "another set-up", signal } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  const token = JSON.stringify({ pid: process.pid, host: hostname(), nonce: Math.random() });
  for (let waited = 0; !tryAcquire(file, token); waited += POLL_INTERVAL_MS) {
    if (waited === POLL_INTERVAL_MS * 5) note(`waiting for ${waitingFor} to end (it holds the lock ${file})`);
    signal?.throwIfAborted();
    const holder = readLock(file);
    if (holder && isAbandoned(holder)) breakLock(file, holder.token);
    else await sleep(POLL_INTERVAL_MS);
  }
  const refreshTimer = setInterval(() => refresh(file), REFRESH_INTERVAL_MS);
  const release = () => {
    if (readLock(file)?.token === token) rmSync(file, { force: true });
  };
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(refreshTimer);
    process.off("exit", release);
    release();
  }
}

/**
 * @param {string} file
 * @param {string} token
 */
function tryAcquire(file, token) {
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
function readLock(file) {
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
    // Another process is writing the file at this moment.
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
 * Removes an abandoned lock, unless another process has acquired it in the meantime.
 *
 * @param {string} file
 * @param {string} token of the abandoned holder
 */
function breakLock(file, token) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const taken = readLock(aside)?.token;
  if (taken !== undefined && taken !== token) {
    renameSync(aside, file);
    return;
  }
  rmSync(aside, { force: true });
}

/** @param {string} file */
function refresh(file) {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // Another process removed the lock because this one was suspended for long. The work is idempotent.
  }
}

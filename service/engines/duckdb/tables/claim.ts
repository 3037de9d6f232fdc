/** Files by which one of several processes does what the others would only repeat. */
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two signs of life of the process that has a claim, and after which a claim without one is free. */
const life = { sign: 1000, limit: 5000 } as const;
/** Milliseconds between two tries. */
const pause = 20;

/**
 * Waits until no other process has the file's claim, and takes it until it is disposed of. A process that ended without
 * that holds the others up for seconds; where the file cannot be written, nobody waits.
 * @throws the signal's reason when it is aborted while the claim is waited for
 */
export async function claim(path: string, signal: AbortSignal): Promise<Disposable> {
  for (;;) {
    signal.throwIfAborted();
    try {
      writeFileSync(path, "", { flag: "wx" });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") return noClaim;
    }
    const sign = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    // A clock that was set back makes a sign of the future.
    const isFree = sign !== undefined && Math.abs(Date.now() - sign) > life.limit;
    if (isFree && !ifPossible(() => rmSync(path, { force: true }))) return noClaim;
    if (!isFree) await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
  const signs = setInterval(() => ifPossible(() => utimesSync(path, new Date(), new Date())), life.sign).unref();
  return {
    [Symbol.dispose]() {
      clearInterval(signs);
      ifPossible(() => rmSync(path, { force: true }));
    },
  };
}

const noClaim: Disposable = { [Symbol.dispose]: () => undefined };

/** Changes a file or folder without which work is only done again. Returns false when it cannot, as on a full disk. */
export function ifPossible(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}

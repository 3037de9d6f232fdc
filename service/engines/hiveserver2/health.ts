/**
 * Reports when no server answers any more. A connection that stays open, or opens again, does not show that one does: a load
 * balancer takes connections for a server that is dead, and so does a machine for a server that hangs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerAddress } from "./client/connection";
import { onFirst, openSession } from "./client/servers";
import type { HiveSession } from "./client/session";
import type { Dialect } from "./dialect";

/** Milliseconds between two questions, between two tries to find a server, and without an answer until none is there. */
const times = { between: 5000, pause: 1000, longest: 30_000 } as const;

export class ServerHealth {
  /** Resolves with the reason when no server has answered for a while. */
  readonly lost: Promise<string>;
  readonly #closed = new AbortController();

  /** @param session in which a server has just answered; it is closed with this */
  constructor(
    private readonly servers: readonly ServerAddress[],
    private readonly dialect: Dialect,
    session: HiveSession,
  ) {
    const lost = Promise.withResolvers<string>();
    this.lost = lost.promise;
    void this.#watch(session, lost.resolve);
  }

  close(): void {
    this.#closed.abort(new Error("the engine was closed"));
  }

  async #watch(first: HiveSession, lose: (reason: string) => void): Promise<void> {
    const { signal } = this.#closed;
    let session: HiveSession | undefined = first;
    let failingSince: number | undefined;
    while (!signal.aborted) {
      const asked = performance.now();
      const late = Math.max(times.pause, times.longest - (asked - (failingSince ?? asked)));
      try {
        session ??= await this.#open(late);
        await session.answer(late);
        failingSince = undefined;
        await until(session, times.between, signal);
      } catch (error) {
        session?.connection.close();
        session = undefined;
        failingSince ??= asked;
        if (signal.aborted) return;
        if (performance.now() - failingSince >= times.longest) return lose((error as Error).message);
        await sleep(times.pause, undefined, { signal }).catch(() => undefined);
      }
    }
    void session?.close();
  }

  #open(milliseconds: number): Promise<HiveSession> {
    // Without settings: it runs no statement.
    const sessionOptions = { settings: {}, reason: this.dialect.reason };
    return onFirst(this.servers, this.#closed.signal, (connection, isLast) =>
      openSession(connection, isLast, sessionOptions, milliseconds),
    );
  }
}

/** Waits for some milliseconds, or until the connection of a session has ended, or the signal is aborted. */
async function until({ connection }: HiveSession, milliseconds: number, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const off = connection.onEnd(() => ended.abort());
  await sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).catch(() => undefined);
  off();
}

/**
 * Which connections stay open. A connection is a caller's once a signed request came over it; all others are idle for a
 * short time only. When there are too many, the caller that holds most of them loses one.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Maximum number of open connections. */
const maxConnections = 1000;

/** Milliseconds after which an idle connection without a signed request is closed. */
const unsignedIdle = 5000;

/** Requests of a connection that wait for an answer; no client that reads its answers sends more at once. */
const maxWaitingRequests = 16;

/** Bytes of a request that are read, before and after its answer. The buffers of the system take some more. */
const maxRequestBytes = 8 * 1024 * 1024;

/** Milliseconds that a client has for reading the answer of a request that it has not sent to its end. */
const lingerMilliseconds = 1000;

/** The header that tells a client when a connection without a signed request is closed, so that it sends no more then. */
const unsignedKeepAlive: readonly string[] = ["Keep-Alive", `timeout=${unsignedIdle / 1000}`];

/** The connections over which a signed request came, each with the access key of the last one. */
const callers = new WeakMap<Socket, string>();

/** Marks the connection of a signed request. */
export function markCaller(socket: Socket, accessKeyId: string): void {
  callers.set(socket, accessKeyId);
}

/** Returns the header that an answer has when its connection stays open for another time than the server says. */
export function keepAliveHeader(socket: Socket): readonly string[] {
  return callers.has(socket) ? [] : unsignedKeepAlive;
}

interface Connection {
  /** Resolves when the last request so far is answered. */
  answered: Promise<void>;
  /** Number of requests that are not answered. */
  requests: number;
  /** The request that is answered now, or was answered last. */
  last: IncomingMessage | undefined;
}

/** Connections of which one may be closed. */
interface Group {
  count: number;
  /** The oldest one without a request, else the oldest one. */
  first: Socket;
  isIdle: boolean;
}

export class Connections {
  /** The open connections, oldest first. */
  readonly #open = new Map<Socket, Connection>();

  /** Adds a connection. When there are too many, one that is worth less is closed, else this one. */
  add(socket: Socket): void {
    const connection = { answered: Promise.resolve(), requests: 0, last: undefined };
    this.#open.set(socket, connection);
    lingerAfterAnswer(socket, connection);
    socket.once("close", () => this.#open.delete(socket));
    if (this.#open.size > maxConnections) (this.#dispensable(socket) ?? socket).destroy();
  }

  /**
   * Handles a request when the earlier ones of its connection are answered, so that a client that sends many and reads
   * no answer does not fill the memory.
   */
  async serve(incoming: IncomingMessage, outgoing: ServerResponse, handle: () => Promise<unknown>): Promise<void> {
    const { socket } = incoming;
    const connection = this.#open.get(socket);
    if (!connection || connection.requests >= maxWaitingRequests) return void socket.destroy();
    const earlier = connection.answered;
    connection.requests += 1;
    connection.answered = new Promise((resolve) => {
      outgoing.once("close", () => {
        connection.requests -= 1;
        resolve();
        if (connection.requests === 0 && !callers.has(socket) && !socket.destroyed) socket.setTimeout(unsignedIdle);
      });
    });
    await earlier;
    if (socket.destroyed) return;
    connection.last = incoming;
    discardAfterAnswer(incoming, outgoing);
    await handle();
  }

  /**
   * Returns a connection of the largest group, idle ones first, then the oldest. Connections without a signed request are
   * one group, and those of each access key that wait for their client another: a newcomer has not sent its request yet,
   * so it must not be the one to go as long as a single key holds the connections.
   */
  #dispensable(newcomer: Socket): Socket | undefined {
    const groups = new Map<string | undefined, Group>();
    for (const [socket, connection] of this.#open) {
      if (socket === newcomer || socket.destroyed) continue;
      const accessKeyId = callers.get(socket);
      if (accessKeyId !== undefined && !waitsForClient(socket, connection)) continue;
      const isIdle = connection.requests === 0;
      const group = groups.get(accessKeyId);
      if (!group) groups.set(accessKeyId, { count: 1, first: socket, isIdle });
      else {
        group.count += 1;
        if (isIdle && !group.isIdle) Object.assign(group, { first: socket, isIdle });
      }
    }
    let largest = groups.get(undefined);
    for (const group of groups.values()) if (!largest || group.count > largest.count) largest = group;
    return largest?.first;
  }
}

/** Returns true when a client has to send a request or the rest of it, or to read its answer. */
function waitsForClient(socket: Socket, { requests, last }: Connection): boolean {
  return requests === 0 || last?.complete === false || socket.writableLength > 0;
}

/**
 * Reads on for a moment when a connection is closed after an answer while the client still sends its request: closed at
 * once, the connection is reset, and the client may not get the answer.
 */
function lingerAfterAnswer(socket: Socket, connection: Connection): void {
  const closeWhenSent = socket.destroySoon.bind(socket);
  // Node calls this method when the last answer of a connection is sent.
  socket.destroySoon = () => {
    const { last } = connection;
    if (!last || last.complete || socket.destroyed) return closeWhenSent();
    const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
    socket.once("close", () => clearTimeout(timer));
    last.once("end", () => socket.destroy());
    socket.end();
  };
}

/** Discards what a client sends of a request after its answer, up to a limit; the rest is left unread. */
function discardAfterAnswer(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const before = incoming.socket.bytesRead;
  // Called before Node's own listener, which would read all that comes, without a limit and without events.
  outgoing.prependListener("finish", () => {
    if (incoming.complete) return;
    const stopAtLimit = () => {
      if (incoming.socket.bytesRead - before > maxRequestBytes) incoming.pause();
    };
    incoming.on("data", stopAtLimit);
    // The first read marks the request as one that is being read.
    incoming.read(0);
    incoming.resume();
    stopAtLimit();
  });
}

/** The network between deployments and the service: it loses, repeats and delays requests and answers. */
import type { History } from "../history";
import { world, type Actor } from "../world/world";

export interface NetworkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly headersTimeout: number;
  readonly signal?: AbortSignal | undefined;
}

export interface NetworkResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { text(): Promise<string> };
}

type Outcome =
  | { readonly kind: "answer"; readonly response: NetworkResponse; readonly text: string }
  | { readonly kind: "refused" | "broken" | "late" | "aborted" };

/** What the service has of a connection. */
export interface Connection {
  readonly caller: Actor;
  /** True when the caller does not wait for the answer any more. */
  isClosed: boolean;
  /** Told when the caller closes the connection. */
  onClose: (() => void) | undefined;
}

/** What answers requests. */
interface Listener {
  readonly actor: Actor;
  answer(request: NetworkRequest, connection: Connection): Promise<{ readonly status: number; readonly body: string }>;
}

/** Where a connection leads. */
interface Target {
  readonly connection: Connection;
  readonly listener: Listener | undefined;
}

class Network {
  readonly #actor = world().actor("network");
  /** The processes that listen: a connection leads to any of them. */
  readonly #listeners = new Map<Actor, Listener>();
  /** The processes that have ended, or end: one that is stopped while it starts never listens. */
  readonly #closed = new WeakSet<Actor>();
  /** What waits for answers, with the process that the connection leads to. */
  readonly #open = new Map<(outcome: Outcome) => void, Actor | undefined>();
  /** Told of requests and their answers. */
  history: History | undefined;

  listen(listener: Listener): void {
    if (!this.#closed.has(listener.actor)) this.#listeners.set(listener.actor, listener);
  }

  /** Breaks all connections of a process, as its end does. */
  close(process: Actor): void {
    this.#closed.add(process);
    this.#listeners.delete(process);
    for (const [settle, actor] of this.#open) {
      if (actor === process) world().after(world().delay(), () => settle({ kind: "broken" }), this.#actor);
    }
  }

  #anyListener(): Listener | undefined {
    const all = [...this.#listeners.values()];
    return all.length > 1 ? world().choices.pick(all) : all[0];
  }

  send(request: NetworkRequest): Promise<Outcome> {
    const caller = world().current;
    const told = this.history?.sent(request);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const connection: Connection = { caller, isClosed: false, onClose: undefined };
    const close = () => {
      connection.isClosed = true;
      connection.onClose?.();
    };
    const settle = (outcome: Outcome) => {
      this.#open.delete(settle);
      world().after(
        0,
        () => {
          late.isCancelled = true;
          request.signal?.removeEventListener("abort", aborted);
          if (outcome.kind === "answer") told?.(outcome.response.statusCode, outcome.text);
          resolve(outcome);
        },
        caller,
      );
    };
    const listener = this.#anyListener();
    const leave = (kind: "late" | "aborted") => {
      settle({ kind });
      world().after(world().delay(), close, listener?.actor ?? this.#actor);
    };
    const late = world().after(request.headersTimeout, () => leave("late"));
    const aborted = () => leave("aborted");
    request.signal?.addEventListener("abort", aborted);
    this.#open.set(settle, listener?.actor);
    this.#deliver(request, { connection, listener }, { settle, close });
    return promise;
  }

  #deliver(
    request: NetworkRequest,
    to: Target,
    { settle, close }: { readonly settle: (outcome: Outcome) => void; readonly close: () => void },
  ): void {
    const net = this.#actor;
    const later = (run: () => void, more = 0) => void world().after(world().delay() + more, run, net);
    if (to.listener === undefined) return later(() => settle({ kind: "refused" }));
    if (world().fault("a connection is refused", 0.01)) return later(() => settle({ kind: "refused" }));
    if (world().fault("a request is lost", 0.01)) return later(() => settle({ kind: "broken" }));
    if (world().fault("a request gets no answer", 0.005)) return;
    if (world().fault("a proxy answers 503", 0.015)) {
      return later(() => settle(answer(503, "<html>no upstream</html>")));
    }
    if (world().fault("a request arrives after its connection broke", 0.01)) {
      later(() => settle({ kind: "broken" }));
      const arrive = () => {
        const actor = this.#arrive(request, to, () => undefined);
        // The end of the connection arrives behind the request.
        world().after(world().delay(), close, actor ?? net);
      };
      world().after(world().choices.between(0, 1000), arrive, net);
      return;
    }
    const isLate = world().fault("a request is delayed", 0.01);
    later(() => this.#arrive(request, to, settle), isLate ? 1500 : 0);
    if ((request.method === "GET" || request.method === "DELETE") && world().fault("a request is doubled", 0.01)) {
      later(() => this.#arrive(request, to, settle));
    }
  }

  /** Returns the process that gets the request; undefined if none listens. */
  #arrive(
    request: NetworkRequest,
    { connection, ...to }: Target,
    settle: (outcome: Outcome) => void,
  ): Actor | undefined {
    const isThere = to.listener !== undefined && this.#listeners.has(to.listener.actor);
    const listener = isThere ? to.listener : this.#anyListener();
    if (listener === undefined) {
      settle({ kind: "refused" });
      return undefined;
    }
    const answered = ({ status, body }: { readonly status: number; readonly body: string }) => {
      if (world().fault("an answer is lost", 0.02)) {
        world().after(world().delay(), () => settle({ kind: "broken" }), this.#actor);
      } else if (!world().fault("an answer never comes", 0.005)) {
        const arrived = () => settle(answer(status, body));
        world().after(world().delay(), arrived, this.#actor);
      }
    };
    world().after(0, () => void listener.answer(request, connection).then(answered), listener.actor);
    return listener.actor;
  }
}

function answer(statusCode: number, text: string): Outcome {
  const headers = { "content-type": text.startsWith("<") ? "text/html" : "application/json" };
  return { kind: "answer", response: { statusCode, headers, body: { text: async () => text } }, text };
}

const networks = new WeakMap<object, Network>();

/** Returns the network of the world. */
export function network(): Network {
  let found = networks.get(world());
  if (found === undefined) networks.set(world(), (found = new Network()));
  return found;
}

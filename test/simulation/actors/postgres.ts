/**
 * PostgreSQL: the real one, compiled to run in this process, behind a server of the world. Its clock is the world's. It
 * has one session, so transactions come one after another: a connection waits while another one has begun one.
 */
import type { PGlite } from "@electric-sql/pglite";
import type { QueryAttempt } from "../../../service/core/ports/state";
import { migrate } from "../../../service/state/postgres/schema";
import { world, type Actor } from "../world/world";
import { changesQueries, readAll, tables, type CommittedQuery } from "./postgres-tables";
import { batch, errorMessage, messagesIn, ready, rowsIn, type Message, welcome } from "./postgres-messages";

/** The server's end of a connection, for the client. */
export interface ServerConnection {
  send(bytes: Buffer): void;
  /** Closes the connection. */
  leave(): void;
}

/** What a client is told. */
interface ToClient {
  data(bytes: Buffer): void;
  broken(): void;
}

interface Session {
  readonly owner: Actor;
  readonly client: ToClient;
  isStarted: boolean;
  isOpen: boolean;
  isListening: boolean;
  lastArrival: number;
  received: Buffer;
}

let engine: PGlite | undefined;

/** Starts the database, when this process has not yet. */
export async function startPostgres(): Promise<void> {
  if (engine) return;
  const { PGlite } = await import("@electric-sql/pglite");
  const started = (await PGlite.create()) as unknown as PGlite;
  const run = async (sql: string, values: readonly unknown[] = []) =>
    values.length === 0
      ? ((await started.exec(sql)).at(-1)?.rows as never[])
      : ((await started.query(sql, [...values])).rows as never[]);
  await migrate({ run });
  await started.exec("LISTEN dag_service");
  engine = started;
}

class PostgresServer {
  readonly actor = world().actor("PostgreSQL");
  readonly #sessions = new Set<Session>();
  /** The session that has begun a transaction. */
  #holder: Session | undefined;
  readonly #waiting: { readonly session: Session; readonly messages: readonly Message[] }[] = [];
  #isUp = true;
  #isChanged = false;
  /** What was committed, by the IDs. */
  queries: ReadonlyMap<number, CommittedQuery> = new Map();
  /** Told of each commit that changes queries. */
  onCommit: ((before: ReadonlyMap<number, CommittedQuery>) => void) | undefined;

  /** The processes whose next renewals of their leases are not answered. */
  readonly #unanswered = new Set<Actor>();
  /** What is to run when a query has a later attempt. */
  #awaited: { readonly attempt: QueryAttempt; readonly run: () => void }[] = [];

  constructor() {
    // Of a transaction that the world before has left.
    this.#execute(batch("ROLLBACK"));
    for (const name of tables) this.#execute(batch(`TRUNCATE dag.${name} RESTART IDENTITY CASCADE`));
  }

  /** Returns how long a message takes. */
  delay(): number {
    const random = world().delays.next();
    return random < 0.95 ? random : world().delays.next() * 300;
  }

  /** @returns undefined when the server is down */
  connect(owner: Actor, client: ToClient): ServerConnection | undefined {
    if (!this.#isUp || world().fault("PostgreSQL refuses a connection", 0.005)) return undefined;
    const session: Session = {
      owner,
      client,
      isStarted: false,
      isOpen: true,
      isListening: false,
      lastArrival: 0,
      received: Buffer.alloc(0),
    };
    this.#sessions.add(session);
    return {
      send: (bytes) => this.#later(session, () => this.#received(session, bytes)),
      leave: () => this.#later(session, () => this.#end(session)),
    };
  }

  /** The connections of a process that was killed end. */
  processDied(actor: Actor): void {
    for (const session of this.#sessions) {
      if (session.owner === actor) this.#later(session, () => this.#end(session));
    }
  }

  /** Returns true while a process has a transaction. */
  isHeldBy(actor: Actor): boolean {
    return this.#holder?.owner === actor;
  }

  /** Calls back when a query has a later attempt. */
  onLater(attempt: QueryAttempt, run: () => void): void {
    this.#awaited.push({ attempt, run });
  }

  /** Does not answer the next renewal of a process's lease. */
  loseRenewal(owner: Actor): void {
    this.#unanswered.add(owner);
  }

  /** Ends all connections, and takes none for a time. */
  restart(milliseconds: number): void {
    this.#isUp = false;
    for (const session of this.#sessions) this.#break(session);
    world().after(milliseconds, () => (this.#isUp = true), this.actor);
  }

  #later(session: Session, run: () => void): void {
    session.lastArrival = Math.max(world().now + this.delay(), session.lastArrival);
    world().after(session.lastArrival - world().now, run, this.actor);
  }

  #received(session: Session, bytes: Buffer): void {
    if (!session.isOpen) return;
    if (!session.isStarted) {
      session.isStarted = true;
      return session.client.data(welcome);
    }
    session.received = Buffer.concat([session.received, bytes]);
    let messages = messagesIn(session.received);
    for (;;) {
      const last = messages.findIndex(({ type }) => type === "Q" || type === "S" || type === "X");
      if (last === -1) break;
      const complete = messages.slice(0, last + 1);
      messages = messages.slice(last + 1);
      session.received = session.received.subarray(complete.reduce((sum, { bytes: each }) => sum + each.length, 0));
      if (complete.at(-1)!.type === "X") return this.#end(session);
      this.#waiting.push({ session, messages: complete });
    }
    this.#work();
  }

  /** Runs what may run now. */
  #work(): void {
    for (;;) {
      const holder = this.#holder;
      const at = this.#waiting.findIndex(({ session }) => holder === undefined || session === holder);
      if (at === -1) return;
      const { session, messages } = this.#waiting.splice(at, 1)[0]!;
      if (session.isOpen) this.#run(session, messages);
    }
  }

  #run(session: Session, messages: readonly Message[]): void {
    world().count("PostgreSQL: statement");
    if (world().fault("a statement is lost", 0.0006)) return this.#break(session);
    const text = Buffer.concat(messages.map(({ bytes }) => bytes));
    const sql = text.toString("latin1");
    const isConflict = session === this.#holder && !/ROLLBACK/.test(sql) && world().fault("a conflict", 0.004);
    if (/LISTEN/.test(sql)) session.isListening = true;
    if (changesQueries.test(sql)) this.#isChanged = true;
    const answers = this.#execute(isConflict ? errorMessage("40001") : text);
    const status = answers.findLast(({ type }) => type === "Z")!.bytes.at(-1);
    this.#holder = status === ready.idle ? undefined : session;
    for (const { type, bytes } of answers) {
      if (type !== "A") continue;
      for (const each of this.#sessions) if (each.isListening) each.client.data(bytes);
    }
    if (this.#holder === undefined && this.#isChanged) this.#committed();
    if (world().fault("an answer of PostgreSQL is lost", 0.0008)) return this.#break(session);
    // The driver gives the connection up after some seconds, in which its process uses others.
    if (this.#holder === undefined && world().fault("PostgreSQL does not answer", 0.0005)) return;
    const isRenewal = this.#holder === undefined && sql.includes("INSERT INTO dag.processes");
    if (isRenewal && this.#unanswered.delete(session.owner)) return;
    session.client.data(Buffer.concat(answers.filter(({ type }) => type !== "A").map(({ bytes }) => bytes)));
  }

  #committed(): void {
    this.#isChanged = false;
    const before = this.queries;
    const rows = rowsIn<CommittedQuery>(this.#execute(batch(`SELECT json_agg(q) FROM (${readAll}) AS q`)));
    this.queries = new Map(rows.map((row) => [row.id, row]));
    this.onCommit?.(before);
    const isLater = ({ attempt: { id, epoch } }: { readonly attempt: QueryAttempt }) =>
      (this.queries.get(id)?.epoch ?? 0) > epoch;
    const later = this.#awaited.filter(isLater);
    this.#awaited = this.#awaited.filter((each) => !isLater(each));
    for (const { run } of later) run();
  }

  #break(session: Session): void {
    session.client.broken();
    this.#end(session);
  }

  #end(session: Session): void {
    if (!session.isOpen) return;
    session.isOpen = false;
    this.#sessions.delete(session);
    if (this.#holder !== session) return;
    this.#execute(batch("ROLLBACK"));
    this.#holder = undefined;
    this.#isChanged = false;
    this.#work();
  }

  #execute(bytes: Buffer): Message[] {
    // The server's own clock.
    const { current } = world();
    world().current = this.actor;
    // Its timers store statistics: when follows from what earlier schedules did, and would be steps of this one.
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (() => undefined) as unknown as typeof setTimeout;
    try {
      return messagesIn(Buffer.from(engine!.execProtocolRawSync(bytes)));
    } finally {
      globalThis.setTimeout = setTimeout;
      world().current = current;
    }
  }
}

const servers = new WeakMap<object, PostgresServer>();

/** Returns the server of the world. */
export function postgres(): PostgresServer {
  let found = servers.get(world());
  if (found === undefined) servers.set(world(), (found = new PostgresServer()));
  return found;
}

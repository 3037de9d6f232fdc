/** The state of a service as the simulation gives it: with an oracle that sees its changes, and with kills around them. */
import type { QueryAttempt, State } from "../../../service/core/ports/state";
import type { StateAdapter } from "../../../service/state/state-adapter";
import type { Oracle } from "../oracle";
import { postgres } from "./postgres";
import { world, type Actor } from "../world/world";

/** A process that may be killed. */
interface Killable {
  readonly actor: Actor;
  readonly kill: () => void;
  /** Stops the process for a time, and returns what lets it continue; undefined for one whose state it does not share. */
  readonly pause: ((milliseconds: number) => (() => void) | undefined) | undefined;
}

/** The state, whose every change is told to the oracle. */
export function watchedState(state: StateAdapter, oracle: Oracle): StateAdapter {
  const removeQueries: State["retention"]["removeQueries"] = async (ids) => {
    for (const id of ids) oracle.forgets(id);
    await state.retention.removeQueries(ids);
    // Not when the disk was full.
    for (const id of ids) oracle.forgotten(id);
  };
  const accept: State["admission"]["accept"] = async (query, conditions) => {
    const accepted = await state.admission.accept(query, conditions);
    if (!accepted.refused) oracle.accepted(accepted.query, conditions.slots, query.accessKeyId);
    return accepted;
  };
  const cancel: State["admission"]["cancel"] = async (id) => {
    const isCancelled = await state.admission.cancel(id);
    if (isCancelled) oracle.cancelled(id);
    return isCancelled;
  };
  const end: State["attempts"]["end"] = async (attempt, status, progress, change) => {
    const isEnded = await state.attempts.end(attempt, status, progress, change);
    if (isEnded) oracle.ended(attempt.id, status, change?.published !== undefined);
    return isEnded;
  };
  return {
    ...state,
    admission: withMethods(state.admission, { accept, cancel }),
    attempts: withMethods(state.attempts, { end }),
    retention: withMethods(state.retention, { removeQueries }),
  };
}

/** Returns the state before and after whose changes the process may be killed. */
export function killableState(state: State, process: Killable): State {
  return {
    ...state,
    admission: killable(state.admission, ["accept", "cancel", "restartCluster"], process),
    attempts: pausable(killable(state.attempts, ["end", "markPublishing", "confirm"], process), process),
    leases: killable(state.leases, ["takeOver"], process),
  };
}

/** @param names the methods before and after which the process may be killed */
function killable<Port extends object>(
  port: Port,
  names: readonly (keyof Port & string)[],
  { actor, kill }: Killable,
): Port {
  const never = new Promise(() => undefined);
  return new Proxy(port, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      const method = own as (...given: unknown[]) => unknown;
      if (!(names as readonly PropertyKey[]).includes(name)) return method.bind(target);
      return (...given: unknown[]) => {
        world().count(`state: ${String(name)}`);
        if (actor.isAlive && world().fault(`the service is killed before ${String(name)}`, 0.004)) {
          kill();
          return never;
        }
        const result = method.apply(target, given);
        if (!actor.isAlive || !world().fault(`the service is killed after ${String(name)}`, 0.006)) return result;
        // The oracle sees first what was stored.
        return (result as Promise<unknown>).then(() => {
          kill();
          return never;
        });
      };
    },
  });
}

/** Returns the steps of attempts, at whose marks and confirmations the process may do nothing for a time. */
function pausable(steps: State["attempts"], { actor, pause }: Killable): State["attempts"] {
  if (pause === undefined) return steps;
  const operator = world().actor("operator");
  // Until another process has taken the query over, and for a moment more.
  const pauseUntilTakeover = (attempt: QueryAttempt) => {
    const proceed = pause(15_000);
    const more = world().choices.pick([10, 10, 1000]) * world().choices.next();
    if (proceed) postgres().onLater(attempt, () => world().after(more, proceed, operator));
  };
  const pauseSoon = (attempt: QueryAttempt) =>
    void world().after(world().choices.next() * 2, () => pauseUntilTakeover(attempt), operator);
  const confirm: typeof steps.confirm = async (attempt) => {
    if (!actor.isAlive) return steps.confirm(attempt);
    if (world().fault("a service does nothing while it confirms", 0.03)) {
      if (world().choices.chance(0.5)) {
        pauseUntilTakeover(attempt);
        await world().call("state: continues", () => undefined);
      } else pauseSoon(attempt);
    } else if (world().fault("a lease ends while an attempt is confirmed", 0.03)) {
      // Its lease then ends some seconds later, while it runs.
      postgres().loseRenewal(actor);
      // What comes before takes long, such as a disk that is slow.
      await world().call("state: confirms late", () => undefined, world().choices.between(3000, 9500));
      pauseSoon(attempt);
    }
    return steps.confirm(attempt);
  };
  const markPublishing: typeof steps.markPublishing = async (attempt, result) => {
    const marked = await steps.markPublishing(attempt, result);
    if (actor.isAlive && world().fault("a service does nothing after it has marked a publication", 0.02)) {
      pauseUntilTakeover(attempt);
      await world().call("state: continues", () => undefined);
    }
    return marked;
  };
  return withMethods(steps, { confirm, markPublishing });
}

/** Returns a port with some methods replaced. */
export function withMethods<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const own: unknown = (methods as Record<PropertyKey, unknown>)[name] ?? Reflect.get(target, name, target);
      return typeof own === "function" ? (own as (...given: unknown[]) => unknown).bind(target) : own;
    },
  });
}

/**
 * The scheduler: one clock, and the steps that wait for their time. A step runs the code of one actor, until that code
 * waits for another step. The order of the steps follows from the seed, because each step is late by a random time.
 */
import v8 from "node:v8";
import { Files } from "./files";
import { pop, push } from "./heap";
import { randomFrom, type Random } from "./random";

/** A process: a service, an engine's server, or a deployment. When it is dead, none of its steps runs any more. */
export interface Actor {
  readonly name: string;
  isAlive: boolean;
  /** The steps that a process which does nothing for a time will run later; undefined for one that runs. */
  postponed: Step[] | undefined;
  /** Seconds of its clock in a second of the world. */
  readonly rate: number;
  /** Milliseconds by which its clock is ahead at the beginning. */
  readonly ahead: number;
}

/** A step that waits for its time. */
export interface Step {
  at: number;
  readonly order: number;
  readonly actor: Actor;
  readonly run: () => void;
  isCancelled: boolean;
}

export interface WorldOptions {
  /** The faults that do not happen, by the number of their decision: shrinking tries to do without each. @default none */
  readonly omitted?: ReadonlySet<number> | undefined;
  /** True to keep the events of the story. @default false */
  readonly isTold?: boolean;
  /** Seldom faults are so many times as probable. @default 1 */
  readonly moreFaults?: number;
}

/** What happened, for the story of a schedule. */
export interface Event {
  readonly at: number;
  readonly actor: string;
  readonly text: string;
}

/** Something that a guarantee excludes. */
export class Violation extends Error {
  override readonly name = "Violation";

  constructor(
    /** The guarantee, such as `accepted is never lost`. */
    readonly invariant: string,
    readonly what: string,
  ) {
    super(`${invariant}: ${what}`);
  }
}

/** The time at which every world begins, in milliseconds since 1970. */
const beginning = Date.UTC(2030, 0, 1);

v8.setFlagsFromString("--allow-natives-syntax");
/** Runs all microtasks. It works in a turn of the event loop only, and not in a microtask. */
const runMicrotasks = new Function("%PerformMicrotaskCheckpoint()") as () => void;

export class World {
  /** Milliseconds since {@link beginning}. */
  now = 0;
  steps = 0;
  current: Actor;
  readonly files: Files;
  readonly events: Event[] = [];
  readonly violations: Violation[] = [];
  /** How often each kind of step and fault happened. */
  readonly coverage = new Map<string, number>();
  /** The random numbers of delays, of what actors do, of faults, and of names. */
  readonly delays: Random;
  readonly choices: Random;
  readonly faultRandom: Random;
  readonly names: Random;
  /** False from the end of the faults on. */
  hasFaults = true;
  readonly faults: string[] = [];
  readonly #waiting: Step[] = [];
  #order = 0;
  #decisions = 0;

  readonly #omitted: ReadonlySet<number>;
  readonly #moreFaults: number;
  readonly #isTold: boolean;

  constructor(
    readonly seed: number,
    { omitted = new Set(), isTold = false, moreFaults = 1 }: WorldOptions = {},
  ) {
    this.#omitted = omitted;
    this.#moreFaults = moreFaults;
    this.#isTold = isTold;
    this.delays = randomFrom(seed);
    this.choices = randomFrom(seed ^ 0x5bd1e995);
    this.faultRandom = randomFrom(seed ^ 0x27d4eb2f);
    this.names = randomFrom(seed ^ 0x165667b1);
    this.current = this.actor("world");
    this.files = new Files({
      time: () => this.timeOf(this.current),
      between: (low, high) => this.choices.between(low, high),
    });
  }

  actor(name: string, clock: { readonly rate?: number; readonly ahead?: number } = {}): Actor {
    return { name, isAlive: true, postponed: undefined, rate: clock.rate ?? 1, ahead: clock.ahead ?? 0 };
  }

  /** Returns what an actor's clock shows, in milliseconds since 1970. */
  timeOf({ rate, ahead }: Actor): number {
    return Math.floor(beginning + this.now * rate + ahead);
  }

  /** Adds a step of an actor after some milliseconds. */
  after(milliseconds: number, run: () => void, actor: Actor = this.current): Step {
    const at = this.now + Math.max(0, milliseconds);
    const step = { at, order: (this.#order += 1), actor, run, isCancelled: false };
    push(this.#waiting, step);
    return step;
  }

  /** Does work of the world for the current actor after a delay, and then resolves with its result. */
  call<Result>(kind: string, work: () => Result, delay = this.delay()): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.after(delay, () => {
      this.count(kind);
      try {
        resolve(work());
      } catch (error) {
        reject(error as Error);
      }
    });
    return promise;
  }

  /** Returns how long a step takes: mostly little, seldom so much that everything else comes first. */
  delay(): number {
    const random = this.delays.next();
    const share = this.delays.next();
    if (random < 0.75) return share * 2;
    if (random < 0.95) return share * 40;
    return share * 900;
  }

  /** Decides whether a fault happens here. */
  fault(kind: string, probability: number): boolean {
    // Not those that were probable before: the first of them would leave no room for the others.
    const more = probability < 0.1 ? this.#moreFaults : 1;
    const isChosen = this.faultRandom.next() < probability * more;
    if (!isChosen || !this.hasFaults) return false;
    const number = (this.#decisions += 1);
    if (this.#omitted.has(number)) return false;
    this.count(`fault: ${kind}`);
    this.faults.push(`${number}`);
    this.tell(`fault: ${kind}`);
    return true;
  }

  count(kind: string): void {
    this.coverage.set(kind, (this.coverage.get(kind) ?? 0) + 1);
  }

  tell(text: string, actor: Actor = this.current): void {
    if (this.#isTold) this.events.push({ at: this.now, actor: actor.name, text });
  }

  violate(invariant: string, what: string): void {
    const violation = new Violation(invariant, what);
    this.violations.push(violation);
    this.tell(`VIOLATION ${violation.message}`);
  }

  /** Runs code of an actor now, with all that follows at once. */
  enter(actor: Actor, run: () => void): void {
    this.current = actor;
    run();
    runMicrotasks();
  }

  kill(actor: Actor): void {
    actor.isAlive = false;
  }

  /** Stops a process without its knowledge. Returns what lets it continue. */
  pause(actor: Actor): () => void {
    const postponed: Step[] = [];
    actor.postponed = postponed;
    return () => {
      if (actor.postponed !== postponed) return;
      actor.postponed = undefined;
      for (const step of postponed) {
        step.at = this.now;
        push(this.#waiting, step);
      }
    };
  }

  /**
   * Runs steps until a condition holds, a guarantee is violated, or a time is over.
   * @returns true when the condition holds
   */
  runUntil(holds: () => boolean, until: number): boolean {
    while (!holds()) {
      if (this.violations.length > 0) return false;
      const step = pop(this.#waiting);
      if (step === undefined) return false;
      if (step.isCancelled || !step.actor.isAlive) continue;
      if (step.at > until) {
        push(this.#waiting, step);
        return false;
      }
      if (step.actor.postponed) {
        step.actor.postponed.push(step);
        continue;
      }
      this.now = step.at;
      this.steps += 1;
      this.enter(step.actor, step.run);
    }
    return true;
  }
}

/** Modules that are loaded before the first schedule are in a world of their own. */
let active = new World(0);

/** The world in which code runs now. */
export function world(): World {
  return active;
}

/** Makes a world the one in which code runs. */
export function enterWorld(entered: World): World {
  return (active = entered);
}

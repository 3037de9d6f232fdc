/** One run of Pulumi's engine: it calls the real lifecycles over the real client. */
import { errors } from "../../../contract";
import { Client } from "../../../provider/client";
import { PartialCreate, lifecycleOf, type Lifecycle, type LifecycleContext } from "../../../provider/lifecycles";
import { Run } from "../../../provider/lifecycles/freshness/run";
import { world, type Actor } from "../world/world";
import type { WorldStorage } from "./storage";

type Values = Readonly<Record<string, unknown>>;

/** A resource as the program declares it. */
export interface Declared {
  readonly name: string;
  readonly kind: "SplitTable" | "SelectQuery";
  readonly inputs: Values;
  /** The resources that it reads. */
  readonly reads: readonly string[];
}

/** A resource in the stack's state. */
export interface Stored {
  readonly id: string;
  readonly kind: Declared["kind"];
  readonly inputs: Values;
  readonly state: Values;
  /** True when it was deleted to be replaced, and its replacement has not been created yet. */
  readonly isPending?: boolean;
}

/** One run of the engine. */
export class DeploymentRun {
  readonly #run = new Run();
  readonly #problems: string[] = [];
  /** The resources that it deletes now: what it has sent may arrive after it was killed. */
  readonly deleting = new Set<string>();

  constructor(
    private readonly state: Map<string, Stored>,
    private readonly storage: WorldStorage,
    private readonly process: { readonly stack: string; readonly actor: Actor; readonly signal: AbortSignal },
  ) {}

  /** Returns what has failed. */
  async execute(program: readonly Declared[], isRefreshed: boolean): Promise<readonly string[]> {
    const credentials = { accessKeyId: this.process.stack, secretAccessKey: "secret" };
    const client = new Client({ endpoint: "http://127.0.0.1:9393", ...credentials });
    if (isRefreshed) {
      for (const [name, stored] of this.state) if (!stored.isPending) await this.#refresh(name, stored, client);
    }
    const deployed = new Map<string, Promise<boolean>>();
    for (const declared of program) {
      const ready = Promise.all(declared.reads.map((name) => deployed.get(name) ?? true));
      const result = ready.then(
        (all) => all.every(Boolean) && this.#guarded(declared.name, () => this.#deploy(declared, client)),
      );
      deployed.set(declared.name, result);
    }
    await Promise.all(deployed.values());
    const names = new Set(program.map(({ name }) => name));
    for (const [name, stored] of [...this.state].toReversed()) {
      if (!names.has(name)) await this.#guarded(name, () => this.#delete(name, stored, client));
    }
    return this.#problems;
  }

  /** Returns false when the work fails. */
  async #guarded(name: string, work: () => Promise<void>): Promise<boolean> {
    if (this.process.signal.aborted) {
      this.#problems.push(`${name}: interrupted`);
      return false;
    }
    try {
      await work();
      return true;
    } catch (error) {
      this.#problems.push(`${name}: ${codesOf(error)} ${(error as Error).message.slice(0, 300)}`);
      if (isUnexpected(error)) world().violate("no internal error", (error as Error).stack ?? String(error));
      return false;
    }
  }

  async #refresh(name: string, stored: Stored, client: Client): Promise<void> {
    await this.#guarded(name, async () => {
      const found = await lifecycle(stored.kind).read(stored.id, stored, this.#context(name, client));
      if (found) this.state.set(name, { ...stored, ...(found as Pick<Stored, "inputs" | "state">) });
      else this.state.delete(name);
    });
  }

  async #deploy({ name, kind, inputs: given }: Declared, client: Client): Promise<void> {
    const { state } = this;
    const own = lifecycle(kind);
    const context = this.#context(name, client);
    const urn = { urn: context.urn, secret: false };
    const check = (olds: Values | undefined) => {
      const options = { ...urn, olds, storage: true, submissionToken: true, programTables: this.#run.tables };
      const { inputs, failures } = own.check(given, options);
      if (failures.length > 0) throw new Error(`check: ${JSON.stringify(failures)}`);
      this.#run.checked(urn, own, inputs, olds);
      return inputs as Values;
    };
    const stored = state.get(name);
    let inputs = check(stored?.inputs);
    if (stored) {
      const difference = own.diff(stored, inputs);
      const { replaces, reason } = this.#run.compared(urn, difference, stored, inputs);
      if (replaces.length === 0 && !stored.isPending) {
        if (difference.changes)
          await this.#store(name, kind, inputs, stored.id, () => own.update(stored.id, stored, inputs, context));
        return;
      }
      world().tell(`${name} ${reason ?? "is replaced, as an earlier run began"}`);
      inputs = check(undefined);
    }
    const failures = await this.#run.preflight(urn, own, inputs, context);
    if (failures.length > 0) throw new Error(`preflight: ${JSON.stringify(failures)}`);
    if (stored && !stored.isPending) {
      await this.#delete(name, stored, client);
      state.set(name, { ...stored, isPending: true });
    }
    await this.#store(name, kind, inputs, undefined, () => own.create(inputs, context));
  }

  /** Stores what a create or an update returns, also if the query is not finished. */
  async #store(
    name: string,
    kind: Stored["kind"],
    inputs: Values,
    id: string | undefined,
    work: () => Promise<unknown>,
  ): Promise<void> {
    try {
      const result = await work();
      const created = id === undefined ? (result as Pick<Stored, "id" | "state">) : { id, state: result as Values };
      this.state.set(name, { kind, inputs, id: created.id, state: created.state });
      world().tell(`${name} is query ${created.id}`);
    } catch (error) {
      if (error instanceof PartialCreate) {
        this.state.set(name, { kind, inputs, id: error.id, state: error.state as Values });
        world().tell(`${name} is query ${error.id}, not finished`);
      }
      throw error;
    }
  }

  async #delete(name: string, stored: Stored, client: Client): Promise<void> {
    if (!stored.isPending) {
      world().tell(`deletes ${name}, query ${stored.id}`);
      this.deleting.add(name);
      await lifecycle(stored.kind)
        .delete(stored.id, stored, this.#context(name, client))
        .finally(() => this.deleting.delete(name));
    }
    this.state.delete(name);
  }

  #context(name: string, client: Client): LifecycleContext {
    const wait = (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const abort = () => {
          clearTimeout(timer);
          reject(signal!.reason as Error);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener("abort", abort);
          resolve();
        }, milliseconds);
        signal?.addEventListener("abort", abort);
      });
    return {
      client,
      storage: this.storage,
      signal: this.process.signal,
      timeout: 600_000,
      urn: `urn:pulumi:${this.process.stack}::simulation::${name}`,
      submissionToken: true,
      secret: false,
      programTables: this.#run.tables,
      report: () => undefined,
      info: (text) => {
        world().tell(`${name}: ${text}`);
        if (text.includes("is identical and has finished"))
          world().count("a finished query of a killed run is adopted");
      },
      warn: (text) => world().tell(`${name}: warning: ${text}`),
      now: () => Date.now(),
      sleep: wait,
    };
  }
}

const lifecycle = (kind: Stored["kind"]) => lifecycleOf(kind) as unknown as Lifecycle<Values, Values>;

/** Returns the codes of an error and of its causes. */
function codesOf(error: unknown): string {
  const codes: string[] = [];
  for (let at = error as { code?: string; cause?: unknown } | undefined; at; at = at.cause as typeof at) {
    if (at.code !== undefined) codes.push(at.code);
    else if (at instanceof errors.OutputTableAlreadyExists) codes.push("OutputTableAlreadyExists");
  }
  return codes.join(" ");
}

/** Returns true for an error of the code itself. */
function isUnexpected(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

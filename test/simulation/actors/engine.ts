/** An engine whose queries finish, fail, hang and die. Its processes outlive a killed service by a moment. */
import { errors } from "../../../contract";
import type {
  Engine,
  EngineEnd,
  EngineFamily,
  EngineOptions,
  JobContext,
  SelectJob,
  SelectResult,
  SplitJob,
  SplitResult,
  TableName,
} from "../../../service/core/ports/engine";
import type { Location } from "../../../contract";
import { world, type Actor } from "../world/world";
import { textOf, valueIn, valueOf } from "./content";
import { sleep } from "./platform";
import type { WorldStorage } from "./storage";

export class WorldFamily implements EngineFamily {
  readonly type = "simulated";
  /** The engines that live, to be killed with their service. */
  readonly engines = new Set<WorldEngine>();

  /** @param hit told of the query that a fault ends, or without one of all */
  constructor(
    private readonly storage: WorldStorage,
    private readonly hit: (queryId?: number) => void,
  ) {}

  async start({ clusterName }: EngineOptions): Promise<Engine> {
    await world().call("engine: start", () => undefined);
    if (world().fault("an engine does not start", 0.03)) throw new Error("the engine could not be started");
    const engine = new WorldEngine(clusterName, this.storage, {
      ended: () => this.engines.delete(engine),
      hit: this.hit,
    });
    this.engines.add(engine);
    engine.mayCrash();
    return engine;
  }
}

/** A job of a query, in a process of its own. */
interface Job {
  readonly queryId: number;
  readonly output: Location;
  readonly statement: string;
  readonly inputs: () => AsyncIterable<Location>;
}

class WorldEngine implements Engine {
  readonly #ended = Promise.withResolvers<EngineEnd>();
  readonly ended = this.#ended.promise;
  readonly #service = world().current;
  #hasEnded = false;
  readonly #jobs = new Map<Actor, number>();

  constructor(
    private readonly clusterName: string,
    private readonly storage: WorldStorage,
    private readonly told: { readonly ended: () => void; readonly hit: (queryId?: number) => void },
  ) {}

  /** Lets the engine end by itself at some time. */
  mayCrash(): void {
    if (world().faultRandom.chance(0.2)) {
      world().after(world().faultRandom.between(10, 60_000), () => {
        if (!world().fault("an engine ends", 1)) return;
        this.told.hit();
        this.end("the engine crashed", false);
      });
    }
  }

  async tablesRead(statement: string): Promise<readonly TableName[]> {
    await world().call("engine: tablesRead", () => undefined);
    const found = [...statement.matchAll(/\bfrom (?:`?([a-z0-9-]+)`?\.)([a-z0-9_]+)/gi)];
    if (found.length === 0) throw new errors.InvalidDMLStatement("1:1 no table", { field: "query" });
    return found.map(([, database = "", table = ""]) => ({ database, table }));
  }

  async columnNames() {
    return undefined;
  }

  async checkSelect(): Promise<undefined> {
    await world().call("engine: checkSelect", () => undefined);
    if (world().fault("a check takes long", 0.03)) await sleep(world().choices.between(1000, 9000));
  }

  async sampleTable() {
    return { columns: [], rows: [], isTruncated: false };
  }

  async select(job: SelectJob, context: JobContext): Promise<SelectResult> {
    const { storage } = this;
    const inputs = async function* () {
      for (const { location } of job.tables) for await (const object of storage.list(location)) yield object.location;
    };
    await this.#run({ ...job, inputs }, context);
    return { columns: [{ name: "value", type: "string" }] };
  }

  async split(job: SplitJob, context: JobContext): Promise<SplitResult> {
    const inputs = async function* () {
      yield* job.inputs;
    };
    await this.#run({ ...job, statement: "split", inputs }, context);
    return { columns: [{ name: "value", type: "string" }], checked: true };
  }

  async close(): Promise<void> {
    await world().call("engine: close", () => this.end("closed", true));
  }

  end(reason: string, expected: boolean): void {
    this.lostPower();
    this.told.ended();
    this.#hasEnded = true;
    this.#ended.resolve({ expected, reason });
  }

  lostPower(): void {
    for (const job of this.#jobs.keys()) world().kill(job);
  }

  /** Ends the processes a moment after those of the service: they notice that its pipe is closed. */
  serviceDied(): void {
    for (const job of this.#jobs.keys()) {
      const actor = world().actor("reaper");
      world().after(4 * world().delay(), () => world().kill(job), actor);
    }
  }

  /** Runs a job in a process of its own, and passes its end to the service. */
  #run(job: Job, { signal, jobId, progress }: JobContext): Promise<void> {
    if (this.#hasEnded) return Promise.reject(new Error("the channel was closed"));
    const name = `engine of ${this.clusterName}, query ${job.queryId}`;
    const process = world().actor(name);
    this.#jobs.set(process, job.queryId);
    jobId(`job-${job.queryId}`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const answer = (settle: () => void) => {
      world().after(
        world().delay(),
        () => {
          this.#jobs.delete(process);
          settle();
        },
        this.#service,
      );
    };
    const cancel = () => {
      world().kill(process);
      answer(() => reject(signal.reason as Error));
    };
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    void this.ended.then(() => reject(new Error("the channel was closed")));
    const execute = async () => {
      const faults = world();
      if (faults.fault("a query's process dies", 0.02)) {
        this.told.hit(job.queryId);
        faults.kill(process);
        world().after(5, () => reject(new Error("the process of the query ended")), this.#service);
        return await new Promise<never>(() => undefined);
      }
      if (faults.fault("a query hangs", 0.02)) {
        await world().call("engine: hangs", () => undefined, world().faultRandom.between(20_000, 200_000));
      }
      await this.#write(job, () => {
        world().after(1, () => progress(50, 1), this.#service);
      });
      if (faults.fault("a query fails", 0.03)) {
        this.told.hit(job.queryId);
        throw new Error("division by zero");
      }
    };
    world().after(
      world().delay(),
      () =>
        void execute().then(
          () => answer(resolve),
          (error: unknown) => answer(() => reject(error as Error)),
        ),
      process,
    );
    return promise;
  }

  async #write({ queryId, output, statement, inputs }: Job, onPart: () => void): Promise<void> {
    const values: string[] = [];
    for await (const location of inputs()) {
      const text = await (await this.storage.read(location)).toArray();
      values.push(valueIn(Buffer.concat(text as Buffer[]).toString()));
    }
    const value = valueOf(statement, values);
    const [, epoch] = /\/(\d+)[^/]*\/$/.exec(output.key)!;
    const parts = world().choices.between(1, 3);
    for (let part = 1; part <= parts; part += 1) {
      const key = `${output.key}${String(part - 1).padStart(6, "0")}_0`;
      const content = textOf({ queryId, epoch: Number(epoch), part, parts, value });
      await this.storage.write({ bucket: output.bucket, key }, content);
      onPart();
    }
    // As the engines do before they say that a result is complete.
    await world().call("engine: flush", () => world().files.flush());
  }
}

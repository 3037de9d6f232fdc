/** The service: its real code on the world's disk, network and engines. It is killed, loses power, stops and starts. */
import { Service } from "../../../service/core/service";
import type { Platform } from "../../../service/core/ports/platform";
import { decode } from "../../../service/http/decode";
import { errorAnswer } from "../../../service/http/error-response";
import { handlers } from "../../../service/http/handlers";
import { route } from "../../../service/http/route";
import { FileOutputFolders } from "../../../service/state/outputs/folders";
import { openState } from "../../../service/state/sqlite";
import { S3OutputFolders } from "../../../service/state/outputs/s3";
import { diskProblem } from "../../../storage/disk-errors";
import type { StateAdapter } from "../../../service/state/state-adapter";
import type { FileStorage } from "../../../storage/file";
import { errors, operations } from "../../../contract";
import type { ServiceContext } from "../../../service/core/service-context";
import { openPostgresState } from "../../../service/state/postgres";
import type { Oracle } from "../oracle";
import { stateFile } from "../records";
import { world, type Actor } from "../world/world";
import { WorldFamily } from "./engine";
import { postgres } from "./postgres";
import { network, type Connection, type NetworkRequest } from "./network";
import { log, logFiles, sleep, watchedOutputs } from "./platform";
import { killableState, watchedState } from "./state";
import { WorldS3 } from "./s3";
import type { WorldStorage } from "./storage";

/** The clusters with their slots. */
export const clusters = { one: 2, two: 3 } as const;

type AnyHandler = (context: ServiceContext, request: unknown, caller: unknown) => unknown;

export class ServiceHost {
  /** The process that runs now; dead while none does. */
  #actor: Actor = { ...world().actor("service"), isAlive: false };
  #service: Service | undefined;
  #family: WorldFamily | undefined;
  #starts = 0;
  #isUp = false;
  readonly #world = world().actor("operator");

  constructor(
    private readonly oracle: Oracle,
    private readonly options: {
      /** Name of the service among those that share a state in PostgreSQL; undefined for one with a file. */
      readonly sharedAs?: string;
      /** The logs of queries, which are on the disk. */
      readonly logs: Map<number, string>;
      /** Returns the storage of a process. */
      readonly storage: () => WorldStorage;
      /** True when old queries are deleted. */
      readonly isForgetful: boolean;
      /** True for all clusters, else for the first one. */
      readonly isLong: boolean;
    },
  ) {}

  /** True while the process answers. */
  get isReady(): boolean {
    return this.#actor.isAlive && this.#isUp && this.#actor.postponed === undefined;
  }

  get context(): ServiceContext {
    return this.#service!.context;
  }

  start(): void {
    const number = (this.#starts += 1);
    const random = world().choices;
    const clock = { rate: random.pick([1, 1, 1.02, 0.98]), ahead: random.between(-1000, 1000) };
    const actor = (this.#actor = world().actor(`service ${this.options.sharedAs ?? ""}${number}`, clock));
    this.#isUp = false;
    world().tell("starts", actor);
    world().after(
      world().delay(),
      () => {
        this.#startNow().then(
          () => undefined,
          (error: Error) => {
            const isUnavailable = diskProblem(error) === "full" || error instanceof errors.ServiceUnavailable;
            if (isUnavailable) this.kill(false);
            else world().violate("the service starts", error.stack ?? error.message);
          },
        );
      },
      actor,
    );
    if (this.#world.isAlive && world().hasFaults && random.chance(0.5)) {
      world().after(
        random.pick(this.options.sharedAs ? [50, 1000, 10_000] : [50, 1000, 10_000, 60_000]) * random.next(),
        () => this.#mayEnd(actor),
        this.#world,
      );
    }
  }

  #mayEnd(actor: Actor): void {
    if (!actor.isAlive) return;
    if (this.options.sharedAs && world().fault("a service does nothing for a time", 0.4)) {
      const milliseconds = world().choices.pick([1000, 9000, 11_000, 15_000]);
      if (this.#pause(actor, milliseconds)) world().after(milliseconds, () => this.#mayEnd(actor), this.#world);
      return;
    }
    if (!this.options.sharedAs && world().fault("the power fails", 0.3)) this.kill(true);
    else if (world().fault("the service is killed", 0.5)) this.kill(false);
    else if (world().fault("the service is stopped", 0.7)) this.restart();
  }

  /** Stops the process without its knowledge. Returns what lets it continue; undefined for one that all would wait for. */
  #pause(actor: Actor, milliseconds: number): (() => void) | undefined {
    if (!actor.isAlive || actor.postponed || postgres().isHeldBy(actor)) return undefined;
    world().tell(`does nothing for ${milliseconds} ms`, actor);
    const proceed = world().pause(actor);
    world().after(milliseconds, proceed, this.#world);
    return proceed;
  }

  /** Ends the process at once. It starts again a moment later. */
  kill(isPowerFailure: boolean): void {
    world().tell(isPowerFailure ? "the power fails" : "killed", this.#actor);
    world().kill(this.#actor);
    this.oracle.processEnded();
    network().close(this.#actor);
    if (this.options.sharedAs) postgres().processDied(this.#actor);
    for (const engine of this.#family?.engines ?? []) {
      if (isPowerFailure) engine.lostPower();
      else engine.serviceDied();
    }
    if (isPowerFailure) {
      const lost = world().files.loseUnflushed();
      world().tell(`${lost} changes of the disk are lost`);
      this.oracle.powerFailed();
    }
    // No request of the killed process arrives later at S3.
    const shortest = this.options.storage() instanceof WorldS3 ? 1000 : 1;
    world().after(world().choices.between(shortest, 3000), () => this.start(), this.#world);
  }

  /** Stops the process as a signal does, and starts another one. */
  restart(): void {
    const actor = this.#actor;
    const service = this.#service;
    this.#isUp = false;
    world().tell("is stopped", actor);
    network().close(actor);
    world().after(
      0,
      () => void service?.stop().then(() => world().after(0, () => this.#stopped(actor), this.#world)),
      actor,
    );
    // The operator waits for some time.
    world().after(30_000, () => this.#stopped(actor), this.#world);
  }

  #stopped(actor: Actor): void {
    if (!actor.isAlive) return;
    world().tell("has stopped", actor);
    world().kill(actor);
    this.oracle.processEnded();
    if (this.options.sharedAs) postgres().processDied(actor);
    for (const engine of this.#family?.engines ?? []) engine.serviceDied();
    if (this.#actor === actor) this.start();
  }

  async #startNow(): Promise<void> {
    const storage = this.options.storage();
    const family = (this.#family = new WorldFamily(storage, (id) => this.oracle.faultHits(id)));
    const actor = this.#actor;
    const now = () => world().timeOf(actor);
    const { sharedAs } = this.options;
    const state = await this.#openState(now);
    const platform: Platform = {
      clock: { now, sleep },
      log,
      outputs: watchedOutputs(
        storage instanceof WorldS3
          ? new S3OutputFolders({ storage, records: state.outputRecords })
          : new FileOutputFolders(storage as unknown as FileStorage),
        (id, epoch) => this.oracle.publishes(actor, id, epoch),
      ),
      logs: logFiles(this.options.logs),
      diskUsage: async () => ({ objects: 0, other: 0, capacity: 1 }),
    };
    const service = (this.#service = new Service({
      platform,
      state: killableState(state, {
        actor,
        kill: () => this.kill(false),
        pause: sharedAs === undefined ? undefined : (milliseconds) => this.#pause(actor, milliseconds),
      }),
      storage,
      families: [family],
      ...(this.options.isForgetful && { retention: { days: 1000, bytes: 3000 } }),
      tables: [],
      clusters: Object.entries(this.options.isLong ? clusters : { one: clusters.one }).map(([name, slots]) => ({
        name,
        type: family.type,
        debug: false,
        instances: [{ grade: "standard", quantity: slots + 1 }],
        memoryBytes: 1,
        threads: 1,
        directory: `/clusters/${name}`,
      })),
    }));
    await service.start();
    network().listen({ actor, answer: (request, connection) => this.#answer(service, request, connection) });
    this.#isUp = true;
    world().tell("is up", actor);
  }

  async #openState(now: () => number): Promise<StateAdapter> {
    const { sharedAs } = this.options;
    if (sharedAs === undefined) return watchedState(openState(stateFile, { now }), this.oracle);
    const config = { shared: {}, clusters: Object.keys(clusters) };
    return await openPostgresState({ url: "postgres://u:p@database/dag", processName: sharedAs, now, config });
  }

  async #answer(service: Service, request: NetworkRequest, connection: Connection) {
    try {
      const found = route(request.method, request.path);
      const controller = new AbortController();
      connection.onClose = () => controller.abort(new errors.RequestTimeout("the caller closed its connection"));
      if (connection.isClosed) connection.onClose();
      const decoded = decode(found, Buffer.from(request.body ?? ""));
      world().count(`operation: ${found.operation}`);
      const caller = { accessKeyId: connection.caller.name, signal: () => controller.signal };
      const value = await (handlers[found.operation] as AnyHandler)(service.context, decoded, caller);
      if (found.operation === "cancelQuery")
        this.oracle.cancelAnswered((decoded as unknown as { queryId: number }).queryId);
      const status = operations[found.operation].success;
      // The runs of a stack have one access key; what is stored names the run, for the oracle.
      const body = JSON.stringify(value ?? "").replaceAll(/("accessKeyId":"[^"]+)-run-\d+"/g, '$1"');
      return { status, body: status === 204 ? "" : body };
    } catch (error) {
      const quiet = { log: { error: () => undefined }, requestId: "r", target: request.path };
      const { status, body, code } = errorAnswer(error, quiet);
      if (status === 500) world().violate("no internal error", (error as Error).stack ?? String(error));
      world().count(`answer: ${code}`);
      return { status, body };
    }
  }
}

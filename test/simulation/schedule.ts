/** One schedule: what a seed makes happen, from the first start to the rest after the last fault. */
import { Caller } from "./actors/callers";
import { Deployment } from "./actors/deployment";
import { network } from "./actors/network";
import { postgres } from "./actors/postgres";
import { clusters, ServiceHost } from "./actors/service";
import { WorldS3 } from "./actors/s3";
import { bucketsFolder, WorldStorage } from "./actors/storage";
import { History } from "./history";
import { Oracle } from "./oracle";
import { kindOf } from "./kinds.mts";
import { PostgresRecords, SqliteRecords } from "./records";
import { listQueries } from "../../service/core/queries/query-operations";
import { enterWorld, World, type Event, type Violation } from "./world/world";

export interface ScheduleResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly steps: number;
  /** Numbers of the faults that happened, for shrinking. */
  readonly faults: readonly number[];
  readonly coverage: ReadonlyMap<string, number>;
  readonly events: readonly Event[];
}

export interface ScheduleOptions {
  /** The faults that do not happen. @default none */
  readonly omitted?: ReadonlySet<number>;
  /** True to keep the events of the story. */
  readonly isTold?: boolean;
}

/** Milliseconds of the world after which nothing may be left to do. */
const longest = 2 * 3_600_000;

/** Seldom faults are so many times as probable when a schedule is not long. */
const shortFaults = 2.5;

export function runSchedule(seed: number, { omitted, isTold = false }: ScheduleOptions = {}): ScheduleResult {
  const kind = kindOf(seed);
  const isLong = kind === "long";
  const world = enterWorld(new World(seed, { omitted, isTold, ...(!isLong && { moreFaults: shortFaults }) }));
  // A trace is made for each error otherwise, and read by nobody.
  Error.stackTraceLimit = isTold ? 20 : 0;
  prepare(world);
  const oracle = new Oracle(kind === "shared" ? new PostgresRecords() : new SqliteRecords());
  network().history = new History((id) => oracle.queries.get(id)?.isForgotten === true);
  const isOnS3 = world.choices.chance(0.4);
  world.count(`schedule: ${kind}, ${isOnS3 ? "on S3" : "on a disk"}`);
  const told = { copied: oracle.copied.bind(oracle), failed: () => oracle.faultHits() };
  const storage = (hasFaults: boolean) => (isOnS3 ? new WorldS3(told, hasFaults) : new WorldStorage());
  const count = world.choices.pick(isLong ? [0, 1, 1, 2] : [0, 0, 0, 1]);
  // A deployment that waits says that it does not know how a query has ended whose record is gone.
  const isForgetful = count === 0 && kind !== "shared" && world.choices.chance(0.5);
  const common = { storage: () => storage(true), logs: new Map<number, string>(), isForgetful, isLong };
  const names =
    kind === "shared"
      ? world.choices.pick([
          ["a", "b"],
          ["a", "b"],
          ["a", "b", "c"],
        ])
      : [undefined];
  const hosts = names.map((name) => new ServiceHost(oracle, { ...common, ...(name && { sharedAs: name }) }));
  if (kind === "shared") prepareDatabase(world, oracle);
  for (const host of hosts) world.enter(world.current, () => host.start());
  mayFillDisk(world, isOnS3 ? ["/data/"] : ["/data/", `${bucketsFolder}/`]);
  const callerCount = count > 0 ? count - 1 : kind === "short" ? 2 : 3;
  const callers = Array.from({ length: callerCount }, (_, index) => new Caller(index + 1, { oracle, kind }));
  const deployments = Array.from(
    { length: count },
    (_, index) => new Deployment(index + 1, { storage: () => storage(false), oracle, isLong }),
  );
  const areDone = () => [...callers, ...deployments].every(({ isDone }) => isDone);
  const isEnded = () => [...oracle.queries.values()].every(({ status }) => status !== "running");
  const areReady = () => hosts.every(({ isReady }) => isReady);
  world.runUntil(areDone, 180_000);
  world.hasFaults = false;
  world.files.full = [];
  world.tell("no fault happens any more", world.actor("world"));
  const isAtRest = world.runUntil(() => areDone() && areReady() && isEnded(), longest);
  if (!isAtRest && world.violations.length === 0) {
    const running = [...oracle.queries.values()].filter(({ status }) => status === "running").map(({ id }) => id);
    world.violate(
      "every operation ends",
      `after the last fault, queries ${running} run; callers are done: ${areDone()}`,
    );
  }
  const isRestarted = kind !== "short" || world.choices.chance(isOnS3 ? 0.6 : 0.3);
  if (world.violations.length === 0) rest(world, { hosts, oracle, isOnS3, isRestarted });
  return {
    seed,
    violation: world.violations[0],
    steps: world.steps,
    faults: world.faults.map(Number),
    coverage: world.coverage,
    events: world.events,
  };
}

/** Lets the oracle see what PostgreSQL commits, and lets the server end all connections at some time. */
function prepareDatabase(world: World, oracle: Oracle): void {
  const server = postgres();
  server.onCommit = (before) => oracle.committed(before, server.queries, clusters);
  const { faultRandom: random } = world;
  if (!random.chance(0.15)) return;
  const restart = () => {
    if (world.fault("PostgreSQL is started again", 1)) server.restart(random.pick([10, 1000, 20_000]) * random.next());
  };
  world.after(random.between(0, 20_000), restart, world.actor("operator of PostgreSQL"));
}

/** Lets the disk of some folders be full for some time. */
function mayFillDisk(world: World, folders: readonly string[]): void {
  const { faultRandom: random } = world;
  if (!random.chance(0.15)) return;
  const operator = world.actor("operator of the disk");
  const free = () => {
    world.files.full = [];
    world.tell("the disk has space again");
  };
  const fill = () => {
    if (!world.fault("the disk is full", 1)) return;
    world.files.full = folders;
    world.after(random.between(100, 30_000), free, operator);
  };
  world.after(random.between(0, 20_000), fill, operator);
}

function prepare(world: World): void {
  const { files } = world;
  for (const bucket of ["data/base", "shared", "default"]) files.createFolders(`${bucketsFolder}/${bucket}`);
  files.createFolders("/data");
  files.write(`${bucketsFolder}/data/base/o.csv`, Buffer.from("value=base,1\n"));
  files.flush();
}

interface Rest {
  readonly hosts: readonly ServiceHost[];
  readonly oracle: Oracle;
  readonly isOnS3: boolean;
  /** True to start the service once more. */
  readonly isRestarted: boolean;
}

/** Checks what is left when the service has nothing to do. */
function rest(world: World, { hosts, oracle, isOnS3, isRestarted }: Rest): void {
  // Services that share a state do much each second.
  world.runUntil(() => false, world.now + (hosts.length > 1 ? 1000 : 10_000));
  if (world.violations.length > 0) return;
  // What S3 has lost is deleted later, and what a process leaves that others outlive, when it starts again.
  if (!isOnS3 && hosts.length === 1) oracle.atRest(false);
  if (isRestarted) {
    world.enter(world.actor("operator"), () => hosts.forEach((host) => host.restart()));
    world.runUntil(() => hosts.every(({ isReady }) => isReady), world.now + 60_000);
    world.runUntil(() => false, world.now + (hosts.length > 1 ? (isOnS3 ? 32_000 : 2000) : 120_000));
    if (world.violations.length > 0) return;
    oracle.atRest(true);
  }
  const lists = async () => {
    for (const order of ["asc", "desc"] as const) {
      const found = [];
      for (let marker: number | undefined; ;) {
        const page = await listQueries(hosts[0]!.context, { order, max: 3, ...(marker !== undefined && { marker }) });
        found.push(...page.queries);
        if (!page.isTruncated) break;
        marker = page.nextMarker!;
      }
      oracle.listed(found, order === "asc");
    }
  };
  let isListed = false;
  world.enter(world.actor("reader"), () => void lists().then(() => (isListed = true)));
  if (hosts.length > 1) world.runUntil(() => isListed, world.now + 10_000);
  if (!isListed && world.violations.length === 0) world.violate("lists are exact", "a list did not come at once");
}

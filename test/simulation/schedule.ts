/** One schedule: what a seed makes happen, from the first start to the rest after the last fault. */
import { Caller } from "./actors/callers";
import { Deployment } from "./actors/deployment";
import { network } from "./actors/network";
import { ServiceHost } from "./actors/service";
import { WorldS3 } from "./actors/s3";
import { bucketsFolder, WorldStorage } from "./actors/storage";
import { History } from "./history";
import { Oracle } from "./oracle";
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

export function runSchedule(seed: number, { omitted, isTold = false }: ScheduleOptions = {}): ScheduleResult {
  const world = enterWorld(new World(seed, omitted, isTold));
  prepare(world);
  const oracle = new Oracle();
  network().history = new History((id) => oracle.queries.get(id)?.isForgotten === true);
  const isOnS3 = world.choices.chance(0.4);
  world.count(isOnS3 ? "schedule on S3" : "schedule on a disk");
  const told = { copied: oracle.copied.bind(oracle), failed: () => oracle.faultHits() };
  const storage = (hasFaults: boolean) => (isOnS3 ? new WorldS3(told, hasFaults) : new WorldStorage());
  const count = world.choices.pick([0, 1, 1, 2]);
  // A deployment that waits says that it does not know how a query has ended whose record is gone.
  const isForgetful = count === 0 && world.choices.chance(0.5);
  const host = new ServiceHost(oracle, { storage: () => storage(true), isForgetful });
  world.enter(world.current, () => host.start());
  mayFillDisk(world, isOnS3 ? ["/data/"] : ["/data/", `${bucketsFolder}/`]);
  const callers = Array.from({ length: count === 0 ? 3 : count - 1 }, (_, index) => new Caller(index + 1, oracle));
  const deployments = Array.from(
    { length: count },
    (_, index) => new Deployment(index + 1, () => storage(false), oracle),
  );
  const areDone = () => [...callers, ...deployments].every(({ isDone }) => isDone);
  const isEnded = () => [...oracle.queries.values()].every(({ status }) => status !== "running");
  world.runUntil(areDone, 180_000);
  world.hasFaults = false;
  world.files.full = [];
  world.tell("no fault happens any more", world.actor("world"));
  const isAtRest = world.runUntil(() => areDone() && host.isRunning && isEnded(), longest);
  if (!isAtRest && world.violations.length === 0) {
    const running = [...oracle.queries.values()].filter(({ status }) => status === "running").map(({ id }) => id);
    world.violate(
      "every operation ends",
      `after the last fault, queries ${running} run; callers are done: ${areDone()}`,
    );
  }
  if (world.violations.length === 0) rest(world, { host, oracle, isOnS3 });
  return {
    seed,
    violation: world.violations[0],
    steps: world.steps,
    faults: world.faults.map(Number),
    coverage: world.coverage,
    events: world.events,
  };
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

/** Starts the service once more, and checks what is left when it has nothing to do. */
function rest(
  world: World,
  { host, oracle, isOnS3 }: { readonly host: ServiceHost; readonly oracle: Oracle; readonly isOnS3: boolean },
): void {
  world.runUntil(() => false, world.now + 10_000);
  if (world.violations.length > 0) return;
  // What S3 has lost is deleted later.
  if (!isOnS3) oracle.atRest(false);
  world.enter(world.actor("operator"), () => host.restart());
  const until = world.now + 120_000;
  world.runUntil(() => false, until);
  if (world.violations.length > 0) return;
  oracle.atRest(true);
  const lists = async () => {
    for (const order of ["asc", "desc"] as const) {
      const found = [];
      for (let marker: number | undefined; ;) {
        const page = await listQueries(host.context, { order, max: 3, ...(marker !== undefined && { marker }) });
        found.push(...page.queries);
        if (!page.isTruncated) break;
        marker = page.nextMarker!;
      }
      oracle.listed(found, order === "asc");
    }
  };
  let isListed = false;
  world.enter(world.actor("reader"), () => void lists().then(() => (isListed = true)));
  if (!isListed && world.violations.length === 0) world.violate("lists are exact", "a list did not come at once");
}

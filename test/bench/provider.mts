/**
 * `npm run bench -- provider [resources] [rounds] [service] [--growth]`: compares `pulumi up` of many SelectQueries, and a second
 * `up` without changes, through the plugin and through the dynamic provider with those of trivial dynamic resources, in
 * the same rounds, in time and in CPU time, and the size of a resource in the state. `service` is `instant` (the
 * default), a service whose queries take no time, or a number of instances, such as `5`, for the project's own service.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type * as Pulumi from "@pulumi/pulumi";
import type { ProjectSettings } from "@pulumi/pulumi/automation/index.js";
import { pulumiRoot } from "./support/pulumi.mts";
import { startInstantService } from "./support/instant-service.mts";
import { timePairs } from "./support/pairs.mts";
import { compare, type BenchResult, type Growth, type Measurement } from "./support/results.mts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const require = createRequire(import.meta.url);
const pulumi: typeof Pulumi = require("@pulumi/pulumi");
const { LocalWorkspace, PulumiCommand } =
  require("@pulumi/pulumi/automation") as typeof import("@pulumi/pulumi/automation/index.js");
const dag = require(root) as typeof import("../../provider/index.ts");

/** Creates one query resource. */
type CreateQuery = (name: string, inputs: { clusterName: string; query: string; outputResourcePath: string }) => void;

/** A service with the credentials of the stack. */
interface BenchService extends AsyncDisposable {
  readonly url: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Deletes all queries; absent when the service needs no reset. */
  reset?(): Promise<void>;
}

class PluginQuery extends pulumi.CustomResource {}

/** A dynamic resource that does nothing, with the same inputs. */
class TrivialResource extends pulumi.dynamic.Resource {
  constructor(name: string, inputs: object) {
    super({ create: async (outs: object) => ({ id: "trivial", outs }) }, name, inputs);
  }
}

const contenders: Readonly<Record<"trivial" | "plugin" | "dynamic provider", CreateQuery>> = {
  trivial: (name, inputs) => void new TrivialResource(name, inputs),
  plugin: (name, inputs) => void new PluginQuery("dag:index:SelectQuery", name, inputs),
  "dynamic provider": (name, inputs) => void new dag.SelectQuery(name, inputs),
};

/** The number of resources in the warm-up runs, which are not measured. */
const warmUp = 20;

/** The cost of a command, in seconds. */
interface Cost {
  readonly time: number;
  /** CPU time of this process, of the engine and of the providers; depends less on what else the machine does. */
  readonly cpu: number;
}

/** The costs of a first `up` and of one without changes, and the size of a resource in the state. */
interface Measured {
  readonly first: Cost;
  readonly again: Cost;
  readonly bytes: number;
}

/** Compares the costs of each contender with those of the trivial resources. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values, positionals } = parseArgs({
    args: [...options],
    options: { growth: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [resources = "200", rounds = "3", kind = "instant"] = positionals;
  await using service = await startService(kind);
  const measured = await measureAll(service, Number(resources), Number(rounds));
  const measurements = steps.flatMap(({ step, title }) =>
    (["time", "cpu"] as const).map((what) => {
      const heading = `${title} of ${resources} SelectQueries${what === "cpu" ? ", CPU time" : ""}`;
      const seconds = names.map((name, index) => [name, measured[index]!.map((one) => one[step][what])] as const);
      return compareAll({ title: heading, unit: "s" }, seconds);
    }),
  );
  const sizes = names.map((name, index) => [name, [measured[index]!.at(-1)!.bytes]] as const);
  measurements.push(compareAll({ title: "state of a resource", unit: "bytes" }, sizes));
  return { measurements, ...(values.growth ? { growths: await growth(service) } : {}) };
}

const names = Object.keys(contenders) as (keyof typeof contenders)[];

const steps = [
  { step: "first", title: "first up" },
  { step: "again", title: "up without changes" },
] as const;

/** Compares the dynamic provider with the trivial resources and with the plugin. */
function compareAll(
  heading: { readonly title: string; readonly unit: string },
  values: readonly (readonly [string, readonly number[]])[],
): Measurement {
  return compare(heading, Object.fromEntries(values.toReversed()));
}

function measureAll(service: BenchService, count: number, rounds: number): Promise<Measured[][]> {
  return timePairs<Measured>({
    rounds,
    warmUps: names.map((name) => () => measure(contenders[name], warmUp, service)),
    contestants: names.map((name) => () => measure(contenders[name], count, service)),
  });
}

/** Measures 1 to 1,000 resources. */
async function growth(service: BenchService): Promise<Growth[]> {
  const quantities = [1, 10, 100, 1000];
  const all: Measured[][][] = [];
  for (const count of quantities) all.push(await measureAll(service, count, 1));
  return steps.map(({ step, title }) => ({
    name: `provider-${step}`,
    title: `${title} of SelectQueries`,
    quantity: "resources",
    unit: "s",
    quantities,
    series: names.map((name, index) => ({ name, values: all.map((each) => each[index]![0]![step].time) })),
  }));
}

async function startService(kind: string): Promise<BenchService> {
  if (kind === "instant") {
    const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
    return Object.assign(await startInstantService(), { credentials });
  }
  const quantity = Number(kind);
  if (!Number.isSafeInteger(quantity) || quantity < 2) {
    throw new Error(`the service "${kind}" is unknown: use "instant" or a number of instances of at least 2`);
  }
  const built = join(root, "service/dist/service/testing/index.js");
  const testing = require(built) as typeof import("../../service/testing/index.ts");
  return testing.startService({
    clusters: [{ name: "demo", type: "duckdb", debug: false, instances: [{ grade: "standard", quantity }] }],
    buckets: ["results"],
  });
}

async function measure(make: CreateQuery, count: number, service: BenchService): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), "dag-bench-"));
  await service.reset?.();
  try {
    for (const folder of ["state", "node_modules"]) mkdirSync(join(directory, folder));
    symlinkSync(root, join(directory, "node_modules/pulumi-dag"), "dir");
    symlinkSync(join(root, "node_modules/@pulumi"), join(directory, "node_modules/@pulumi"), "dir");
    const program = async () => {
      for (let number = 0; number < count; number++) {
        const name = `query-${number}`;
        make(name, {
          clusterName: "demo",
          query: `SELECT ${number} AS n`,
          outputResourcePath: `dag://results/${name}/`,
        });
      }
    };
    const stack = await LocalWorkspace.createOrSelectStack(
      { stackName: "dev", projectName: "bench", program },
      {
        workDir: directory,
        pulumiCommand: await PulumiCommand.get({ root: pulumiRoot(), skipVersionCheck: true }),
        projectSettings: {
          name: "bench",
          runtime: "nodejs",
          main: process.cwd(),
          plugins: { providers: [{ name: "dag", path: join(root, "bin") }] },
        } as ProjectSettings,
        envVars: {
          PULUMI_BACKEND_URL: `file://${join(directory, "state")}`,
          PULUMI_CONFIG_PASSPHRASE: "bench",
          PULUMI_HOME: join(directory, "home"),
          PULUMI_SKIP_UPDATE_CHECK: "true",
          PATH: [dirname(process.execPath), join(pulumiRoot(), "bin"), process.env["PATH"] ?? ""].join(delimiter),
        },
      },
    );
    await stack.setAllConfig({
      "dag:endpoint": { value: service.url },
      "dag:accessKeyId": { value: service.credentials.accessKeyId },
      "dag:secretAccessKey": { value: service.credentials.secretAccessKey, secret: true },
    });
    const costOfUp = async (): Promise<Cost> => {
      const [begin, cpuBefore] = [performance.now(), cpuSeconds()];
      await stack.up({ parallel: 16 });
      return { time: (performance.now() - begin) / 1_000, cpu: cpuSeconds() - cpuBefore };
    };
    return { first: await costOfUp(), again: await costOfUp(), bytes: await bytesOfResource(stack) };
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns the CPU time of this process and of its ended descendants; 0 on systems without /proc. */
function cpuSeconds(): number {
  if (!existsSync("/proc/self/stat")) return 0;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ", 2)[1]!.split(" ");
  // utime, stime, cutime and cstime, in ticks of 10 ms.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Returns the size of the last query in the state, without its log and the SDK's debugging fields. */
async function bytesOfResource(stack: { exportStack(): Promise<{ readonly deployment: unknown }> }): Promise<number> {
  const { deployment } = await stack.exportStack();
  const { resources } = deployment as { readonly resources: Record<string, unknown>[] };
  const { sourcePosition: _position, stackTrace: _trace, outputs, ...rest } = resources.at(-1)!;
  const { log: _log, ...kept } = outputs as Record<string, unknown>;
  return Buffer.byteLength(JSON.stringify({ ...rest, outputs: kept }));
}

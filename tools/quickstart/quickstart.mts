/** The quickstart: from nothing to query results, or back to nothing. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { outsideEnvironment, programEnvironment, writeEnvironmentFile } from "./environment.mts";
import { smallestEventLog, writeEventLog } from "./event-log.mts";
import { type Folder, quickstartFolder } from "./folder.mts";
import { endForgotten, forget, remember } from "./forgotten.mts";
import { Interruption } from "./interruption.mts";
import { startService } from "./service-process.mts";
import { root } from "../setup/layout.mjs";
import { withLock } from "../setup/lock.mjs";
import { formatDuration } from "../setup/progress.mjs";

const interruption = new Interruption();
const { destroy: isDestroy, directory, eventBytes } = readArguments();
const folder = quickstartFolder(directory);

/**
 * Runs the quickstart, or takes it away, as the command line says.
 * @returns the exit code
 */
export async function runQuickstart(): Promise<number> {
  try {
    await withLock(folder.lock, () => (isDestroy ? destroy() : quickstart()), {
      waitingFor: "another quickstart",
      signal: interruption.signal,
    });
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) console.error("\nStopped. `npm run quickstart` goes on from here.");
    else console.error(`\nquickstart: ${error instanceof Error ? error.message : error}`);
    return interruption.signal.aborted ? interruption.exitCode : 1;
  }
}

interface Arguments {
  readonly destroy: boolean;
  readonly directory: string;
  readonly eventBytes: number;
}

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      options: {
        destroy: { type: "boolean", default: false },
        dir: { type: "string", default: ".dag-quickstart" },
        "event-bytes": { type: "string", default: "250000000" },
      },
    });
    const bytes = Number(values["event-bytes"]);
    if (!Number.isSafeInteger(bytes) || bytes < smallestEventLog) {
      throw new Error(
        `--event-bytes is ${values["event-bytes"]}; it must be a whole number from ${smallestEventLog} on`,
      );
    }
    return { destroy: values.destroy, directory: values.dir, eventBytes: bytes };
  } catch (error) {
    console.error(`quickstart: ${(error as Error).message}\nUsage: npm run quickstart [-- --destroy]`);
    process.exit(2);
  }
}

async function quickstart(): Promise<void> {
  await placeInputs(folder);
  await withService(async (environment) => {
    await deploy("up", environment);
    writeEnvironmentFile(folder, environment, pulumiFolder());
  });
  console.log(whatNext(folder));
}

async function destroy(): Promise<void> {
  if (!existsSync(folder.path)) {
    console.log(`There is nothing to destroy: ${folder.path} does not exist.`);
    return;
  }
  if (existsSync(folder.state)) await withService((environment) => deploy("destroy", environment));
  rmSync(folder.path, { recursive: true, force: true });
  console.log(`\nGone: the stack, the service's data and ${folder.path}.`);
}

/** Puts the inputs where the service finds them: files in the bucket's folder. */
async function placeInputs({ bucket }: Folder): Promise<void> {
  const started = Date.now();
  mkdirSync(join(bucket, "raw"), { recursive: true });
  mkdirSync(join(bucket, "birdstrikes"), { recursive: true });
  const strikes = join(root, "node_modules", "vega-datasets", "data", "birdstrikes.csv");
  copyFileSync(strikes, join(bucket, "birdstrikes", "birdstrikes.csv"));
  const isNew = await writeEventLog(join(bucket, "raw", "events.csv"), eventBytes, interruption.signal);
  if (isNew) {
    const took = formatDuration(Date.now() - started);
    console.log(`Wrote an event log of ${eventBytes / 1_000_000} MB to ${join(bucket, "raw")} (${took})`);
  }
}

async function withService(work: (environment: Record<string, string>) => Promise<void>): Promise<void> {
  mkdirSync(folder.path, { recursive: true });
  await endForgotten(folder.deployProcess, folder.path, 0);
  const service = await startService(folder, interruption.signal);
  console.log(`The service listens on ${service.url}; it logs to ${folder.serviceLog}`);
  try {
    await work(programEnvironment(folder, service));
  } finally {
    await service.stop();
  }
}

/** Runs Pulumi in a process group of its own and passes an interruption on to it, once. */
async function deploy(action: "up" | "destroy", environment: Record<string, string>): Promise<void> {
  const program = join(root, "tools", "quickstart", "deploy.mts");
  const child: ChildProcess = spawn(process.execPath, [program, action, folder.path], {
    env: { ...outsideEnvironment(), ...environment },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  if (child.pid !== undefined) remember(folder.deployProcess, child.pid);
  const [code] = await interruption.during(child, () => once(child, "exit"));
  forget(folder.deployProcess);
  interruption.signal.throwIfAborted();
  if (code !== 0) throw new Error(`pulumi ${action} failed; the service's log is ${folder.serviceLog}`);
}

function pulumiFolder(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.find((each) => existsSync(join(each, "pulumi"))) ?? "";
}

function whatNext({ data, environment }: Folder): string {
  const shown = (file: string): string => file.replace(`${process.cwd()}/`, "");
  return `
What next:

  the program                       ${shown(join(root, "examples/quickstart/index.ts"))}
  the objects, as plain files       ${shown(join(data, "buckets/quickstart"))}

Change the program and run \`npm run quickstart\` again, or work by hand: start the service in a terminal of its own

  npm run service -- --data ${shown(data)}

and in another one (bash or zsh)

  source ${shown(environment)}                 # endpoint, key pair, state, the Pulumi CLI
  cd ${shown(join(root, "examples/quickstart"))}
  pulumi stack select quickstart
  pulumi preview                               # or: pulumi up, pulumi stack output, pulumi stack export

\`npm run quickstart -- --destroy\` takes everything away again.`;
}

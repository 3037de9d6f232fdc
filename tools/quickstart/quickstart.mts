/** Runs the quickstart (`npm run quickstart`), or deletes everything that it created (`--destroy`). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { inheritedEnvironment, programEnvironment, writeEnvironmentFile } from "./environment.mts";
import { minEventLogBytes, writeEventLog } from "./event-log.mts";
import { type QuickstartFolder, quickstartFolder } from "./folder.mts";
import { otherStacks } from "./other-stacks.mts";
import { endLeftoverProcess, removePidFile, writePidFile } from "./pid-file.mts";
import { Interruption } from "./interruption.mts";
import { signInLink, startService } from "./service-process.mts";
import { root } from "../setup/layout.mjs";
import { withLock } from "../setup/lock.mjs";
import { formatDuration } from "../setup/progress.mjs";

const interruption = new Interruption();
const { destroy: isDestroy, keep: isKept, scale: isScale, directory, eventBytes } = readArguments();
const folder = quickstartFolder(directory);

/**
 * Runs or destroys the quickstart, according to the command line.
 * @returns the exit code
 */
export async function runQuickstart(): Promise<number> {
  try {
    if (isScale) await quickstartAtScale();
    else
      await withLock(folder.lock, () => (isDestroy ? destroy() : quickstart()), {
        waitingFor: "another quickstart, which Ctrl-C stops where it runs,",
        signal: interruption.signal,
      });
    return 0;
  } catch (error) {
    if (interruption.signal.aborted && isScale)
      console.error("\nStopped. All servers have ended, and their data is deleted.");
    else if (interruption.signal.aborted) console.error("\nStopped. Run `npm run quickstart` again to continue.");
    else console.error(`\nquickstart failed: ${error instanceof Error ? error.message : error}`);
    return interruption.signal.aborted ? interruption.exitCode : 1;
  }
}

/** The quickstart at scale needs packages that the other one does not load. */
async function quickstartAtScale(): Promise<void> {
  const { runScaleQuickstart } = await import("../scale/quickstart.mts");
  await runScaleQuickstart({ eventBytes, interruption });
}

interface Arguments {
  readonly destroy: boolean;
  readonly keep: boolean;
  readonly scale: boolean;
  readonly directory: string;
  readonly eventBytes: number;
}

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      options: {
        destroy: { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        scale: { type: "boolean", default: false },
        dir: { type: "string", default: ".dag-quickstart" },
        "event-bytes": { type: "string", default: "250000000" },
      },
    });
    const bytes = Number(values["event-bytes"]);
    if (!Number.isSafeInteger(bytes) || bytes < minEventLogBytes) {
      throw new Error(
        `--event-bytes ${values["event-bytes"]} is invalid: use an integer of at least ${minEventLogBytes}`,
      );
    }
    if (values.scale && (values.keep || values.destroy)) throw new Error("--scale keeps nothing: use it alone");
    return {
      destroy: values.destroy,
      keep: values.keep,
      scale: values.scale,
      directory: values.dir,
      eventBytes: bytes,
    };
  } catch (error) {
    console.error(
      `quickstart: ${(error as Error).message}\nUsage: npm run quickstart [-- --keep | --scale | --destroy]`,
    );
    process.exit(2);
  }
}

async function quickstart(): Promise<void> {
  await writeInputs(folder);
  await withService(async (environment) => {
    await deploy("up", environment);
    const cli = pulumiCliFolder();
    if (isKept) {
      writeEnvironmentFile(folder, environment, cli, environment["DAG_ENDPOINT"]);
      await keep(environment["DAG_ENDPOINT"] ?? "");
    }
    writeEnvironmentFile(folder, environment, cli);
  });
  if (!isKept) console.log(nextSteps(folder));
}

/** Keeps the service running until the user ends the quickstart. */
async function keep(url: string): Promise<void> {
  console.log(`
The service keeps running on ${url}. Press Ctrl-C to stop it.

  its console, signed in by this link once    ${await signInLink(folder, url)}
  Pulumi in another terminal                  source ${relativePath(folder.environment)}
  another link                                npm run service -- open --endpoint ${url} --data ${relativePath(folder.data)}
  a query in the terminal                     npm run service -- sql --endpoint ${url} --data ${relativePath(folder.data)} "SELECT 1"`);
  if (!interruption.signal.aborted) await once(interruption.signal, "abort");
  console.log("\nStopping the service. Run `npm run quickstart -- --keep` to start it again.");
}

function relativePath(file: string): string {
  return file.replace(`${process.cwd()}/`, "");
}

async function destroy(): Promise<void> {
  if (!existsSync(folder.path)) {
    console.log(`The folder ${folder.path} does not exist: there is nothing to destroy.`);
    return;
  }
  const others = otherStacks(folder.state, "dag-quickstart/quickstart");
  if (others.length > 0) {
    throw new Error(
      `${folder.path} has the state of ${others.join(" and ")}, too, because ${relativePath(folder.environment)} named it as the backend: ` +
        "nothing was deleted. Run `pulumi destroy` for each of them, or `pulumi stack export` to keep it elsewhere and then `pulumi stack rm --force`",
    );
  }
  if (existsSync(folder.state)) await withService((environment) => deploy("destroy", environment));
  rmSync(folder.path, { recursive: true, force: true });
  console.log(`\nDeleted the stack, the service's data and ${folder.path}.`);
}

/** Writes the input files to the bucket's folder. */
async function writeInputs({ bucket }: QuickstartFolder): Promise<void> {
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
  await endLeftoverProcess(folder.deployPidFile, folder.path, 0);
  const service = await startService(folder, interruption.signal);
  console.log(`The service listens on ${service.url}; its log is ${folder.serviceLog}`);
  console.log(`Its console, signed in by this link once: ${await signInLink(folder, service.url)}`);
  try {
    await work(programEnvironment(folder, service));
  } finally {
    await service.stop();
  }
}

/** Runs Pulumi in a process group of its own and forwards an interruption to it once. */
async function deploy(action: "up" | "destroy", environment: Record<string, string>): Promise<void> {
  const program = join(root, "tools", "quickstart", "deploy.mts");
  const child: ChildProcess = spawn(process.execPath, [program, action, folder.path], {
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  if (child.pid !== undefined) writePidFile(folder.deployPidFile, child.pid);
  const [code] = await interruption.stopOnInterruption(child, () => once(child, "exit"));
  removePidFile(folder.deployPidFile);
  interruption.signal.throwIfAborted();
  if (code !== 0)
    throw new Error(`pulumi ${action} failed: see Pulumi's output above and the service's log ${folder.serviceLog}`);
}

function pulumiCliFolder(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.find((each) => existsSync(join(each, "pulumi"))) ?? "";
}

function nextSteps({ data, environment }: QuickstartFolder): string {
  return `
Next steps:

  read or change the program        ${relativePath(join(root, "examples/quickstart/index.ts"))}
  see the objects (plain files)     ${relativePath(join(data, "buckets/quickstart"))}

Run \`npm run quickstart\` again after a change, or use Pulumi yourself. Start the service in one terminal:

  npm run service -- --data ${relativePath(data)}

Then run Pulumi in another terminal (bash or zsh):

  source ${relativePath(environment)}                 # sets the endpoint, the key pair, the state and PATH
  cd ${relativePath(join(root, "examples/quickstart"))}
  pulumi stack select quickstart
  pulumi preview                               # or: pulumi up, pulumi stack output, pulumi stack export

To delete everything again: \`npm run quickstart -- --destroy\``;
}

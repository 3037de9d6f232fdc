/**
 * `deploy.mts up|destroy FOLDER [CLUSTER]`: runs the program of `examples/quickstart` with Pulumi's Automation API. It has
 * a process group of its own, so that the quickstart decides when an interruption reaches Pulumi, and sends it once. With
 * a cluster, the inputs are not in the folder, and are not changed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConcurrentUpdateError, LocalWorkspace, type OutputMap, type Stack } from "@pulumi/pulumi/automation/index.js";
import { root } from "../setup/layout.mjs";
import { quickstartFolder } from "./folder.mts";
import { appendLateEvents } from "./event-log.mts";
import { progressLine } from "./progress-line.mts";
import { formatTable } from "./table.mts";

const stackName = "quickstart";
const [action, path = "", cluster] = process.argv.slice(2);
const folder = quickstartFolder(path);
const dailyColumns = ["day", "kind", "events", "amount"];
// Pulumi is in the same process group and handles the signal; this process only waits for it to end.
process.on("SIGINT", () => {});

try {
  const stack = await selectStack();
  if (action === "destroy") await destroy(stack);
  else await up(stack);
} catch (error) {
  // Pulumi has already printed its own errors.
  if (!(error instanceof Error) || error.name !== "CommandError") console.error(error);
  process.exitCode = 1;
}

async function up(stack: Stack): Promise<void> {
  heading("pulumi up");
  const { outputs } = await withLockRecovery(stack, () => stack.up(streamingOptions()));
  // The program was type-checked by the first one, and does not change.
  process.env["PULUMI_NODEJS_TRANSPILE_ONLY"] = "true";
  heading("pulumi up, again: expecting no changes");
  const { summary } = await stack.up(streamingOptions());
  const { same = 0, ...changes } = summary.resourceChanges ?? {};
  if (Object.values(changes).some((count) => count > 0)) {
    throw new Error(`the second \`pulumi up\` changed resources, but should change none: ${JSON.stringify(changes)}`);
  }
  heading("results");
  showOutputs(outputs);
  console.log(`The second \`pulumi up\` changed nothing: ${same} resources are up to date.`);
  if (cluster === undefined) await upAfterChange(stack);
}

/** Appends to the input, and deploys again: the table and the query that reads it follow, and nothing else runs. */
async function upAfterChange(stack: Stack): Promise<void> {
  const isAppended = appendLateEvents(join(folder.bucket, "raw", "events.csv"));
  heading(`pulumi up --refresh, ${isAppended ? "after three events were appended to the input" : "a third time"}`);
  const { outputs, summary } = await stack.up({ ...streamingOptions(), refresh: true });
  const { same = 0, replace = 0, ...changes } = summary.resourceChanges ?? {};
  // An interrupted run may have appended the events before.
  const isExpected = replace === 2 || (replace === 0 && !isAppended);
  if (!isExpected || Object.values(changes).some((count) => count > 0)) {
    const counts = JSON.stringify(summary.resourceChanges);
    throw new Error(`\`pulumi up --refresh\` should rebuild the table and its query, and nothing else: ${counts}`);
  }
  const { eventsPerDay } = outputs;
  console.log("");
  if (replace > 0) showQuery("Events per day and kind, with the new events", dailyColumns, eventsPerDay?.value);
  console.log(`\`pulumi up --refresh\` replaced ${replace} resources and kept ${same}.`);
}

async function destroy(stack: Stack): Promise<void> {
  heading("pulumi destroy");
  await withLockRecovery(stack, () => stack.destroy(streamingOptions()));
  await stack.workspace.removeStack(stackName);
}

async function selectStack(): Promise<Stack> {
  mkdirSync(folder.state, { recursive: true });
  // The project file is beside the state, so that Pulumi writes the stack's settings there and not into the repository.
  const main = join(root, "examples", "quickstart");
  const project = `name: dag-quickstart\nruntime: nodejs\nmain: ${JSON.stringify(main)}\n`;
  writeFileSync(join(folder.path, "Pulumi.yaml"), project);
  const stack = await LocalWorkspace.createOrSelectStack({ stackName, workDir: folder.path });
  if (cluster !== undefined) await stack.setConfig("cluster", { value: cluster });
  return stack;
}

/**
 * Runs an operation; removes the stack's lock when an interrupted run left one, and tries again. The caller holds the
 * quickstart's lock, so no other quickstart uses the stack.
 */
async function withLockRecovery<T>(stack: Stack, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    console.log("An interrupted run has left the stack locked; removing the lock (pulumi cancel).");
    await stack.cancel();
    return await operation();
  }
}

function streamingOptions() {
  return {
    // showOutputs prints the outputs as tables.
    suppressOutputs: true,
    color: process.stdout.isTTY ? ("always" as const) : ("never" as const),
    onOutput: process.stdout.isTTY ? progressLine(process.stdout) : (text: string) => process.stdout.write(text),
    onError: (text: string) => process.stderr.write(text),
  };
}

/** The program's output for one query. */
interface QueryOutput {
  queryId: string;
  location: string;
  rows?: (string | null)[][];
}

function showOutputs(outputs: OutputMap): void {
  const { table, eventsPerDay, strikesPerAirport } = outputs;
  const { name, location, queryId } = table?.value ?? {};
  console.log(`table ${name} (query ${queryId}): ${location}\n`);
  showQuery("Events per day and kind", dailyColumns, eventsPerDay?.value);
  showQuery("Bird strikes per airport", ["Airport Name", "strikes", "cost"], strikesPerAirport?.value);
}

function showQuery(title: string, columns: readonly string[], { queryId, location, rows = [] }: QueryOutput): void {
  console.log(`${title} (query ${queryId}, first ${rows.length} rows): ${location}\n`);
  console.log(`${formatTable(columns, rows)}\n`);
}

function heading(text: string): void {
  console.log(`\n── ${text} ${"─".repeat(Math.max(0, 76 - text.length))}\n`);
}

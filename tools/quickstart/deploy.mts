/**
 * `deploy.mts up|destroy FOLDER`: runs the program of `examples/quickstart` through Pulumi's Automation API. A process
 * of its own, in a process group of its own, so that an interruption reaches Pulumi once and when it is meant to.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConcurrentUpdateError, LocalWorkspace, type OutputMap, type Stack } from "@pulumi/pulumi/automation/index.js";
import { root } from "../setup/layout.mjs";
import { quickstartFolder } from "./folder.mts";
import { formatTable } from "./table.mts";

const stackName = "quickstart";
const [action, path = ""] = process.argv.slice(2);
const folder = quickstartFolder(path);
// The signal goes to Pulumi, too, which is in the same group; what is left to do here is to wait for its end.
process.on("SIGINT", () => {});

try {
  const stack = await selectStack();
  if (action === "destroy") await destroy(stack);
  else await up(stack);
} catch (error) {
  // Pulumi has shown its own errors already.
  if (!(error instanceof Error) || error.name !== "CommandError") console.error(error);
  process.exitCode = 1;
}

async function up(stack: Stack): Promise<void> {
  heading("pulumi up");
  const { outputs } = await unlocked(stack, () => stack.up(streamed()));
  heading("pulumi up, once more");
  const { summary } = await stack.up(streamed());
  const { same = 0, ...changes } = summary.resourceChanges ?? {};
  if (Object.values(changes).some((count) => count > 0)) {
    throw new Error(`the second \`pulumi up\` was to change nothing, but it did: ${JSON.stringify(changes)}`);
  }
  heading("results");
  showOutputs(outputs);
  console.log(`The second \`pulumi up\` changed nothing: ${same} resources are as they were.`);
}

async function destroy(stack: Stack): Promise<void> {
  heading("pulumi destroy");
  await unlocked(stack, () => stack.destroy(streamed()));
  await stack.workspace.removeStack(stackName);
}

async function selectStack(): Promise<Stack> {
  mkdirSync(folder.state, { recursive: true });
  // A project of its own beside the state: Pulumi writes the stack's settings there and not into the repository.
  const main = join(root, "examples", "quickstart");
  const project = `name: dag-quickstart\nruntime: nodejs\nmain: ${JSON.stringify(main)}\n`;
  writeFileSync(join(folder.path, "Pulumi.yaml"), project);
  return await LocalWorkspace.createOrSelectStack({ stackName, workDir: folder.path });
}

/** Runs an operation; the lock that an interrupted one left is taken away first. No other quickstart runs here. */
async function unlocked<T>(stack: Stack, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    console.log("An earlier run was interrupted; taking its lock away.");
    await stack.cancel();
    return await operation();
  }
}

function streamed() {
  return {
    // Shown below, as tables.
    suppressOutputs: true,
    color: process.stdout.isTTY ? ("always" as const) : ("never" as const),
    onOutput: (text: string) => process.stdout.write(text),
    onError: (text: string) => process.stderr.write(text),
  };
}

/** What the program exports for each of its queries. */
interface QueryOutput {
  queryId: string;
  location: string;
  rows?: (string | null)[][];
}

function showOutputs(outputs: OutputMap): void {
  const { table, eventsPerDay, strikesPerAirport } = outputs;
  const { name, location, queryId } = table?.value ?? {};
  console.log(`table ${name} (query ${queryId}): ${location}\n`);
  showQuery("Events per day and kind", ["day", "kind", "events", "amount"], eventsPerDay?.value);
  showQuery("Bird strikes per airport", ["Airport Name", "strikes", "cost"], strikesPerAirport?.value);
}

function showQuery(title: string, columns: readonly string[], { queryId, location, rows = [] }: QueryOutput): void {
  console.log(`${title} (query ${queryId}, first ${rows.length} rows): ${location}\n`);
  console.log(`${formatTable(columns, rows)}\n`);
}

function heading(text: string): void {
  console.log(`\n── ${text} ${"─".repeat(Math.max(0, 76 - text.length))}\n`);
}

/** Runs programs through the real Pulumi engine: the Automation API, a local file backend, the built package. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LocalWorkspace,
  PulumiCommand,
  type EngineEvent,
  type ProjectSettings,
  type Stack,
} from "@pulumi/pulumi/automation";
import { pino } from "pino";
import type { FaultRule, TestService } from "../../../service/testing";
import { separateEngineConnections } from "./engine-connections";
import { createStack, encrypted } from "./new-stack";
import { pulumiEnvironment, pulumiRoot, root } from "./pulumi-cli";

export { pulumiEnvironment, pulumiRoot, root };

separateEngineConnections();

const load = createRequire(__filename);

/** The built package, as a program imports it. */
export const dag = load(root) as typeof import("../../../provider");

const { startService } = require(
  join(root, "service/dist/service/testing"),
) as typeof import("../../../service/testing");
export { startService };

/** The parts of a service that a stack needs. */
export type Target = Pick<TestService, "url" | "credentials" | "bucketsDirectory">;

/** A resource in the state. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly initErrors?: readonly string[];
  readonly dependencies?: readonly string[];
}

/** One command of the engine, and its output. */
export interface Run {
  readonly ok: boolean;
  /** Printed output. */
  readonly text: string;
  readonly events: readonly EngineEvent[];
  /** Number of this package's resources per operation. */
  readonly changes: Readonly<Record<string, number>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Returns true for a resource type of this package, of either front end. */
function isOurs(type: string): boolean {
  return /^(pulumi-nodejs:dynamic\/dag|dag:index):/.test(type);
}

/** Asks the CLI for its version, once for all stacks of a process. */
let pulumiCommand: Promise<PulumiCommand> | undefined;

/** A stack whose program can be changed between commands. */
export class TestStack implements AsyncDisposable {
  program: () => Promise<Record<string, unknown> | void> | Record<string, unknown> | void = () => {};

  /** Output of the running or last command so far. */
  said = "";

  readonly #stateFile: string;

  private constructor(
    readonly stack: Stack,
    readonly directory: string,
  ) {
    this.#stateFile = join(directory, "state/.pulumi/stacks/e2e/dev.json");
  }

  /**
   * A new stack of a new project, configured for a service.
   * @param providers folders of plugins besides this package's, by name.
   */
  static async create(
    service: Target,
    config: Readonly<Record<string, string>> = {},
    providers: Readonly<Record<string, string>> = {},
  ): Promise<TestStack> {
    const directory = mkdtempSync(join(tmpdir(), "dag-e2e-"));
    mkdirSync(join(directory, "state"));
    mkdirSync(join(directory, "node_modules"));
    symlinkSync(root, join(directory, "node_modules/pulumi-dag"), "dir");
    symlinkSync(join(root, "node_modules/@pulumi"), join(directory, "node_modules/@pulumi"), "dir");
    const holder: { test?: TestStack } = {};
    const { encryptionSalt, secret } = await encrypted(service.credentials.secretAccessKey);
    const workspace = await LocalWorkspace.create({
      program: async () => (await holder.test!.program()) ?? {},
      workDir: directory,
      pulumiCommand: await (pulumiCommand ??= PulumiCommand.get({ root: pulumiRoot(), skipVersionCheck: true })),
      envVars: pulumiEnvironment(directory),
      projectSettings: {
        name: "e2e",
        runtime: "nodejs",
        main: process.cwd(),
        plugins: {
          providers: Object.entries({ dag: join(root, "bin"), ...providers }).map(([name, path]) => ({ name, path })),
        },
      } as ProjectSettings,
      stackSettings: {
        dev: {
          encryptionSalt,
          config: {
            "dag:endpoint": service.url,
            "dag:accessKeyId": service.credentials.accessKeyId,
            "dag:secretAccessKey": { secure: secret },
            "dag:storage": `file:${service.bucketsDirectory}`,
            "dag:pollInterval": "250",
            // Every line of progress, although no terminal shows them.
            "dag:progressInterval": "0",
            ...config,
          },
        },
      },
    });
    const stack = await createStack(directory, workspace);
    // The Automation API asks the CLI three times after a command, which takes as long as a small deployment.
    Object.assign(stack, { outputs: async () => ({}), info: async () => undefined });
    holder.test = new TestStack(stack, directory);
    return holder.test;
  }

  /** @param options `logVerbosity` puts the engine's own log into the run's text. */
  up(
    options: {
      readonly refresh?: boolean;
      readonly target?: string[];
      readonly replace?: string[];
      readonly logVerbosity?: number;
      readonly logToStdErr?: boolean;
    } = {},
  ) {
    return this.#run((hooks) => this.stack.up({ ...options, ...hooks }));
  }

  /** @param options `diff` prints every changed property. */
  preview(options: { readonly diff?: boolean; readonly replace?: string[] } = {}): Promise<Run> {
    return this.#run((hooks) => this.stack.preview({ ...options, ...hooks }));
  }

  /** @param options `clearPendingCreates` removes the creations from the state that an interruption has left there. */
  refresh(options: { readonly clearPendingCreates?: boolean } = {}): Promise<Run> {
    return this.#run((hooks) => this.stack.refresh({ ...options, ...hooks }));
  }

  /** @param options `runProgram` runs the program, too. */
  destroy(options: { readonly runProgram?: boolean } = {}): Promise<Run> {
    return this.#run((hooks) => this.stack.destroy({ ...options, ...hooks }));
  }

  /** The resources of this package that the state holds. The CLI is asked only for secrets, which are encrypted there. */
  async resources(): Promise<StateResource[]> {
    const stored = this.#stored().filter(({ type }) => isOurs(type));
    if (!JSON.stringify(stored).includes(secretMark)) return stored;
    const { deployment } = await this.stack.exportStack();
    const { resources = [] } = deployment as { readonly resources?: readonly StateResource[] };
    return resources.filter(({ type }) => isOurs(type));
  }

  /** Text of the state file. */
  stateText(): string {
    return readFileSync(this.#stateFile, "utf8");
  }

  /** The one resource of this name. */
  async resource(name: string): Promise<StateResource> {
    const found = (await this.resources()).filter(({ urn }) => urn.endsWith(`::${name}`));
    if (found.length !== 1) throw new Error(`the state holds ${found.length} resources named ${name}`);
    return found[0]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 });
    return Promise.resolve();
  }

  async #run(
    command: (hooks: {
      readonly onOutput: (text: string) => void;
      readonly onEvent: (event: EngineEvent) => void;
      readonly onError: (text: string) => void;
      readonly color: "never";
    }) => Promise<unknown>,
  ): Promise<Run> {
    const events: EngineEvent[] = [];
    this.said = "";
    let ok = true;
    try {
      const add = (more: string) => (this.said += more);
      await command({ onOutput: add, onError: add, onEvent: (event) => events.push(event), color: "never" });
    } catch (error) {
      ok = false;
      this.said += error instanceof Error ? error.message : String(error);
    }
    return { ok, text: this.said, events, changes: changesOf(events), outputs: await this.#outputs() };
  }

  /** The outputs of the stack, from the state file. The CLI is asked only for secret ones, which are encrypted there. */
  async #outputs(): Promise<Readonly<Record<string, unknown>>> {
    const { outputs = {} } = this.#stored().find(({ type }) => type === "pulumi:pulumi:Stack") ?? {};
    if (!JSON.stringify(outputs).includes(secretMark)) return outputs;
    const { workspace, name } = this.stack;
    const decrypted = Object.entries(await workspace.stackOutputs(name));
    return Object.fromEntries(decrypted.map(([key, { value }]) => [key, value as unknown]));
  }

  /** Every resource in the state file. */
  #stored(): readonly StateResource[] {
    if (!existsSync(this.#stateFile)) return [];
    const { checkpoint } = JSON.parse(this.stateText()) as {
      readonly checkpoint: { readonly latest?: { readonly resources?: readonly StateResource[] } };
    };
    return checkpoint.latest?.resources ?? [];
  }
}

/** Key by which the state marks a secret. */
const secretMark = "4dabf18193072939515e22adb298388d";

/** A client of a service, to look at it from outside. */
export function clientOf(service: Pick<Target, "url" | "credentials">) {
  return new dag.Client({ endpoint: service.url, ...service.credentials, pollInterval: 250 });
}

/** Every query of a service, the oldest first. */
export async function queriesOf(service: Target) {
  await using client = clientOf(service);
  const found = [];
  for await (const query of client.queries({ order: "asc" })) found.push(query);
  return found;
}

/** Sets the fault rules for the following requests to a service. */
export async function setFaults(service: TestService, rules: readonly FaultRule[]): Promise<void> {
  const answer = await fetch(`${service.url}/_faults`, {
    method: "PUT",
    // A kept connection may be closed at the moment in which it is used again.
    headers: { "x-dag-control": "1", connection: "close" },
    body: JSON.stringify(rules),
  });
  if (!answer.ok) throw new Error(`the service refused the rules: ${await answer.text()}`);
}

/** Creates a logger that records the operation and the error code of every request to a service. */
export function requestLog() {
  const requests: { readonly operation: string; readonly code?: string }[] = [];
  const write = (line: string) => {
    const { operation, code } = JSON.parse(line) as { readonly operation?: string; readonly code?: string };
    if (operation !== undefined) requests.push({ operation, ...(code !== undefined && { code }) });
  };
  return { log: pino({ level: "info" }, { write }), requests };
}

/** Names of the objects under a folder, without the folder. */
export function objectsUnder(service: TestService, folder: string): string[] {
  const path = join(service.bucketsDirectory, folder.replace("dag://", ""));
  return existsSync(path) ? readdirSync(path).toSorted() : [];
}

/** The permanent messages, with severity and text. */
export function diagnostics(run: Run): { readonly severity: string; readonly message: string; readonly urn: string }[] {
  return run.events
    .flatMap(({ diagnosticEvent }) => (diagnosticEvent && !diagnosticEvent.ephemeral ? [diagnosticEvent] : []))
    .map(({ severity, message, urn = "" }) => ({ severity, message, urn }));
}

/** The progress lines of a resource, in order. */
export function rows(run: Run, name: string): string[] {
  return run.events
    .flatMap(({ diagnosticEvent }) => (diagnosticEvent?.ephemeral ? [diagnosticEvent] : []))
    .filter(({ urn }) => urn?.endsWith(`::${name}`))
    .map(({ message }) => message.trim());
}

function changesOf(events: readonly EngineEvent[]): Record<string, number> {
  const changes: Record<string, number> = {};
  for (const { resourcePreEvent } of events) {
    const { op, type } = resourcePreEvent?.metadata ?? { op: "", type: "" };
    if (isOurs(type)) changes[op] = (changes[op] ?? 0) + 1;
  }
  return changes;
}

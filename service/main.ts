#!/usr/bin/env node
/** The command `dag-service`. */
// oxlint-disable-next-line import/no-unassigned-import -- it must run before the modules below are loaded
import "./require-node";
// oxlint-disable-next-line import/no-unassigned-import -- it must run before the modules below are loaded
import "./suppress-sqlite-warning";
// oxlint-disable-next-line import/no-unassigned-import -- it must run before the modules below are loaded
import "./compile-cache";
import { flushCompileCache } from "node:module";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { printable, printableText } from "../contract";
import { addBackupCommands } from "./cli/backup";
import { writeMessage } from "./cli/command-error";
import { addClientCommands } from "./cli/commands";
import { addCompletionCommand } from "./cli/completion";
import { addExplainCommand } from "./cli/explain";
import { addMigrateCommand } from "./cli/migrate";
import { collectGarbage } from "./collect-garbage";
import { compose, type RunningService } from "./compose";
import { isLoopbackHost } from "./http/loopback";
import { loadConfig } from "./config/load";
import { environmentName, settings, unknownVariables } from "./config/settings";
import { StartError } from "./config/start-error";
import { ownVersion } from "./own-version";
import { reloadOnHangup } from "./reload";
import { createServiceLog } from "./service-log";

interface Flags {
  readonly config?: string;
  readonly allowFaults?: boolean;
  readonly acceptStateLoss?: boolean;
  readonly logLevel: string;
  readonly [setting: string]: string | boolean | undefined;
}

const levels = ["debug", "info", "warn", "error", "silent"];

/** Exit code when the flags or the config cannot be served. */
const startErrorExitCode = 2;

const command = new Command("dag-service")
  .configureOutput({ writeErr: (text) => void process.stderr.write(printableText(text)) })
  .version(ownVersion(), "--version", "print the version")
  .description("The Query and Cluster Management Service on one machine.")
  .option("--config <FILE>", "config file, YAML (DAG_SERVICE_CONFIG)")
  .option(
    "--allow-faults",
    "for tests: serve the test controls /_faults, /_clock and /_reset to this machine (DAG_SERVICE_ALLOW_FAULTS=1)",
  )
  .option(
    "--accept-state-loss",
    "use a state file that lost its last changes: what is left is kept, and no query ID is given again",
  )
  .option(
    "--log-level <LEVEL>",
    `minimum level of the log: ${levels.join(", ")}`,
    (level) => {
      if (levels.includes(level)) return level;
      throw new InvalidArgumentError(`It must be one of ${levels.join(", ")}.`);
    },
    "info",
  )
  .exitOverride()
  .action(start);
for (const name of ["port", "host"]) {
  // Other servers have them.
  const refuse = () => {
    throw new StartError(`there is no option --${name}: use --listen ADDRESS:PORT, such as --listen 127.0.0.1:8080`);
  };
  command.addOption(new Option(`--${name} <VALUE>`).hideHelp().argParser(refuse));
}
for (const setting of settings) {
  command.option(`--${setting.flag} <${setting.value}>`, `${setting.description} (${environmentName(setting)})`);
}

addClientCommands(command);
addExplainCommand(command);
addBackupCommands(command, async () => import("./state/backup/index.js"));
addMigrateCommand(command, async (move) => (await import("./state/move/index.js")).moveState(move));
addCompletionCommand(command);
// After the commands, which would inherit it: what is no command is refused by `start`, which names those that exist.
command.allowExcessArguments();

command.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : startErrorExitCode);
  if (error instanceof StartError) {
    writeMessage(error.message);
    process.exit(error.exitCode);
  }
  writeMessage(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
});

async function start(flags: Flags, { args }: Command): Promise<void> {
  if (args.length > 0) {
    const known = command.commands.map((each) => each.name()).join(", ");
    throw new StartError(
      `unknown command "${args[0]}": the commands are ${known}; without a command, dag-service starts the service (see --help)`,
    );
  }
  const { env } = process;
  // Other users of the machine read nothing that the service or its engines write.
  process.umask(0o077);
  const file = flags.config ?? (env.DAG_SERVICE_CONFIG || undefined);
  const load = () =>
    loadConfig({
      file,
      flags: Object.fromEntries(settings.map(({ flag }) => [flag, flags[camelCase(flag)] as string | undefined])),
      environment: env,
      directory: process.cwd(),
    });
  const config = load();
  const { log, logListening } = createServiceLog(flags.logLevel);
  for (const variable of unknownVariables(env)) {
    log.warn({ variable }, "this environment variable sets nothing: dag-service --help lists those that do");
  }
  const service = await compose({
    config,
    log,
    allowFaults: flags.allowFaults ?? ["1", "true"].includes(env.DAG_SERVICE_ALLOW_FAULTS ?? ""),
    acceptStateLoss: flags.acceptStateLoss ?? false,
    onNewCredentials: ({ accessKeyId, secretAccessKey }, keyFile) =>
      void process.stderr.write(
        `dag-service created a key pair, shown only this once and stored in ${printable(keyFile)}: DAG_ACCESS_KEY_ID=${accessKeyId} DAG_SECRET_ACCESS_KEY=${secretAccessKey}\n`,
      ),
  });
  if (config.credentials === undefined && isLoopbackHost(new URL(service.url).host)) {
    writeMessage(`the console, signed in once by this link: ${service.signInLink()}`);
  }
  // In a terminal, and without a file that could have changed, a hangup ends the service as before.
  if (file !== undefined && !process.stdin.isTTY) reloadOnHangup(service, load, log);
  // Before the line `listening`: whoever waits for it may send a signal at once.
  stopOnSignal(service, (signal) => log.info({ signal }, "stopping"));
  logListening({ url: service.url, data: service.dataDirectory, buckets: service.buckets });
  if (service.note !== undefined) log.info(service.note);
  // The state is durable and one query's failure must not end the others: log it and continue.
  process.on("unhandledRejection", (reason) => log.error({ err: reason }, "unhandled error in a background task"));
  if (env["npm_lifecycle_event"] !== undefined) endWithParent();
  setTimeout(tidyUp, 1000).unref();
}

/** Keeps what was compiled for the next start, and gives back the memory that only the start needed. */
function tidyUp(): void {
  flushCompileCache();
  collectGarbage();
}

/** Shuts down gracefully at the first signal; a second signal ends the process at once. */
function stopOnSignal(service: RunningService, onSignal: (signal: string) => void): void {
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      onSignal(signal);
      service.close().then(
        () => process.exit(0),
        (error: unknown) => {
          writeMessage(String(error));
          process.exit(1);
        },
      );
    });
  }
}

/**
 * Shuts down when the parent process ends: npm (npx, npm exec, npm run) sends signals to the shell in which it runs a
 * command, and that shell ends without forwarding them.
 */
function endWithParent(): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, parentInterval);
  watch.unref();
}

/** Time between two checks of the parent process, in milliseconds. */
const parentInterval = 200;

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

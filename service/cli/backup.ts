/** `dag-service backup` and `dag-service restore`: state and buckets of a service, as of one moment. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { printable } from "../../contract";
import { describeDiskProblem, diskProblem } from "../../storage/disk-errors";
import { loadConfig } from "../config/load";
import type { ServiceConfig } from "../config/schema";
import { StartError } from "../config/start-error";
import { writeOutput } from "./standard-output";

/** What was copied. */
interface CopySummary {
  readonly createdAt: string;
  readonly queries: number;
  /** Absent when the buckets are on S3. */
  readonly objects?: { readonly files: number; readonly bytes: number } | undefined;
}

/** What the commands do. */
export interface BackupWork {
  backUp(config: ServiceConfig, target: string): Promise<CopySummary>;
  restore(config: ServiceConfig, source: string): Promise<CopySummary>;
  skipIds(config: ServiceConfig): Promise<number>;
}

interface BackupOptions {
  readonly config?: string;
  readonly data?: string;
  readonly storage?: string;
  readonly state?: string;
}

/** Adds the commands to the program. They take the program's `--config`, `--data`, `--storage` and `--state` too. */
export function addBackupCommands(program: Command, load: () => Promise<BackupWork>): void {
  program
    .command("backup")
    .argument("<folder>", "a new or empty folder")
    .description("Copies the state, the buckets and the logs of a service into a folder, while it runs.")
    .action((folder: string, _: unknown, command: Command) =>
      work(folder, folder, async () => {
        const copied = await (await load()).backUp(configOf(command), resolve(folder));
        const notice = copied.objects ? "" : ". The buckets are on S3 and not in the backup";
        print(`backed up ${described(copied)} to ${printable(folder)}${notice}`);
      }),
    );
  program
    .command("restore")
    .argument("[folder]", "a folder that dag-service backup has written; none for a state in PostgreSQL")
    .description(
      "Fills a new data folder with a backup, while no service runs on it. After a pg_restore: lets no query ID be given again.",
    )
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const config = configOf(command);
      const { restore, skipIds } = await load();
      if (folder === undefined) {
        print(`query IDs up to ${await skipIds(config)} are not given again: the service may start`);
        return;
      }
      await work(folder, config.data, async () => {
        const copied = await restore(config, resolve(folder));
        print(`restored ${described(copied)} of ${copied.createdAt} to ${printable(config.data)}`);
      });
    });
}

function configOf(command: Command): ServiceConfig {
  const { config, data, storage, state } = command.optsWithGlobals<BackupOptions>();
  return loadConfig({
    file: config ?? (process.env["DAG_SERVICE_CONFIG"] || undefined),
    flags: { data, storage, state },
    environment: process.env,
    directory: process.cwd(),
  });
}

/**
 * @param folder the backup
 * @param target folder that is written
 * @throws {StartError} for a file that cannot be read or written, too
 */
async function work(folder: string, target: string, run: () => Promise<void>): Promise<void> {
  // As the service itself: other users of the machine read nothing of a backup.
  process.umask(0o077);
  try {
    await run();
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (error instanceof StartError || code === undefined) throw error;
    const problem = diskProblem(error);
    const why =
      problem === undefined
        ? `${path ?? folder} cannot be read or written (${code}): run the command as the user of the service`
        : describeDiskProblem(problem, target);
    throw new StartError(why, { cause: error });
  }
}

function described({ queries, objects }: CopySummary): string {
  const copied = counted(queries, "query", "queries");
  if (!objects) return copied;
  return `${copied} and ${counted(objects.files, "object", "objects")} of ${counted(objects.bytes, "byte", "bytes")}`;
}

const counted = (count: number, one: string, several: string) => `${count} ${count === 1 ? one : several}`;

function print(line: string): void {
  writeOutput(`${line}\n`);
}

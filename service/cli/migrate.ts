/** `dag-service migrate`: moves the record of all queries between SQLite and PostgreSQL. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { printable } from "../../contract";
import { loadConfig } from "../config/load";
import type { ServiceConfig } from "../config/schema";
import { StartError } from "../config/start-error";
import { writeOutput } from "./standard-output";

type StateSetting = NonNullable<ServiceConfig["state"]>;

/** Moves the record from one place to another. */
export type MoveState = (move: {
  readonly from: StateSetting;
  readonly to: StateSetting;
  readonly data: string;
}) => Promise<{ readonly queries: number; readonly kept: string }>;

interface MigrateOptions {
  readonly from: string;
  readonly to: string;
  readonly config?: string;
  readonly data?: string;
}

/** Adds the command to the program. It takes the program's `--config` and `--data` too. */
export function addMigrateCommand(program: Command, move: MoveState): void {
  program
    .command("migrate")
    .description("Moves the record of all queries from SQLite to PostgreSQL or back, while no service runs.")
    .requiredOption("--from <STATE>", "where it is: sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    .requiredOption("--to <STATE>", "where it goes: the other of the two, which must be empty")
    .action(async (_: unknown, command: Command) => {
      // As the service itself: other users of the machine read nothing of its record.
      process.umask(0o077);
      const { from, to, config, data } = command.optsWithGlobals<MigrateOptions>();
      const { env } = process;
      const setting = (flag: string, state: string) => {
        try {
          return loadConfig({
            file: config ?? (env["DAG_SERVICE_CONFIG"] || undefined),
            flags: { state, ...(data === undefined ? {} : { data }) },
            environment: { DAG_SERVICE_DATA: env["DAG_SERVICE_DATA"] },
            directory: process.cwd(),
          });
        } catch (error) {
          if (!(error instanceof StartError)) throw error;
          throw new StartError(error.message.replace(/^--state: state/, flag));
        }
      };
      const source = setting("--from", from);
      const target = setting("--to", to);
      const { queries, kept } = await move({ from: source.state!, to: target.state!, data: resolve(source.data) });
      writeOutput(
        `moved ${queries} ${queries === 1 ? "query" : "queries"}; what they were moved from is kept as ${printable(kept)}\n`,
      );
    });
}

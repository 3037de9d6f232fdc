/** The commands that use a service: `dag-service sql`, `put` and `open`. */
import { Option, type Command } from "commander";
import { CommandError, writeMessage } from "./command-error";
import { openConsole } from "./open";
import { putFile, type PutOptions } from "./put";
import { rowFormats } from "./print-rows";
import { runSql, type SqlOptions } from "./sql";
import { watchOutput, writeOutput } from "./standard-output";

/** Adds the commands to the program. They take the program's `--data` too. */
export function addClientCommands(program: Command): void {
  // Also for --version and --help, of this program and of every command that is added.
  program.configureOutput({ writeOut: writeOutput });
  client(program, "sql")
    .argument("[statement]", "a HiveQL SELECT, SHOW TABLES, DESCRIBE <table>, or - to read it from standard input")
    .description(
      "Runs one SELECT and prints its rows; without a statement, asks for statements at a prompt. Without a running service it starts one.",
    )
    .option(
      "--cluster <NAME>",
      "cluster that runs it (default: the first by name that is up and has more than one instance)",
    )
    .option("--output <FOLDER>", "folder of the result (default: a new one in dag://default/sql_results/)")
    .option("--overwrite", "replace objects in that folder that are not the result of a select")
    .addOption(new Option("--format <FORMAT>", "how the rows are printed (default: table)").choices(rowFormats))
    .option("--csv", "the same as --format csv")
    .option("--json", "the same as --format jsonl: each row is one line of JSON")
    .action((statement: string | undefined, _: unknown, command: Command) =>
      exitWith(() => runSql(statement, command.optsWithGlobals<SqlOptions>())),
    );
  client(program, "put")
    .argument("<file>", "the file")
    .argument("<location>", "the object, such as dag://bucket/folder/name.csv, or a folder, which ends in /")
    .description("Stores a file as an object of a running service, and prints its location and size.")
    .option("--overwrite", "replace an object that exists")
    .action((file: string, location: string, _: unknown, command: Command) =>
      exitWith(() => putFile(file, location, command.optsWithGlobals<PutOptions>())),
    );
  client(program, "open")
    .description("Opens the console of a running service in the browser, signed in.")
    .option("--print", "print the link and do not start a browser")
    .action((_: unknown, command: Command) => exitWith(() => openConsole(command.optsWithGlobals())));
}

function client(program: Command, name: string): Command {
  return program
    .command(name)
    .option("--endpoint <URL>", "base URL of the service (DAG_ENDPOINT; default http://127.0.0.1:9393)")
    .addHelpText(
      "after",
      "\nThe key pair is that of DAG_ACCESS_KEY_ID and DAG_SECRET_ACCESS_KEY, or else that of credentials.json in the data folder (--data, default ./.dag).",
    );
}

/** Ends the process with the command's exit code. */
async function exitWith(work: () => Promise<number>): Promise<void> {
  watchOutput();
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    writeMessage(error.message);
    process.exitCode = error.exitCode;
  }
}

/** `dag-service sql`: runs one SELECT and prints its rows, or asks for statements at a prompt. */
import { isUtf8 } from "node:buffer";
import { buffer } from "node:stream/consumers";
import { operations } from "../../contract";
import {
  accessOf,
  call,
  dataFolder,
  environmentKeyPair,
  namedEndpoint,
  type Access,
  type AccessOptions,
} from "./access";
import { CommandError } from "./command-error";
import { startEmbedded } from "./embedded";
import type { RowFormat } from "./print-rows";
import { runPrompt } from "./prompt";
import { runStatement } from "./run-statement";

export interface SqlOptions extends AccessOptions {
  readonly cluster?: string;
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly format?: RowFormat;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** Runs the statement. Returns the exit code: 0, 1 when it was refused or failed, 130 when it was cancelled. */
export async function runSql(given: string | undefined, options: SqlOptions): Promise<number> {
  const { cluster, output, overwrite } = options;
  if (overwrite === true && output === undefined) {
    throw new CommandError("--overwrite needs --output: name the folder whose objects the result may replace", 2);
  }
  const statementOptions = { cluster, output, overwrite, format: formatOf(options) };
  if (given === undefined) {
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      throw new CommandError("there is no statement: give one, or - to read it from standard input", 2);
    }
    await using service = await reach(options);
    return await runPrompt(service.access, statementOptions);
  }
  const statement = given === "-" ? await readStatement() : requireDecoded(given);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  await using service = await reach(options);
  try {
    return await runStatement(service.access, statement, statementOptions, stop.signal);
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** Reads the statement from standard input. @throws CommandError when it is not UTF-8 */
async function readStatement(): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  throw new CommandError(
    "the statement on standard input is not UTF-8: save it as UTF-8, or convert it, as with iconv -f latin1 -t utf8",
    2,
  );
}

/**
 * Returns the statement of the argument, which Node.js has decoded.
 * @throws CommandError when it has U+FFFD, which stands for bytes that are not UTF-8
 */
function requireDecoded(statement: string): string {
  const index = statement.indexOf("\ufffd");
  if (index < 0) return statement;
  throw new CommandError(
    `the statement has U+FFFD as its character ${index + 1}, as an argument has in place of bytes that are not UTF-8: ` +
      "give it as UTF-8, as after iconv -f latin1 -t utf8; if U+FFFD is meant, give the statement on standard input to `dag-service sql -`",
    2,
  );
}

/** Finds the running service, or starts one when none is named and none runs. @throws CommandError */
async function reach(options: SqlOptions): Promise<AsyncDisposable & { readonly access: Access }> {
  const isNamed = namedEndpoint(options) !== undefined;
  environmentKeyPair();
  try {
    const access = accessOf(options);
    await call(access, operations.listClusters.response, "GET", "/v1/?clusterManagement&max=1");
    return { access, [Symbol.asyncDispose]: async () => undefined };
  } catch (error) {
    const isAbsent = error instanceof CommandError && error.exitCode === 2;
    if (isNamed || !isAbsent) throw error;
    return await startEmbedded(dataFolder(options));
  }
}

function formatOf({ format, csv, json }: SqlOptions): RowFormat {
  const named = [...(format ? [format] : []), ...(csv ? ["csv" as const] : []), ...(json ? ["jsonl" as const] : [])];
  if (named.length > 1) throw new CommandError("--format, --csv and --json exclude each other: choose one", 2);
  return named[0] ?? "table";
}

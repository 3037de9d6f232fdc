/** Runs one statement of `dag-service sql` and prints its rows. */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  LocationError,
  noteLine,
  notesIn,
  objectPage,
  operations,
  parseLocation,
  printable,
  resultSample,
  type ClusterRecord,
} from "../../contract";
import { BrokenConnectionError, call, send, StrangeAnswerError, type Access } from "./access";
import { answerFromCatalog } from "./catalog-statements";
import { CommandError, writeMessage } from "./command-error";
import { checkOutput } from "./output-folder";
import { printer, type Printer, type RowFormat } from "./print-rows";

export interface StatementOptions {
  readonly cluster?: string | undefined;
  readonly output?: string | undefined;
  /** True to replace objects in `output` that are not the result of a select. @default false */
  readonly overwrite?: boolean | undefined;
  readonly format: RowFormat;
}

/** Exit code after Ctrl-C, as shells have it. */
const interrupted = 130;

/**
 * Runs a SELECT on the service, or answers SHOW and DESCRIBE from its catalog. Cancels the query when the signal aborts.
 * @returns the exit code: 0, or 130 when the query was cancelled
 * @throws CommandError when the statement is refused or fails
 */
export async function runStatement(
  access: Access,
  statement: string,
  options: StatementOptions,
  signal: AbortSignal,
): Promise<number> {
  const answer = await answerFromCatalog(access, statement);
  if (answer) {
    const output = printer(options.format, answer.columns);
    for (const row of answer.rows) await output.row(row);
    await output.end();
    return 0;
  }
  const replaces =
    options.output === undefined ? undefined : await checkOutput(access, options.output, options.overwrite === true);
  const { queryId } = await call(access, operations.submitSelect.response, "POST", "/v1/?select", {
    clusterName: options.cluster ?? (await acceptingCluster(access)),
    query: statement,
    outputResourcePath: options.output ?? `dag://default/sql_results/${randomUUID()}/`,
    outputFormat: "tsv",
    label: "dag-service sql",
  });
  if (replaces !== undefined) writeMessage(`query ${queryId} ${replaces}`);
  const progress = new ProgressLine(queryId);
  for (let pause = 50; ; pause = Math.min(pause * 1.5, 1000)) {
    if (signal.aborted) return await cancel(access, queryId, progress);
    const query = await call(access, operations.getQuery.response, "GET", `/v1/${queryId}?query`);
    if (query.status === "running") {
      progress.show(query.progress);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      continue;
    }
    progress.clear();
    const { log } = await call(access, operations.getQueryLog.response, "GET", `/v1/${queryId}/log?query`);
    if (query.status === "finished") {
      for (const note of notesIn(log)) writeMessage(noteLine(note));
      return await printResult(access, queryId, options);
    }
    throw new CommandError(`query ${queryId} ended as ${query.status}:\n${log.trimEnd()}`, 1);
  }
}

async function acceptingCluster(access: Access): Promise<string> {
  const target = "/v1/?clusterManagement&order=asc&status=norm,ptfailed";
  const { clusters } = await call(access, operations.listClusters.response, "GET", target);
  const [first] = clusters as ClusterRecord[];
  if (first) return first.name;
  throw new CommandError("no cluster accepts queries now: try again later, or name one with --cluster", 1);
}

async function cancel(access: Access, queryId: number, progress: ProgressLine): Promise<number> {
  progress.clear();
  await send(access, "DELETE", `/v1/${queryId}?query`).catch((error: unknown) => {
    // The query may have ended in the meantime.
    if (!(error instanceof CommandError)) throw error;
  });
  process.stderr.write(`dag-service: query ${queryId} was cancelled\n`);
  return interrupted;
}

async function printResult(access: Access, queryId: number, { format }: StatementOptions): Promise<number> {
  const { columns, types, location, sample, replaced } = await call(access, resultSample, "GET", `/results/${queryId}`);
  if (replaced) throw new CommandError(`the result of query ${queryId} is no longer there: ${replaced.reason}`, 1);
  const width = sample.rows[0]?.length ?? columns?.length ?? 0;
  const names = columns?.length === width ? columns : Array.from({ length: width }, (_, index) => `_c${index}`);
  const printed = names.map((name, column) => ({ name, type: types?.length === width ? types[column] : undefined }));
  const output = printer(format, printed);
  for await (const object of objectsOf(access, location)) await printObject(access, object, output);
  await output.end();
  return 0;
}

async function* objectsOf(access: Access, folder: string): AsyncGenerator<string> {
  for (let marker = ""; ;) {
    const target = `/objects?prefix=${encodeURIComponent(folder)}${marker && `&marker=${encodeURIComponent(marker)}`}`;
    const page = await call(access, objectPage, "GET", target);
    yield* page.objects.map(({ location }) => location);
    if (page.nextMarker === undefined) return;
    marker = page.nextMarker;
  }
}

/** Prints the rows of one object, a TSV without a header. */
async function printObject(access: Access, location: string, output: Printer): Promise<void> {
  const answer = await send(access, "GET", `/objects/${pathOf(access, location)}`);
  if (!answer.body) return;
  const input = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  let broken: unknown;
  input.once("error", (error) => (broken = error));
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      await output.row(line.split("\t").map(cellOf));
    }
  } catch (error) {
    if (error !== broken) throw error;
  }
  if (broken !== undefined) throw new BrokenConnectionError(access.endpoint, broken);
}

function pathOf({ endpoint }: Access, location: string): string {
  try {
    const { bucket, key } = parseLocation(location);
    return [bucket, ...key.split("/")].map(encodeURIComponent).join("/");
  } catch (error) {
    if (!(error instanceof LocationError)) throw error;
    throw new StrangeAnswerError(endpoint, "a list of objects with a location that is not of the API");
  }
}

function cellOf(cell: string): string | null {
  if (cell === "\\N") return null;
  const characters: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
  return cell.replace(/\\([tnr\\])/g, (_, letter: string) => characters[letter]!);
}

/** The progress on a terminal's standard error; nothing elsewhere. */
class ProgressLine {
  constructor(private readonly queryId: number) {}

  show(progress: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[Kquery ${this.queryId}: ${printable(progress)}`);
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  }
}

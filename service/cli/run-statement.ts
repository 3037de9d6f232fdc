/** Runs one statement of `dag-service sql` and prints its rows. */
import { randomUUID } from "node:crypto";
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
  type RequestBody,
} from "../../contract";
import { AcceptedQuery } from "./accepted-query";
import { call, lostAnswerOf, StrangeAnswerError, type Access } from "./access";
import { answerFromCatalog } from "./catalog-statements";
import { CommandError, writeMessage } from "./command-error";
import { checkOutput } from "./output-folder";
import { linesOf } from "./lines";
import { printer, type Printer, type RowFormat } from "./print-rows";

export interface StatementOptions {
  readonly cluster?: string | undefined;
  readonly output?: string | undefined;
  /** True to replace objects in `output` that are not the result of a select. @default false */
  readonly overwrite?: boolean | undefined;
  readonly format: RowFormat;
  /** Milliseconds without an answer after which a service that has accepted the query is no longer waited for. @default 60_000 */
  readonly patience?: number | undefined;
}

/** Exit code after Ctrl-C, as shells have it. */
const interrupted = 130;

/** Milliseconds for which the log of a finished query is asked for: its rows are printed without it, too. */
const logPatience = 5_000;

/** Milliseconds for which a query whose submission had no answer is looked for: the check before its record takes 10 s at most. */
const lookupPatience = 15_000;

/** Milliseconds without an answer after which such a request is sent again. */
const lookupTimeout = 5_000;

/**
 * Runs a SELECT on the service, or answers SHOW and DESCRIBE from its catalog. Cancels the query when the signal aborts.
 * @returns the exit code: 0, or 130 when the query was cancelled
 * @throws CommandError when the statement is refused or fails, or the query is not cancelled
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
  // Names the run in its label, by which it is found when the answer to its submission is lost.
  const run = randomUUID();
  const output = options.output ?? `dag://default/sql_results/${run}/`;
  const submission = {
    clusterName: options.cluster ?? (await acceptingCluster(access)),
    query: statement,
    outputResourcePath: output,
    outputFormat: "tsv" as const,
    label: `dag-service sql ${run}`,
  };
  const queryId = await submit(
    access,
    submission,
    Math.min(options.patience ?? lookupPatience, lookupPatience),
    signal,
  );
  if (replaces !== undefined) writeMessage(`query ${queryId} ${replaces}`);
  const progress = new ProgressLine(queryId);
  const onAbsence = (isAbsent: boolean) =>
    isAbsent ? progress.show("the service cannot answer now, it is asked again") : progress.clear();
  const { patience } = options;
  const accepted = new AcceptedQuery({ access, queryId, output, signal, patience, onAbsence });
  for (let pause = 50; ; pause = Math.min(pause * 1.5, 1000)) {
    if (signal.aborted) return await cancel(accepted, progress);
    const query = await accepted.get(operations.getQuery.response, `/v1/${queryId}?query`).catch((error: unknown) => {
      // Without an answer it may still be cancelled.
      if (signal.aborted) return undefined;
      throw error;
    });
    if (query === undefined) continue;
    if (query.status === "running") {
      progress.show(query.progress);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      continue;
    }
    progress.clear();
    accepted.ended(query.status);
    if (query.status === "finished") {
      await printNotes(accepted, patience);
      return await printResult(access, accepted, options);
    }
    const { log } = await accepted.get(operations.getQueryLog.response, `/v1/${queryId}/log?query`);
    throw new CommandError(`query ${queryId} ended as ${query.status}:\n${log.trimEnd()}`, 1);
  }
}

/** Prints the notes in the log of a finished query, or that it could not be read. */
async function printNotes(query: AcceptedQuery, patience = logPatience): Promise<void> {
  const target = `/v1/${query.id}/log?query`;
  try {
    const { log } = await query.get(operations.getQueryLog.response, target, Math.min(patience, logPatience));
    for (const note of notesIn(log)) writeMessage(noteLine(note));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    writeMessage(
      `the log of query ${query.id} could not be read, and may have warnings: GET ${target} returns it (${message})`,
    );
  }
}

/**
 * Submits a select, and never again: without an answer, its query is looked for by its label, which no other one has.
 * @param patience milliseconds for which it is looked for
 */
async function submit(
  access: Access,
  body: RequestBody<"submitSelect"> & { readonly label: string },
  patience: number,
  signal: AbortSignal,
): Promise<number> {
  try {
    return (await call(access, operations.submitSelect.response, "POST", "/v1/?select", body)).queryId;
  } catch (error) {
    const reason = lostAnswerOf(error);
    if (reason === undefined) throw error;
    const { label, outputResourcePath } = body;
    const accepted = await findLabelled(access, label, patience, signal);
    if (accepted !== undefined) return accepted;
    const list = `${access.endpoint}/console/queries?${new URLSearchParams({ label }).toString()}`;
    throw new CommandError(
      `the statement was sent, and its answer was lost (${reason}): it may have been accepted, and would write to ${outputResourcePath}. Look for a query with the label "${label}" at ${list} before you run it again`,
      1,
      { cause: error },
    );
  }
}

/** Returns the ID of the query with the label; undefined when none is found until the patience is over or the signal aborts. */
async function findLabelled(
  access: Access,
  label: string,
  patience: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const target = `/v1/?query&labelPrefix=${encodeURIComponent(label)}`;
  const since = performance.now();
  for (let pause = 250; ; pause = Math.min(pause * 1.5, 2000)) {
    const asking = { ...access, signal: AbortSignal.any([signal, AbortSignal.timeout(lookupTimeout)]) };
    const answer = call(asking, operations.listQueries.response, "GET", target);
    const query = await answer
      .then(({ queries }) => queries[0])
      .catch((error: unknown) => {
        // Also while the service starts again.
        if (error instanceof CommandError) return undefined;
        throw error;
      });
    if (query || signal.aborted || performance.now() - since >= patience) return query?.id;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

async function acceptingCluster(access: Access): Promise<string> {
  const target = "/v1/?clusterManagement&order=asc&status=norm,ptfailed";
  const { clusters } = await call(access, operations.listClusters.response, "GET", target);
  const accepting = clusters as ClusterRecord[];
  // A cluster of one instance runs no queries, and its refusal says so.
  const first = accepting.find(({ instances }) => instances.reduce((sum, each) => sum + each.quantity, 0) > 1);
  const chosen = first ?? accepting[0];
  if (chosen) return chosen.name;
  throw new CommandError("no cluster accepts queries now: try again later, or name one with --cluster", 1);
}

async function cancel(query: AcceptedQuery, progress: ProgressLine): Promise<number> {
  progress.clear();
  await query.cancel();
  writeMessage(`query ${query.id} was cancelled`);
  return interrupted;
}

async function printResult(access: Access, query: AcceptedQuery, { format }: StatementOptions): Promise<number> {
  const { columns, types, location, sample, replaced } = await query.get(resultSample, `/results/${query.id}`);
  if (replaced) throw new CommandError(`the result of query ${query.id} is no longer there: ${replaced.reason}`, 1);
  const width = sample.rows[0]?.length ?? columns?.length ?? 0;
  const names = columns?.length === width ? columns : Array.from({ length: width }, (_, index) => `_c${index}`);
  const printed = names.map((name, column) => ({ name, type: types?.length === width ? types[column] : undefined }));
  const output = printer(format, printed);
  for await (const object of objectsOf(query, location)) await printObject(access, query, object, output);
  await output.end();
  return 0;
}

async function* objectsOf(query: AcceptedQuery, folder: string): AsyncGenerator<string> {
  for (let marker = ""; ;) {
    const target = `/objects?prefix=${encodeURIComponent(folder)}${marker && `&marker=${encodeURIComponent(marker)}`}`;
    const page = await query.get(objectPage, target);
    yield* page.objects.map(({ location }) => location);
    if (page.nextMarker === undefined) return;
    marker = page.nextMarker;
  }
}

/** Prints the rows of one object, a TSV without a header. */
async function printObject(access: Access, query: AcceptedQuery, location: string, output: Printer): Promise<void> {
  const answer = await query.open(`/objects/${pathOf(access, location)}`);
  if (!answer.body) return;
  const input = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  let broken: unknown;
  input.once("error", (error) => (broken = error));
  try {
    for await (const line of linesOf(input)) {
      await output.row(line.split("\t").map(cellOf));
    }
  } catch (error) {
    if (error !== broken) throw error;
  }
  // Not read again: some of its rows are printed.
  if (broken !== undefined) throw query.unanswered("the connection broke while the rows were printed", broken);
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

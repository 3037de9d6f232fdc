/** Inspects a service after a kill: it has every accepted query once, and every output is complete or absent. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ledger } from "./load.mts";
import { call, everyQuery, type Query, type Service } from "./service.mts";

export interface Findings {
  /** Accepted queries that are missing or differ from their submission. */
  readonly lost: string[];
  /** Submissions that exist twice, ids that were assigned twice, and tables with duplicated rows. */
  readonly duplicated: string[];
  /** Incomplete outputs, and temporary objects of queries that do not run. */
  readonly halfWritten: string[];
  /** Queries that ended, and requests that failed, through the fate of another query. */
  readonly collateral: string[];
  /** Engine processes that have outlived their service. */
  readonly orphans: string[];
}

/**
 * Inspects the service while nobody sends requests to it. Returns its queries.
 * @param rows number of rows of the table that selects read and splits write.
 */
export async function inspect(
  service: Service,
  ledger: Ledger,
  rows: number,
  findings: Findings,
  { untilIdle = false } = {},
): Promise<Query[]> {
  if (untilIdle) await finishAll(service);
  const queries = await everyQuery(service);
  inspectQueries(queries, ledger, findings);
  inspectOutputs(service, queries, ledger, rows, findings);
  if (untilIdle) inspectFinalOutputs(service, queries, ledger, findings);
  return queries;
}

function inspectQueries(queries: readonly Query[], ledger: Ledger, { lost, duplicated }: Findings): void {
  const byId = new Map(queries.map((query) => [query.id, query]));
  if (byId.size !== queries.length) duplicated.push("a query is in the list twice");
  for (const { id, label } of ledger.submissions) {
    if (label === "") continue;
    const found = queries.filter((query) => query.label === label);
    if (found.length > 1)
      duplicated.push(`${label} exists as the queries ${found.map((query) => query.id).join(", ")}`);
    if (id !== undefined && byId.get(id)?.label !== label) lost.push(`query ${id} (${label})`);
  }
  for (const id of ledger.cancelled) {
    if (byId.get(id)?.status !== "canceled")
      lost.push(`the cancellation of query ${id}: it is ${byId.get(id)?.status}`);
  }
}

function inspectOutputs(
  { buckets }: Service,
  queries: readonly Query[],
  ledger: Ledger,
  rows: number,
  { halfWritten, duplicated }: Findings,
): void {
  for (const { target } of uniqueBy(
    ledger.submissions,
    (submission) => submission.kind === "select" && submission.target,
  )) {
    const content = contentOf(join(buckets, "out", target));
    if (content === undefined) continue;
    const lines = content.trimEnd().split("\n");
    const [label = ""] = lines[0]!.split(",");
    const ids = new Set(lines);
    const whole = lines.length === rows && ids.size === rows && lines.every((line) => line.startsWith(`${label},`));
    if (!whole) halfWritten.push(`out/${target}: ${lines.length} rows of ${label}`);
  }
  const input = readFileSync(join(buckets, "raw/in.csv"), "utf8");
  for (const { kind, target } of ledger.submissions) {
    const content = kind === "split" ? contentOf(join(buckets, "data", target)) : undefined;
    if (content === undefined || content === input) continue;
    if (content.length > input.length) duplicated.push(`data/${target} has ${content.length} bytes`);
    else halfWritten.push(`data/${target} has ${content.length} bytes`);
  }
  const running = new Set(queries.filter(({ status }) => status === "running").map(({ id }) => String(id)));
  for (const bucket of ["out", "data"]) {
    const temporary = join(buckets, bucket, "tmp");
    const left = existsSync(temporary) ? readdirSync(temporary).filter((name) => !running.has(name)) : [];
    // A query that has ended since the list was read has removed its folder, or is about to.
    for (const name of left) if (!wasRunning(queries, name)) halfWritten.push(`${bucket}/tmp/${name} is left`);
  }
}

/** Inspects the outputs when no query runs: finished queries have an output, all others have none. */
function inspectFinalOutputs(
  { buckets }: Service,
  queries: readonly Query[],
  ledger: Ledger,
  findings: Findings,
): void {
  const byLabel = new Map(queries.map((query) => [query.label, query]));
  for (const { kind, label, target } of ledger.submissions) {
    const query = byLabel.get(label);
    if (kind !== "split" || query === undefined) continue;
    const isThere = contentOf(join(buckets, "data", target)) !== undefined;
    if (isThere && query.status !== "finished")
      findings.halfWritten.push(`data/${target} exists, but ${label} is ${query.status}`);
    if (!isThere && query.status === "finished") findings.lost.push(`data/${target}, although ${label} is finished`);
  }
  for (const bucket of ["out", "data"]) {
    const left = readdirSync(join(buckets, bucket)).filter((name) => name.startsWith("tmp"));
    if (left.length > 0) findings.halfWritten.push(`${bucket}: ${left.join(", ")} is left`);
  }
}

async function finishAll(service: Service): Promise<void> {
  for (;;) {
    const { body } = (await call(service, "GET", "/v1/?query&status=running"))!;
    if ((body.queries as Query[]).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns the contents of a folder's objects in the order of their names; undefined when the folder does not exist. */
function contentOf(folder: string): string | undefined {
  for (;;) {
    if (!existsSync(folder)) return undefined;
    try {
      const names = readdirSync(folder).toSorted();
      return names.map((name) => readFileSync(join(folder, name), "utf8")).join("");
    } catch (error) {
      // A query has just replaced the folder by its result: read it again.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function wasRunning(queries: readonly Query[], name: string): boolean {
  return queries.some(({ id, status }) => status === "running" && name.startsWith(String(id)));
}

function uniqueBy<Item>(items: readonly Item[], key: (item: Item) => unknown): Item[] {
  const found = new Map(items.map((item) => [key(item), item]));
  found.delete(false);
  return [...found.values()];
}

/** Results of selects for the console: `GET /results/<queryId>` and its download. */
import { Readable } from "node:stream";
import { errors, formatLocation, type Location, type OutputFormat, type ResultSample } from "../../../contract";
import { outputFolder } from "../queries/output-folder";
import type { StoredQuery } from "../ports/state";
import type { Caller, ServiceContext } from "../service-context";
import { columnNames } from "./check";
import { cutCells, rowsOfSample } from "./cells";
import { listObjects } from "./objects";
import { objectsFrom, readResultRows, type ResultPlace } from "./result-rows";

type StoredSelect = Extract<StoredQuery, { type: "select" }>;

/** Rows of a page; of very wide ones fewer. */
const pageRows = 100;

/** What is answered in place of objects that are not the query's. */
const noObjects = { page: { objects: [], isTruncated: false }, sample: { rows: [], isTruncated: false } };

/** What is asked of a result. */
interface ResultRequest {
  readonly queryId: number;
  /** Where the rows begin, as an earlier answer gave it. @default at the first one */
  readonly after?: string | undefined;
}

/** Returns the objects and a page of rows of a select's result. @throws QueryNotFound, InvalidQueryType, InvalidQueryState */
export async function resultOf(
  context: ServiceContext,
  { queryId, after }: ResultRequest,
  caller: Caller,
): Promise<ResultSample> {
  const query = await findResult(context, queryId);
  const location = outputFolder(query);
  const columns = await namesOf(context, query, caller);
  const known = {
    location: formatLocation(location),
    ...(columns ? { columns: [...columns] } : {}),
    ...(query.columns ? { types: query.columns.map(({ type }) => type) } : {}),
    ...(query.rows === null ? {} : { rows: query.rows }),
  };
  const page = await listObjects(context, { prefix: known.location });
  const result = { folder: location, format: query.outputFormat };
  const place = after === undefined ? undefined : placeOf(after);
  const limit = rowsOfSample(pageRows, columns?.length ?? 1);
  const { rows, next } = await readResultRows(context.storage, result, { after: place, limit });
  // Looked at last: what is answered was read before, so it is the query's if this is so now.
  const replaced = await context.catalog.published.replacementOf(location, queryId);
  if (replaced) return { ...known, ...noObjects, replaced };
  const more = next ? { next: `${next.offset}:${next.name}` } : {};
  return { ...known, page, sample: { rows: cutCells(rows), isTruncated: next !== undefined }, ...more };
}

/** A result as one file. */
export interface ResultFile {
  readonly name: string;
  readonly type: string;
  readonly body: Readable;
}

/**
 * Opens a whole result, its objects one after another behind a row with the names of the columns.
 * @throws QueryNotFound, InvalidQueryType, InvalidQueryState, also when it is not there any more
 */
export async function openResult(context: ServiceContext, queryId: number, caller: Caller): Promise<ResultFile> {
  const query = await findResult(context, queryId);
  const { outputFormat: format } = query;
  const folder = outputFolder(query);
  const replaced = await context.catalog.published.replacementOf(folder, queryId);
  if (replaced) {
    throw new errors.InvalidQueryState(`the result of query ${queryId} cannot be downloaded: ${replaced.reason}`, {
      field: "queryId",
    });
  }
  const columns = await namesOf(context, query, caller);
  const header = columns === undefined ? "" : headerRow(columns, format);
  return {
    name: `query-${queryId}.${format}`,
    type: format === "csv" ? "text/csv; charset=utf-8" : "text/tab-separated-values; charset=utf-8",
    body: Readable.from(bytesOf(context, { query, folder, header })),
  };
}

async function* bytesOf(
  { storage, catalog }: ServiceContext,
  { query, folder, header }: { readonly query: StoredSelect; readonly folder: Location; readonly header: string },
): AsyncIterable<Buffer> {
  if (header !== "") yield Buffer.from(header);
  for await (const { location, size, etag } of objectsFrom(storage, folder, undefined)) {
    yield* (await storage.read(location, { end: size, etag })) as AsyncIterable<Buffer>;
  }
  // A download that mixes two results must not look complete.
  const replaced = await catalog.published.replacementOf(folder, query.id);
  if (replaced) throw new Error(`the result of query ${query.id} was replaced while it was sent: ${replaced.reason}`);
}

async function findResult({ state }: ServiceContext, id: number): Promise<StoredSelect> {
  const query = await state.queries.get(id);
  const field = "queryId";
  if (!query) throw new errors.QueryNotFound(`query ${id} does not exist`, { field });
  if (query.type !== "select") {
    throw new errors.InvalidQueryType(`query ${id} is a ${query.type}: only a select has a result`, { field });
  }
  if (query.status !== "finished") {
    throw new errors.InvalidQueryState(`query ${id} is ${query.status}: only a finished query has a result`, { field });
  }
  return query;
}

/** The names as the query had them; for a query of a version that did not keep them, those of the statement. */
async function namesOf(context: ServiceContext, query: StoredSelect, caller: Caller) {
  return query.columns?.map(({ name }) => name) ?? (await columnNames(context, query, caller));
}

function headerRow(columns: readonly string[], format: OutputFormat): string {
  return format === "csv"
    ? `${columns.map((name) => (/[",\r\n]|^$|^\\N$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(",")}\n`
    : `${columns.map((name) => name.replace(/[\t\n\r\\]/g, (found) => tsvEscapes[found]!)).join("\t")}\n`;
}

const tsvEscapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

function placeOf(text: string): ResultPlace {
  const [, offset, name] = /^(\d{1,15}):([^/]{1,200})$/.exec(text) ?? [];
  if (offset !== undefined && name !== undefined) return { name, offset: Number(offset) };
  throw new errors.InvalidParameter("after is not valid: it must be the next of an earlier answer", { field: "after" });
}

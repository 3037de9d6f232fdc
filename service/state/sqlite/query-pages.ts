/**
 * Reads pages of the query list. Every statement reads an index range and stops early, so that a page costs the same
 * with a thousand queries and with a million.
 *
 * - Cluster, status and type have few values: one index range is read for each combination, and the ranges are merged.
 * - `clusterRebooted` is a limit on the ID, so it narrows the range.
 * - A label prefix with few matches reads the index range of the labels.
 * - A label prefix that many labels have reads blocks of neighbouring IDs in the page's order, with an index that finds
 *   the matching labels of a block, until the page is full. Other requests are answered between two blocks.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { queryStatuses, queryTypes, type ListOrder, type QueryStatus, type QueryType } from "../../../contract";
import type { QueryFilter } from "../../core/ports/state";

/** A cluster, and the greatest query ID before its last restart. */
export interface ClusterRange {
  readonly name: string;
  readonly rebootedTo: number;
}

/** The IDs of a block differ only in this many low bits; the index `queries_by_block` uses the same number. */
const blockBits = 13;

const blockOf = (id: number): number => Math.floor(id / 2 ** blockBits);

/** The SQL statements of {@link QueryPages}; exported for the test that none of them scans a table. */
export const pageStatements = {
  asc: statementsOf("asc"),
  desc: statementsOf("desc"),
} as const satisfies Record<ListOrder, unknown>;

function statementsOf(order: ListOrder) {
  const ordered = `ORDER BY id ${order} LIMIT :limit`;
  const ids = "id > :low AND id < :high";
  const state = "cluster_name = :cluster AND status = :status AND type = :type";
  const label = "label >= :label AND label < :labelEnd";
  const states = "+status IN (:status0, :status1, :status2, :status3) AND +type IN (:type0, :type1)";
  return {
    all: `SELECT id FROM queries WHERE ${ids} ${ordered}`,
    last: "SELECT max(id) AS id FROM queries",
    byState: `SELECT id FROM queries WHERE ${state} AND ${ids} ${ordered}`,
    byStateWithLabel: `SELECT id FROM queries INDEXED BY queries_by_state WHERE ${state} AND ${label} AND ${ids} ${ordered}`,
    labelled: `SELECT id FROM queries INDEXED BY queries_by_label WHERE cluster_name = :cluster AND ${label} LIMIT :limit`,
    byLabel: `SELECT id FROM queries INDEXED BY queries_by_label
      WHERE cluster_name = :cluster AND ${label} AND ${states} AND +${ids}`,
    byLabelInBlock: `SELECT id FROM queries INDEXED BY queries_by_block
      WHERE id >> ${blockBits} = :block AND cluster_name = :cluster AND ${label} AND ${states} AND +${ids}`,
  };
}

/** Below this number of queries, all of them are read and sorted to find a page. */
const fewLimit = 1000;

type StatementName = keyof (typeof pageStatements)["asc"];
type Statements = Record<StatementName, StatementSync>;
type NamedValues = Record<string, string | number>;

/** A filter with its defaults. */
interface Search {
  readonly filter: QueryFilter;
  readonly clusters: readonly ClusterRange[];
  readonly statuses: readonly QueryStatus[];
  readonly types: readonly QueryType[];
  readonly label: { readonly label: string; readonly labelEnd: string } | undefined;
}

/** A range of IDs; both ends are exclusive. */
interface Range {
  readonly low: number;
  readonly high: number;
}

export class QueryPages {
  readonly #statements: Record<ListOrder, Statements>;

  constructor(database: DatabaseSync) {
    const prepare = (order: ListOrder) =>
      Object.fromEntries(
        Object.entries(pageStatements[order]).map(([name, sql]) => [name, prepareForArrays(database, sql)]),
      ) as Statements;
    this.#statements = { asc: prepare("asc"), desc: prepare("desc") };
  }

  /** Returns the IDs of the queries that match the filter, in its order, up to its limit. */
  async ids(filter: QueryFilter, clusters: readonly ClusterRange[]): Promise<number[]> {
    if (isUnfiltered(filter)) return this.#read("all", filter.order, { ...bounds(filter, 0), limit: filter.limit });
    const { labelPrefix = "" } = filter;
    const search: Search = {
      filter,
      clusters: clusters.filter(({ name }) => matchesCluster(filter, name)),
      statuses: filter.statuses ?? queryStatuses,
      types: filter.type === undefined ? queryTypes : [filter.type],
      label: labelPrefix === "" ? undefined : { label: labelPrefix, labelEnd: endOfPrefix(labelPrefix) },
    };
    if (search.label === undefined) return this.#byState(search, "byState");
    const isNarrow = filter.statuses !== undefined || filter.type !== undefined || filter.clusterRebooted !== undefined;
    if (isNarrow && this.#areFew(search)) return this.#byState(search, "byStateWithLabel");
    return this.#haveFewLabels(search) ? inOrder(search, this.#labels(search, "byLabel", {})) : this.#byBlocks(search);
  }

  /** Returns true when few queries of the clusters have the label, whatever else the filter says. */
  #haveFewLabels({ filter, clusters, label }: Search): boolean {
    const labelled = clusters.flatMap(({ name }) =>
      this.#read("labelled", filter.order, { ...label, cluster: name, limit: fewLimit }),
    );
    return labelled.length < fewLimit;
  }

  /** Returns true when few queries have what the filter says besides the label, such as the status `running`. */
  #areFew(search: Search): boolean {
    const { filter } = search;
    return (
      this.#byState({ ...search, label: undefined, filter: { ...filter, limit: fewLimit } }, "byState").length <
      fewLimit
    );
  }

  async #byBlocks(search: Search): Promise<number[]> {
    const { filter } = search;
    const ranges = search.clusters.map(({ rebootedTo }) => bounds(filter, rebootedTo));
    const low = Math.min(...ranges.map((range) => range.low));
    const high = Math.max(...ranges.map((range) => range.high));
    const [last] = this.#read("last", filter.order, {});
    const [first, end] = [blockOf(low + 1), blockOf(Math.min(high - 1, last ?? 0))];
    const found: number[] = [];
    for (let count = 0; count <= end - first && found.length < filter.limit; count += 1) {
      if (count > 0) await nextTurn();
      const block = filter.order === "asc" ? first + count : end - count;
      found.push(...inOrder(search, this.#labels(search, "byLabelInBlock", { block })));
    }
    return found.slice(0, filter.limit);
  }

  #labels({ filter, clusters, statuses, types, label }: Search, statement: StatementName, more: NamedValues): number[] {
    const values = { ...label, ...numberedValues("status", statuses, 4), ...numberedValues("type", types, 2), ...more };
    return clusters.flatMap(({ name, rebootedTo }) =>
      this.#read(statement, filter.order, { ...values, cluster: name, ...bounds(filter, rebootedTo) }),
    );
  }

  #byState(search: Search, statement: "byState" | "byStateWithLabel"): number[] {
    const { filter, clusters, statuses, types, label } = search;
    const found = clusters.flatMap(({ name, rebootedTo }) => {
      const values = { cluster: name, ...label, ...bounds(filter, rebootedTo), limit: filter.limit };
      return statuses.flatMap((status) =>
        types.flatMap((type) => this.#read(statement, filter.order, { ...values, status, type })),
      );
    });
    return inOrder(search, found);
  }

  #read(statement: StatementName, order: ListOrder, values: NamedValues): number[] {
    return (this.#statements[order][statement].all(values) as unknown as [id: number][]).map(([id]) => id);
  }
}

/** Prepares a statement whose rows are arrays, which take half the time of objects. */
function prepareForArrays(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

function inOrder({ filter: { order, limit } }: Search, ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => (order === "asc" ? a - b : b - a)).slice(0, limit);
}

function isUnfiltered({
  statuses,
  type,
  labelPrefix = "",
  clusterName,
  clusterNamePrefix = "",
  clusterRebooted,
}: QueryFilter) {
  return (
    statuses === undefined &&
    type === undefined &&
    labelPrefix === "" &&
    clusterName === undefined &&
    clusterNamePrefix === "" &&
    clusterRebooted === undefined
  );
}

function matchesCluster({ clusterName, clusterNamePrefix = "" }: QueryFilter, name: string): boolean {
  return (clusterName === undefined || clusterName === name) && name.startsWith(clusterNamePrefix);
}

/** Returns the range of IDs that marker and clusterRebooted allow. */
function bounds({ order, marker, clusterRebooted }: QueryFilter, rebootedTo: number): Range {
  const low = Math.max(0, order === "asc" ? (marker ?? 0) : 0, clusterRebooted === false ? rebootedTo : 0);
  const high = Math.min(
    Number.MAX_SAFE_INTEGER,
    order === "desc" ? (marker ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
    clusterRebooted === true ? rebootedTo + 1 : Number.MAX_SAFE_INTEGER,
  );
  return { low, high };
}

/** Returns the exclusive upper bound, in code point order, of all texts with the prefix. */
function endOfPrefix(prefix: string): string {
  const codes = Array.from(prefix.toWellFormed(), (character) => character.codePointAt(0)!);
  while (codes.at(-1) === 0x10ffff) codes.pop();
  const last = codes.pop();
  // A prefix of U+10FFFF only has no successor: this text sorts after all labels of permitted length.
  if (last === undefined) return "\u{10ffff}".repeat(256);
  return String.fromCodePoint(...codes, last === 0xd7ff ? 0xe000 : last + 1);
}

function numberedValues(name: string, values: readonly string[], count: number): NamedValues {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, values[index] ?? ""]));
}

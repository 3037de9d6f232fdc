/**
 * Pages of the query list. Every statement reads an index and stops early, so that a page costs the same at a
 * thousand queries and at a million.
 *
 * Filters by cluster, status and type have few values: one index range is read for each combination, in the page's
 * order, and the ranges are merged here. Whether a cluster was restarted since is a limit on the id, so it narrows the
 * range. A label prefix that few labels have reads the range of those labels; one that many have finds its page among
 * the next queries in the order. Only many labels that all lie far away are read and sorted.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { queryStatuses, queryTypes, type ListOrder, type QueryStatus, type QueryType } from "../../provider/api";
import type { QueryFilter } from "../core/state";

/** A cluster that queries ran on, and the greatest id of those before its last restart. */
export interface ClusterRange {
  readonly name: string;
  readonly rebootedTo: number;
}

/** The statements of {@link QueryPages}, for the test that none of them scans. */
export const pageStatements = {
  asc: statementsOf("asc"),
  desc: statementsOf("desc"),
} as const satisfies Record<ListOrder, unknown>;

function statementsOf(order: ListOrder) {
  const ordered = `ORDER BY id ${order} LIMIT :limit`;
  const ids = "id > :low AND id < :high";
  const state = "cluster_name = :cluster AND status = :status AND type = :type";
  const label = "label >= :label AND label < :labelEnd";
  const byLabel = `SELECT id FROM queries INDEXED BY queries_by_label WHERE cluster_name = :cluster AND ${label}
    AND +status IN (:status0, :status1, :status2, :status3) AND +type IN (:type0, :type1) AND +${ids}`;
  return {
    all: `SELECT id FROM queries WHERE ${ids} ${ordered}`,
    last: "SELECT max(id) AS id FROM queries",
    byState: `SELECT id FROM queries WHERE ${state} AND ${ids} ${ordered}`,
    byStateWithLabel: `SELECT id FROM queries INDEXED BY queries_by_state WHERE ${state} AND ${label} AND ${ids} ${ordered}`,
    someByLabel: `${byLabel} LIMIT :limit`,
    byLabel: `${byLabel} ${ordered}`,
  };
}

/** Labels that a prefix may have to be read whole, and queries in the order that are looked through for others. */
const fewLabels = 10_000;
const lookedThrough = 50_000;

type StatementName = keyof (typeof pageStatements)["asc"];
type Statements = Record<StatementName, StatementSync>;
type Named = Record<string, string | number>;

/** A filter with its defaults filled in. */
interface Search {
  readonly filter: QueryFilter;
  readonly clusters: readonly ClusterRange[];
  readonly statuses: readonly QueryStatus[];
  readonly types: readonly QueryType[];
  readonly label: { readonly label: string; readonly labelEnd: string } | undefined;
}

/** Ids, both ends not included. */
interface Range {
  readonly low: number;
  readonly high: number;
}

export class QueryPages {
  readonly #statements: Record<ListOrder, Statements>;

  constructor(database: DatabaseSync) {
    const prepare = (order: ListOrder) =>
      Object.fromEntries(
        Object.entries(pageStatements[order]).map(([name, sql]) => [name, database.prepare(sql)]),
      ) as Statements;
    this.#statements = { asc: prepare("asc"), desc: prepare("desc") };
  }

  /** Ids of the queries that pass the filter, at most its limit, in its order. */
  ids(filter: QueryFilter, clusters: readonly ClusterRange[]): number[] {
    if (isUnfiltered(filter)) return this.#read("all", filter.order, { ...bounds(filter, 0), limit: filter.limit });
    const { labelPrefix = "" } = filter;
    const search: Search = {
      filter,
      clusters: clusters.filter(({ name }) => passes(filter, name)),
      statuses: filter.statuses ?? queryStatuses,
      types: filter.type === undefined ? queryTypes : [filter.type],
      label: labelPrefix === "" ? undefined : { label: labelPrefix, labelEnd: endOfPrefix(labelPrefix) },
    };
    // Few queries run at a time, so what runs is found faster by its status than by its label.
    const byState = search.label === undefined || search.statuses.every((status) => status === "running");
    return byState ? this.#byState(search) : this.#byLabel(search);
  }

  #byLabel(search: Search): number[] {
    const some = this.#labels(search, "someByLabel", fewLabels);
    if (some.length < fewLabels) return inOrder(search, some);
    const near = this.#byState(search, this.#next(search.filter));
    return near.length === search.filter.limit
      ? near
      : inOrder(search, this.#labels(search, "byLabel", search.filter.limit));
  }

  #labels({ filter, clusters, statuses, types, label }: Search, statement: StatementName, limit: number): number[] {
    const values = { ...label, ...fill("status", statuses, 4), ...fill("type", types, 2), limit };
    return clusters.flatMap(({ name, rebootedTo }) =>
      this.#read(statement, filter.order, { ...values, cluster: name, ...bounds(filter, rebootedTo) }),
    );
  }

  #byState(search: Search, within?: Range): number[] {
    const { filter, clusters, statuses, types, label } = search;
    const statement = label ? "byStateWithLabel" : "byState";
    const found = clusters.flatMap(({ name, rebootedTo }) => {
      const own = bounds(filter, rebootedTo);
      const range = within ? { low: Math.max(own.low, within.low), high: Math.min(own.high, within.high) } : own;
      const values = { cluster: name, ...label, ...range, limit: filter.limit };
      return statuses.flatMap((status) =>
        types.flatMap((type) => this.#read(statement, filter.order, { ...values, status, type })),
      );
    });
    return inOrder(search, found);
  }

  /** The next queries in the order that are looked through. */
  #next(filter: QueryFilter): Range {
    const { low, high } = bounds(filter, 0);
    if (filter.order === "asc") return { low, high: low + lookedThrough };
    const [last = 0] = this.#read("last", filter.order, {});
    return { low: Math.min(high, last) - lookedThrough, high };
  }

  #read(statement: StatementName, order: ListOrder, values: Named): number[] {
    return (this.#statements[order][statement].all(values) as { id: number }[]).map(({ id }) => id);
  }
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

function passes({ clusterName, clusterNamePrefix = "" }: QueryFilter, name: string): boolean {
  return (clusterName === undefined || clusterName === name) && name.startsWith(clusterNamePrefix);
}

/** The ids that marker and clusterRebooted leave, both ends not included. */
function bounds({ order, marker, clusterRebooted }: QueryFilter, rebootedTo: number): Range {
  const low = Math.max(0, order === "asc" ? (marker ?? 0) : 0, clusterRebooted === false ? rebootedTo : 0);
  const high = Math.min(
    Number.MAX_SAFE_INTEGER,
    order === "desc" ? (marker ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
    clusterRebooted === true ? rebootedTo + 1 : Number.MAX_SAFE_INTEGER,
  );
  return { low, high };
}

/** The first text, in the order of code points, after all that start with the prefix. */
function endOfPrefix(prefix: string): string {
  const codes = Array.from(prefix.toWellFormed(), (character) => character.codePointAt(0)!);
  while (codes.at(-1) === 0x10ffff) codes.pop();
  const last = codes.pop();
  // Nothing but U+10FFFF: no label that a client may send sorts after it, repeated.
  if (last === undefined) return "\u{10ffff}".repeat(256);
  return String.fromCodePoint(...codes, last === 0xd7ff ? 0xe000 : last + 1);
}

function fill(name: string, values: readonly string[], count: number): Named {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, values[index] ?? ""]));
}

/**
 * Pages of the query list. Every statement reads an index in the page's order and stops at the page's end, so that a
 * page costs the same at a thousand queries and at a million.
 *
 * Filters by cluster, status and type have few values: one index range is read for each combination and the ranges
 * are merged here. Whether a cluster was restarted since is a limit on the id, so it narrows the range. A label
 * prefix reads the range of its labels instead.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { queryStatuses, queryTypes, type ListOrder, type QueryStatus } from "../../provider/api";
import type { QueryFilter } from "../core/state";

/** A cluster that queries ran on, and the greatest id of those before its last restart. */
export interface ClusterRange {
  readonly name: string;
  readonly rebootedTo: number;
}

/** The statements of {@link QueryPages}, for the test that none of them scans. */
export const pageStatements = Object.fromEntries(
  (["asc", "desc"] as const).map((order) => {
    const page = `id > :low AND id < :high ORDER BY id ${order} LIMIT :limit`;
    const labelRange = "label >= :label AND label < :labelEnd";
    return [
      order,
      {
        all: `SELECT id FROM queries WHERE ${page}`,
        byState: `SELECT id FROM queries WHERE cluster_name = :cluster AND status = :status AND type = :type AND ${page}`,
        byStateWithLabel: `SELECT id FROM queries INDEXED BY queries_by_state
          WHERE cluster_name = :cluster AND status = :status AND type = :type AND ${labelRange} AND ${page}`,
        byLabel: `SELECT id FROM queries INDEXED BY queries_by_label
          WHERE cluster_name = :cluster AND ${labelRange}
          AND +status IN (:status0, :status1, :status2, :status3) AND +type IN (:type0, :type1) AND +${page}`,
      },
    ];
  }),
) as Record<ListOrder, Record<"all" | "byState" | "byStateWithLabel" | "byLabel", string>>;

type Named = Record<string, string | number>;
type Statements = Record<keyof (typeof pageStatements)["asc"], StatementSync>;

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
    const { order, limit, labelPrefix = "" } = filter;
    const statements = this.#statements[order];
    const statuses = filter.statuses ?? queryStatuses;
    const types = filter.type === undefined ? queryTypes : [filter.type];
    const read = (statement: StatementSync, values: Named) =>
      (statement.all({ ...values, limit }) as { id: number }[]).map(({ id }) => id);

    if (isUnfiltered(filter)) return read(statements.all, bounds(filter, 0));

    const label = labelPrefix === "" ? {} : { label: labelPrefix, labelEnd: endOfPrefix(labelPrefix) };
    const ids = clusters
      .filter(({ name }) => passes(filter, name))
      .flatMap(({ name, rebootedTo }) => {
        const range = { cluster: name, ...label, ...bounds(filter, rebootedTo) };
        // Few queries run at a time, so what runs is found faster by its status than by its label.
        if (labelPrefix !== "" && statuses.some((status) => status !== "running")) {
          return read(statements.byLabel, { ...range, ...fill("status", statuses, 4), ...fill("type", types, 2) });
        }
        const statement = labelPrefix === "" ? statements.byState : statements.byStateWithLabel;
        return statuses.flatMap((status: QueryStatus) =>
          types.flatMap((type) => read(statement, { ...range, status, type })),
        );
      });
    const sorted = [...new Set(ids)].sort((a, b) => (order === "asc" ? a - b : b - a));
    return sorted.slice(0, limit);
  }
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
function bounds({ order, marker, clusterRebooted }: QueryFilter, rebootedTo: number): { low: number; high: number } {
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

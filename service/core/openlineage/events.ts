/**
 * The OpenLineage events of a query: that of its start, and that of its end. They are made of records that do not change,
 * so an event that is sent again is the same.
 */
import { createHash } from "node:crypto";
import type { Column, Location } from "../../../contract";
import { outputFolder } from "../queries/output-folder";
import type { LineageRun } from "../ports/lineage-runs";
import type { StoredQuery } from "../ports/state";

/** Who sends the events, and where their jobs and datasets are. */
export interface EventSource {
  readonly namespace: string;
  /** URI of the program that sends them. */
  readonly producer: string;
}

/** A dataset that a query read. */
export interface InputDataset {
  readonly folder: Location;
  /** Its columns, when they are known. */
  readonly columns?: readonly Column[] | null;
}

const spec = "https://openlineage.io/spec";

const endTypes = { finished: "COMPLETE", error: "FAIL", canceled: "ABORT" } as const;

/** Returns the event of the start of a query. */
export function startEvent(source: EventSource, run: LineageRun, query: StoredQuery): object {
  const inputs = run.inputs.map((folder) => ({ folder }));
  return eventOf(source, { run, query, inputs, eventType: "START", time: query.startTime });
}

/** Returns the event of the end of a query that has ended. */
export function endEvent(
  source: EventSource,
  run: LineageRun,
  query: StoredQuery,
  inputs: readonly InputDataset[],
): object {
  const eventType = query.status === "running" ? "OTHER" : endTypes[query.status];
  return eventOf(source, { run, query, inputs, eventType, time: query.endTime ?? query.startTime });
}

/**
 * Returns the ID of a query's run, the same for every process and each time: a UUID of version 7 of the time at which the
 * query was accepted, in which a hash stands for the random part.
 */
function runIdOf(namespace: string, { id, startTime, clusterName }: RunIdentity): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([namespace, clusterName, id, startTime]))
    .digest();
  hash.writeUIntBE(startTime, 0, 6);
  hash[6] = (hash[6]! & 0x0f) | 0x70;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

type RunIdentity = Pick<StoredQuery, "id" | "startTime" | "clusterName">;

interface EventParts {
  readonly run: LineageRun;
  readonly query: StoredQuery;
  readonly inputs: readonly InputDataset[];
  readonly eventType: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

function eventOf({ namespace, producer }: EventSource, { run, query, inputs, eventType, time }: EventParts): object {
  const facet = (path: string, name: string) => ({ _producer: producer, _schemaURL: `${spec}/${path}#/$defs/${name}` });
  const schemaOf = (columns: readonly Column[] | null | undefined) =>
    columns && columns.length > 0
      ? {
          facets: {
            schema: {
              ...facet("facets/1-2-0/SchemaDatasetFacet.json", "SchemaDatasetFacet"),
              fields: columns.map(({ name, type }) => ({ name, type })),
            },
          },
        }
      : {};
  const isComplete = eventType === "COMPLETE";
  const target = outputFolder(query);
  return {
    eventType,
    eventTime: new Date(time).toISOString(),
    producer,
    schemaURL: `${spec}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
    run: {
      runId: runIdOf(namespace, query),
      facets: {
        ...(run.parent && {
          parent: {
            ...facet("facets/1-2-0/ParentRunFacet.json", "ParentRunFacet"),
            run: { runId: run.parent.runId },
            job: { namespace: run.parent.namespace, name: run.parent.name },
          },
        }),
        ...(eventType === "FAIL" && {
          errorMessage: {
            ...facet("facets/1-0-1/ErrorMessageRunFacet.json", "ErrorMessageRunFacet"),
            message: run.failure ?? "the reason is in the log of the query",
            programmingLanguage: "SQL",
          },
        }),
      },
    },
    job: {
      namespace,
      name: `${query.type}.${nameOf(target)}`,
      facets: {
        ...(query.type === "select" && {
          sql: { ...facet("facets/1-1-0/SQLJobFacet.json", "SQLJobFacet"), query: query.query, dialect: "hive" },
        }),
      },
    },
    inputs: inputs.map(({ folder, columns }) => ({ namespace, name: nameOf(folder), ...schemaOf(columns) })),
    outputs: [
      {
        namespace,
        name: nameOf(target),
        ...(isComplete && schemaOf(query.columns)),
        ...(isComplete &&
          query.rows !== null && {
            outputFacets: {
              outputStatistics: {
                ...facet("facets/1-0-2/OutputStatisticsOutputDatasetFacet.json", "OutputStatisticsOutputDatasetFacet"),
                rowCount: query.rows,
              },
            },
          }),
      },
    ],
  };
}

/** The name of a folder as a dataset, such as `analytics/daily`. */
function nameOf({ bucket, key }: Location): string {
  return `${bucket}/${key}`.replace(/\/$/, "");
}

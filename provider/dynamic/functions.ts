/** Functions that look at the service while the program runs, also at preview. */
import * as pulumi from "@pulumi/pulumi";
import type { ClusterRecord, ClusterStatistics, QueryRecord, QuerySummary } from "../api";
import type { Client, OperationRequest } from "../client";
import type { ConfigurationName } from "../lifecycles/configuration";

/** Arguments of a function: each may be the output of a resource, and so may all together. */
type Args<Given> = pulumi.Input<{ readonly [Key in keyof Given]: pulumi.Input<Given[Key]> }>;

/** A record with the fields that are known, so that an output of it can be asked for each by its name. */
type Known<Value> = Value extends readonly (infer Entry)[]
  ? Known<Entry>[]
  : Value extends object
    ? { [Key in keyof Value as string extends Key ? never : Key]: Known<Value[Key]> }
    : Value;

/** What of a list's parameters a program gives: paging is done by itself. */
type ListArgs<Name extends "listQueries" | "listClusters"> = Omit<OperationRequest<Name>, "max" | "marker">;

/** Which cluster. */
export interface GetClusterArgs {
  /** Name of the cluster (specification §2.2). */
  readonly clusterName: string;
}

/** Which query. */
export interface GetQueryArgs {
  /** Identifier of the query (specification §2.1). */
  readonly queryId: number;
}

/** Which queries; all where nothing is given (specification §4.3). */
export type GetQueriesArgs = ListArgs<"listQueries">;
/** Which clusters; all where nothing is given (specification §4.8). */
export type GetClustersArgs = ListArgs<"listClusters">;

/**
 * A cluster's record (specification §4.9).
 * @example
 * ```ts
 * export const status = dag.getCluster({ clusterName: "demo" }).status;
 * ```
 */
export function getCluster(args: Args<GetClusterArgs>): pulumi.Output<Known<ClusterRecord>> {
  return look("getCluster", args, (client, request) => client.getCluster(request));
}

/** Every cluster that the parameters select, of all pages (specification §4.8). */
export function getClusters(args: Args<GetClustersArgs> = {}): pulumi.Output<Known<ClusterRecord[]>> {
  return look("getClusters", args, (client, request) => everyOf(client.clusters(request)));
}

/** A cluster's disk figures in bytes (specification §4.10). */
export function getClusterStatistics(args: Args<GetClusterArgs>): pulumi.Output<Known<ClusterStatistics>> {
  return look("getClusterStatistics", args, (client, request) => client.getClusterStatistics(request));
}

/** A query's record (specification §4.4). */
export function getQuery(args: Args<GetQueryArgs>): pulumi.Output<Known<QueryRecord>> {
  return look("getQuery", args, (client, request) => client.getQuery(request));
}

/** Every query that the parameters select, of all pages, the newest first (specification §4.3). */
export function getQueries(args: Args<GetQueriesArgs> = {}): pulumi.Output<Known<QuerySummary[]>> {
  return look("getQueries", args, (client, request) => everyOf(client.queries(request)));
}

/** A select query's log (specification §4.6); gone once its cluster was restarted. */
export function getQueryLog(args: Args<GetQueryArgs>): pulumi.Output<string> {
  return look("getQueryLog", args, async (client, request) => (await client.getQueryLog(request)).log);
}

/** Calls the service once the arguments are known. */
function look<Given, Answer>(
  name: string,
  args: Args<Given>,
  call: (client: Client, request: Given) => Promise<Answer>,
): pulumi.Output<Known<Answer>> {
  return pulumi.output(args).apply(async (request) => {
    try {
      await using client = await programClient();
      return await call(client, request as Given);
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message?: string };
      throw new pulumi.RunError(`dag.${name}: ${code === undefined ? "" : `${code}: `}${message ?? String(error)}`);
    }
  }) as unknown as pulumi.Output<Known<Answer>>;
}

async function everyOf<Record>(records: AsyncIterable<Record>): Promise<Record[]> {
  const found: Record[] = [];
  for await (const record of records) found.push(record);
  return found;
}

/** A client of the service that the stack or the environment names. What it needs is loaded only when it is used. */
async function programClient(): Promise<Client> {
  const [{ Client }, { readConfiguration }] = await Promise.all([
    import("../client/index.js"),
    import("../lifecycles/configuration.js"),
  ]);
  const lookup = (key: ConfigurationName) => pulumi.runtime.getConfig(`dag:${key}`);
  return new Client(readConfiguration(lookup, process.env).client);
}

/** Functions that look at the service while the program runs, also at preview. */
import * as pulumi from "@pulumi/pulumi";
import type { ClusterRecord, ClusterStatistics, QueryRecord, QuerySummary } from "../../contract";
import type { Client, OperationRequest } from "../client";
import type { ConfigurationName } from "../lifecycles/configuration";
import type { FunctionName, functions } from "../lifecycles/functions";

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
  return look("getCluster", args, (found) => found);
}

/** Every cluster that the parameters select, of all pages (specification §4.8). */
export function getClusters(args: Args<GetClustersArgs> = {}): pulumi.Output<Known<ClusterRecord[]>> {
  return look("getClusters", args, ({ clusters }) => clusters);
}

/** A cluster's disk figures in bytes (specification §4.10). */
export function getClusterStatistics(args: Args<GetClusterArgs>): pulumi.Output<Known<ClusterStatistics>> {
  return look("getClusterStatistics", args, (found) => found);
}

/** A query's record (specification §4.4). */
export function getQuery(args: Args<GetQueryArgs>): pulumi.Output<Known<QueryRecord>> {
  return look("getQuery", args, (found) => found);
}

/** Every query that the parameters select, of all pages, the newest first (specification §4.3). */
export function getQueries(args: Args<GetQueriesArgs> = {}): pulumi.Output<Known<QuerySummary[]>> {
  return look("getQueries", args, ({ queries }) => queries);
}

/** A select query's log (specification §4.6); gone once its cluster was restarted. */
export function getQueryLog(args: Args<GetQueryArgs>): pulumi.Output<string> {
  return look("getQueryLog", args, ({ log }) => log);
}

type Functions = typeof functions;
type Request<Name extends FunctionName> = Parameters<Functions[Name]["call"]>[1];
type Answer<Name extends FunctionName> = Awaited<ReturnType<Functions[Name]["call"]>>;

/** Calls a function once its arguments are known, and picks its value of the answer. */
function look<Name extends FunctionName, Value>(
  name: Name,
  args: Args<Request<Name>>,
  pick: (answer: Answer<Name>) => Value,
): pulumi.Output<Known<Value>> {
  return pulumi.output(args).apply(async (request) => {
    try {
      return pick(await call(name, request as Request<Name>));
    } catch (error) {
      const { explain } = await import("../lifecycles/explanation.js");
      throw new pulumi.RunError(`dag.${name}: ${explain(error)}`);
    }
  }) as unknown as pulumi.Output<Known<Value>>;
}

/** Calls the service that the stack or the environment names. What it needs is loaded only when it is used. */
async function call<Name extends FunctionName>(name: Name, request: Request<Name>): Promise<Answer<Name>> {
  const [{ Client }, { readConfiguration }, { functions: found }] = await Promise.all([
    import("../client/index.js"),
    import("../lifecycles/configuration.js"),
    import("../lifecycles/functions.js"),
  ]);
  const lookup = (key: ConfigurationName) => pulumi.runtime.getConfig(`dag:${key}`);
  await using client = new Client(readConfiguration(lookup, process.env).client);
  const ask = found[name].call as (client: Client, request: Request<Name>) => Promise<Answer<Name>>;
  return await ask(client, request);
}

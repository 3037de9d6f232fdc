/** Functions that read from the service while the program runs, also during preview. */
import * as pulumi from "@pulumi/pulumi";
import type { ClusterRecord, ClusterStatistics, QueryLog, QueryRecord, QuerySummary } from "../client/types";
import type { Client } from "../client";
import type { OperationRequest } from "../client/operation-request";
import type { ConfigurationName } from "../lifecycles/configuration";
import type { FunctionName, functions } from "../lifecycles/functions";
import { runError } from "./run-error";

/** Arguments of a function. Each argument, and the whole object, may be an output of a resource. */
type Args<Given> = pulumi.Input<{ readonly [Key in keyof Given]: pulumi.Input<Given[Key]> }>;

/** A record with only its declared fields, so that an output of it has a property for each field. */
type DeclaredFields<Value> = Value extends readonly (infer Entry)[]
  ? DeclaredFields<Entry>[]
  : Value extends object
    ? { [Key in keyof Value as string extends Key ? never : Key]: DeclaredFields<Value[Key]> }
    : Value;

/** Parameters of a list, without those for paging, which is automatic. */
type ListArgs<Name extends "listQueries" | "listClusters"> = Omit<OperationRequest<Name>, "max" | "marker">;

/** Arguments of {@link getCluster} and {@link getClusterStatistics}. */
export interface GetClusterArgs {
  /** Name of the cluster. */
  readonly clusterName: string;
}

/** Arguments of {@link getQuery} and {@link getQueryLog}. */
export interface GetQueryArgs {
  /** Identifier of the query. */
  readonly queryId: number;
}

/** Filters of {@link getQueries}; all queries without filters. */
export type GetQueriesArgs = ListArgs<"listQueries">;
/** Filters of {@link getClusters}; all clusters without filters. */
export type GetClustersArgs = ListArgs<"listClusters">;

/**
 * Returns the record of a cluster.
 * @example
 * ```ts
 * export const status = dag.getCluster({ clusterName: "demo" }).status;
 * ```
 */
export function getCluster(args: Args<GetClusterArgs>): pulumi.Output<DeclaredFields<ClusterRecord>> {
  return invoke("getCluster", args);
}

/**
 * Returns all clusters that match the filters.
 * @example
 * ```ts
 * export const names = dag.getClusters({ status: ["norm"] }).clusters.apply((all) => all.map(({ name }) => name));
 * ```
 */
export function getClusters(
  args: Args<GetClustersArgs> = {},
): pulumi.Output<{ readonly clusters: DeclaredFields<ClusterRecord[]> }> {
  return invoke("getClusters", args);
}

/**
 * Returns the disk usage of the storage, which all clusters share, in bytes, in equal parts for the instances of the
 * cluster.
 */
export function getClusterStatistics(args: Args<GetClusterArgs>): pulumi.Output<DeclaredFields<ClusterStatistics>> {
  return invoke("getClusterStatistics", args);
}

/** Returns the record of a query. */
export function getQuery(args: Args<GetQueryArgs>): pulumi.Output<DeclaredFields<QueryRecord>> {
  return invoke("getQuery", args);
}

/** Returns all queries that match the filters, newest first. */
export function getQueries(
  args: Args<GetQueriesArgs> = {},
): pulumi.Output<{ readonly queries: DeclaredFields<QuerySummary[]> }> {
  return invoke("getQueries", args);
}

/** Returns the log of a select query. A restart of the cluster deletes it. */
export function getQueryLog(args: Args<GetQueryArgs>): pulumi.Output<DeclaredFields<QueryLog>> {
  return invoke("getQueryLog", args);
}

type Functions = typeof functions;
type Request<Name extends FunctionName> = Parameters<Functions[Name]["call"]>[1];
type Answer<Name extends FunctionName> = Awaited<ReturnType<Functions[Name]["call"]>>;

/** Calls a function once its arguments are known. */
function invoke<Name extends FunctionName>(
  name: Name,
  args: Args<Request<Name>>,
): pulumi.Output<DeclaredFields<Answer<Name>>> {
  const answer = pulumi.output(args).apply(async (request) => {
    if (isMocked()) return (await pulumi.runtime.invoke(`dag:index:${name}`, request)) as Answer<Name>;
    try {
      return await callFunction(name, request as Request<Name>);
    } catch (error) {
      const { describeError } = await import("../lifecycles/describe-error.js");
      const reason = describeError(error);
      // The client's own errors begin with the operation, which most functions are named after.
      const isNamed = reason.startsWith(`${name}: `) || reason.startsWith(`${name} at `);
      throw runError(isNamed ? `dag.${reason}` : `dag.${name}: ${reason}`);
    }
  });
  return reportedOnce(answer) as unknown as pulumi.Output<DeclaredFields<Answer<Name>>>;
}

/** Returns true in a unit test of a program, in which `pulumi.runtime.setMocks` answers instead of a service. */
function isMocked(): boolean {
  const monitor = pulumi.runtime.getMonitor() as object | undefined;
  return monitor !== undefined && "mocks" in monitor;
}

/** The promises of an output, which the SDK's types do not declare. */
interface OutputPromises {
  promise(): Promise<unknown>;
  readonly isKnown: Promise<boolean>;
  readonly isSecret: Promise<boolean>;
  apply(callback: (value: unknown) => unknown, runWithUnknowns?: boolean): object;
}

/**
 * Makes a failure of an output, or of one derived from it, reach the program as one unhandled rejection. Without this,
 * each promise of the output is one, and Node.js prints a warning when the engine awaits the promise later.
 */
function reportedOnce<Found extends object>(output: Found): Found {
  const promises = output as unknown as OutputPromises;
  promises.isKnown.catch(() => {});
  promises.isSecret.catch(() => {});
  // Nobody else has this promise, so nobody handles it later.
  void promises.promise().then(() => {});
  const { apply } = promises;
  const derive: OutputPromises["apply"] = (...given) => reportedOnce(apply.apply(promises, given));
  return Object.assign(output, { apply: derive });
}

/** Calls the service that the stack or the environment configures. Dependencies are loaded on first use. */
async function callFunction<Name extends FunctionName>(name: Name, request: Request<Name>): Promise<Answer<Name>> {
  const [{ Client }, { readConfiguration }, { functions: found }] = await Promise.all([
    import("../client/index.js"),
    import("../lifecycles/configuration.js"),
    import("../lifecycles/functions.js"),
  ]);
  const lookup = (key: ConfigurationName) => pulumi.runtime.getConfig(`dag:${key}`);
  await using client = new Client(readConfiguration(lookup, process.env).client);
  const call = found[name].call as (client: Client, request: Request<Name>) => Promise<Answer<Name>>;
  return await call(client, request);
}

/** Functions that read from the service. Front ends call them and convert the values. Lists fetch all pages. */
import * as z from "zod";
import { clusterRecord, clusterStatistics, fields, operations, queryLog, queryRecord } from "../../contract";
import type { CallOptions, Client, OperationRequest } from "../client";

/** A function of the provider. */
export interface ProviderFunction<Args = never> {
  readonly description: string;
  /** Schema of the arguments. */
  readonly args: z.ZodObject;
  /** Names of the results. During preview with unknown arguments, each of these results is unknown. */
  readonly results: readonly string[];
  /** Calls the service. The fields of the response are the function's results. */
  call(client: Client, args: Args, options?: CallOptions): Promise<object>;
}

const cluster = z.strictObject({ clusterName: fields.clusterName });
const query = z.strictObject({ queryId: fields.queryId });
const paging = { max: true, marker: true } as const;

type ListArgs<Name extends "listQueries" | "listClusters"> = Omit<OperationRequest<Name>, "max" | "marker">;

/** Fields of both types of query. */
const queryFields = [...new Set(queryRecord.options.flatMap(({ shape }) => Object.keys(shape)))];

/** All functions, by name. */
export const functions = {
  getCluster: {
    description: "Returns the record of a cluster.",
    args: cluster,
    results: Object.keys(clusterRecord.shape),
    call: (client: Client, args: OperationRequest<"getCluster">, options?: CallOptions) =>
      client.getCluster(args, options),
  },
  getClusters: {
    description: "Returns all clusters that match the arguments.",
    args: operations.listClusters.parameters.omit(paging),
    results: ["clusters"],
    call: async (client: Client, args: ListArgs<"listClusters">, options?: CallOptions) => ({
      clusters: await Array.fromAsync(client.clusters(args, options)),
    }),
  },
  getClusterStatistics: {
    description:
      "Returns the disk usage of the storage, which all clusters share, in bytes, in equal parts for the instances of the cluster.",
    args: cluster,
    results: Object.keys(clusterStatistics.shape),
    call: (client: Client, args: OperationRequest<"getClusterStatistics">, options?: CallOptions) =>
      client.getClusterStatistics(args, options),
  },
  getQuery: {
    description: "Returns the record of a query.",
    args: query,
    results: queryFields,
    call: async (client: Client, args: OperationRequest<"getQuery">, options?: CallOptions) =>
      withoutNulls(await client.getQuery(args, options)),
  },
  getQueries: {
    description: "Returns all queries that match the arguments, newest first unless `order` is `asc`.",
    args: operations.listQueries.parameters.omit(paging),
    results: ["queries"],
    call: async (client: Client, args: ListArgs<"listQueries">, options?: CallOptions) => ({
      queries: await Array.fromAsync(client.queries(args, options), withoutNulls),
    }),
  },
  getQueryLog: {
    description: "Returns the log of a select query. A restart of the cluster deletes it.",
    args: query,
    results: Object.keys(queryLog.shape),
    call: (client: Client, args: OperationRequest<"getQueryLog">, options?: CallOptions) =>
      client.getQueryLog(args, options),
  },
} as const satisfies Record<string, ProviderFunction>;

export type FunctionName = keyof typeof functions;

/** Removes the fields that the service reports as null: schema.json declares them as absent. */
function withoutNulls<Found extends object>(found: Found): Found {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null)) as Found;
}

/** Returns a function by name, for front ends with untyped values. */
export function functionOf(name: string): ProviderFunction<object> | undefined {
  return Object.hasOwn(functions, name) ? (functions[name as FunctionName] as ProviderFunction<object>) : undefined;
}

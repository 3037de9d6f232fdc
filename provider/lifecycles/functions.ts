/** The functions that look at the service. Front ends call them and translate; lists page by themselves. */
import * as z from "zod";
import { clusterRecord, clusterStatistics, fields, operations, queryLog, queryRecord } from "../../contract";
import type { CallOptions, Client, OperationRequest } from "../client";

/** A function of the provider. */
export interface ProviderFunction<Args = never> {
  readonly description: string;
  /** Its arguments. */
  readonly args: z.ZodObject;
  /** Names of what it answers: of a preview that does not know the arguments, all that is known. */
  readonly results: readonly string[];
  /** Calls the service; the answer's fields are the function's results. */
  call(client: Client, args: Args, options?: CallOptions): Promise<object>;
}

const cluster = z.strictObject({ clusterName: fields.clusterName });
const query = z.strictObject({ queryId: fields.queryId });
const paging = { max: true, marker: true } as const;

type Listed<Name extends "listQueries" | "listClusters"> = Omit<OperationRequest<Name>, "max" | "marker">;

/** Of both kinds of query. */
const queryFields = [...new Set(queryRecord.options.flatMap(({ shape }) => Object.keys(shape)))];

/** Every function, by its name. */
export const functions = {
  getCluster: {
    description: "A cluster's record (specification §4.9).",
    args: cluster,
    results: Object.keys(clusterRecord.shape),
    call: (client: Client, args: OperationRequest<"getCluster">, options?: CallOptions) =>
      client.getCluster(args, options),
  },
  getClusters: {
    description: "Every cluster that the arguments select, of all pages (specification §4.8).",
    args: operations.listClusters.parameters.omit(paging),
    results: ["clusters"],
    call: async (client: Client, args: Listed<"listClusters">, options?: CallOptions) => ({
      clusters: await Array.fromAsync(client.clusters(args, options)),
    }),
  },
  getClusterStatistics: {
    description: "A cluster's disk figures in bytes (specification §4.10).",
    args: cluster,
    results: Object.keys(clusterStatistics.shape),
    call: (client: Client, args: OperationRequest<"getClusterStatistics">, options?: CallOptions) =>
      client.getClusterStatistics(args, options),
  },
  getQuery: {
    description: "A query's record (specification §4.4).",
    args: query,
    results: queryFields,
    call: (client: Client, args: OperationRequest<"getQuery">, options?: CallOptions) => client.getQuery(args, options),
  },
  getQueries: {
    description: "Every query that the arguments select, of all pages, the newest first (specification §4.3).",
    args: operations.listQueries.parameters.omit(paging),
    results: ["queries"],
    call: async (client: Client, args: Listed<"listQueries">, options?: CallOptions) => ({
      queries: await Array.fromAsync(client.queries(args, options)),
    }),
  },
  getQueryLog: {
    description: "A select query's log; gone once its cluster was restarted (specification §4.6).",
    args: query,
    results: Object.keys(queryLog.shape),
    call: (client: Client, args: OperationRequest<"getQueryLog">, options?: CallOptions) =>
      client.getQueryLog(args, options),
  },
} as const satisfies Record<string, ProviderFunction>;

export type FunctionName = keyof typeof functions;

/** A function by its name, for front ends that do not know the types of its values. */
export function functionOf(name: string): ProviderFunction<object> | undefined {
  return Object.hasOwn(functions, name) ? (functions[name as FunctionName] as ProviderFunction<object>) : undefined;
}

/**
 * Pulumi resources for the Query and Cluster Management Service: split tables, select queries, cluster restarts and log
 * exports, functions that look at the service, and its typed client.
 *
 * Configuration: `dag:endpoint`, `dag:accessKeyId` and `dag:secretAccessKey` of the stack, or `DAG_ENDPOINT`,
 * `DAG_ACCESS_KEY_ID` and `DAG_SECRET_ACCESS_KEY` of the environment; docs/resources.md has all keys.
 */
import type { Client as ClientType } from "./client";

export { ClusterLogExport } from "./dynamic/cluster-log-export";
export { ClusterRestart } from "./dynamic/cluster-restart";
export {
  getCluster,
  getClusters,
  getClusterStatistics,
  getQueries,
  getQuery,
  getQueryLog,
  type GetClusterArgs,
  type GetClustersArgs,
  type GetQueriesArgs,
  type GetQueryArgs,
} from "./dynamic/functions";
export { SelectQuery } from "./dynamic/select-query";
export { SplitTable } from "./dynamic/split-table";
export type {
  ClusterLogExportArgs,
  ClusterRestartArgs,
  ObjectList,
  QueryResult,
  ResultObject,
  SelectQueryArgs,
  SplitTableArgs,
} from "./dynamic/types";
export type { CallOptions, ClientOptions, QueryWait, Timeouts } from "./client";
export type { ClusterRecord, ClusterStatistics, QueryLog, QueryRecord, QuerySummary } from "../contract";

/** The typed client, for scripts and tests; resources and functions have their own. */
export type Client = ClientType;
/** The typed client, for scripts and tests; resources and functions have their own. */
export declare const Client: typeof ClientType;

// Programs seldom use the client, and what it needs takes long to load. The form is one that Node recognises as a name
// to import from an ES module.
const late = {
  get Client() {
    return (require("./client") as typeof import("./client")).Client;
  },
};
Object.defineProperty(exports, "Client", {
  enumerable: true,
  get: function () {
    return late.Client;
  },
});

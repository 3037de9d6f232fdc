/**
 * Pulumi resources for the Query and Cluster Management Service (split tables, select queries, cluster restarts and log
 * exports), functions that read from the service, and a typed client.
 *
 * Configuration: `dag:endpoint`, `dag:accessKeyId` and `dag:secretAccessKey` of the stack, or `DAG_ENDPOINT`,
 * `DAG_ACCESS_KEY_ID` and `DAG_SECRET_ACCESS_KEY` of the environment; docs/resources.md lists all keys.
 */
// oxlint-disable-next-line no-unassigned-import -- it must run before the other modules are loaded
import "./client/require-node";
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
  Expectation,
  ExpectedRows,
  ObjectList,
  QueryResult,
  ResultObject,
  SelectQueryArgs,
  SplitTableArgs,
} from "./dynamic/types";
export type { CallOptions, ClientOptions, QueryWait, Timeouts } from "./client";
export type { ClusterRecord, ClusterStatistics, QueryLog, QueryRecord, QuerySummary } from "./client/types";

/** The typed client, for scripts and tests. Resources and functions create their own. */
export type Client = ClientType;
/** The typed client, for scripts and tests. Resources and functions create their own. */
export declare const Client: typeof ClientType;

// The client is loaded on first use, because few programs need it and its dependencies load slowly. Node's CommonJS
// lexer recognises this form of defineProperty, so ES modules can import the name.
const lazy = {
  get Client() {
    return (require("./client") as typeof import("./client")).Client;
  },
};
Object.defineProperty(exports, "Client", {
  enumerable: true,
  get: function () {
    return lazy.Client;
  },
});

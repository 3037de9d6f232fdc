/** The handlers of the operations, by operation name: each passes the decoded request to the core. */
import type { OperationName, ResponseBody } from "../../contract";
import { getCluster, getClusterStatistics, listClusters, restartCluster } from "../core/clusters/cluster-operations";
import { exportClusterLog } from "../core/clusters/log-export";
import { cancelQuery, getQuery, getQueryLog, listQueries } from "../core/queries/query-operations";
import { submitSelect, submitSplit } from "../core/queries/submissions";
import type { Caller, ServiceContext } from "../core/service-context";
import type { DecodedRequest } from "./decode";

type Answer<Name extends OperationName> = ResponseBody<Name> extends undefined ? void : ResponseBody<Name>;

export type Handlers = {
  readonly [Name in OperationName]: (
    context: ServiceContext,
    request: DecodedRequest<Name>,
    caller: Caller,
  ) => Answer<Name> | Promise<Answer<Name>>;
};

export const handlers: Handlers = {
  submitSelect: (context, { body }, caller) => submitSelect(context, body, caller),
  submitSplit: (context, { body }, caller) => submitSplit(context, body, caller),
  listQueries: (context, { parameters }) => listQueries(context, parameters),
  getQuery: (context, { queryId }) => getQuery(context, queryId),
  cancelQuery: (context, { queryId }) => cancelQuery(context, queryId),
  getQueryLog: (context, { queryId }) => getQueryLog(context, queryId),
  restartCluster: (context, { clusterName, body }) => restartCluster(context, clusterName, body),
  listClusters: (context, { parameters }) => listClusters(context, parameters),
  getCluster: (context, { clusterName }) => getCluster(context, clusterName),
  getClusterStatistics: (context, { clusterName }) => getClusterStatistics(context, clusterName),
  exportClusterLog: (context, { clusterName, body }) => exportClusterLog(context, clusterName, body),
};

/** One handler for each operation, named as the operation: from the decoded request to the core. */
import type { OperationName, ResponseBody } from "../../provider/api";
import { getCluster, getClusterStatistics, listClusters, restartCluster } from "../core/clusters";
import { exportClusterLog } from "../core/log-export";
import { cancelQuery, getQuery, getQueryLog, listQueries } from "../core/queries";
import { submitSelect, submitSplit } from "../core/submissions";
import type { Caller, World } from "../core/world";
import type { DecodedRequest } from "./decode";

type Answer<Name extends OperationName> = ResponseBody<Name> extends undefined ? void : ResponseBody<Name>;

export type Handlers = {
  readonly [Name in OperationName]: (
    world: World,
    request: DecodedRequest<Name>,
    caller: Caller,
  ) => Answer<Name> | Promise<Answer<Name>>;
};

export const handlers: Handlers = {
  submitSelect: (world, { body }, caller) => submitSelect(world, body, caller),
  submitSplit: (world, { body }, caller) => submitSplit(world, body, caller),
  listQueries: (world, { parameters }) => listQueries(world, parameters),
  getQuery: (world, { queryId }) => getQuery(world, queryId),
  cancelQuery: (world, { queryId }) => cancelQuery(world, queryId),
  getQueryLog: (world, { queryId }) => getQueryLog(world, queryId),
  restartCluster: (world, { clusterName, body }) => restartCluster(world, clusterName, body),
  listClusters: (world, { parameters }) => listClusters(world, parameters),
  getCluster: (world, { clusterName }) => getCluster(world, clusterName),
  getClusterStatistics: (world, { clusterName }) => getClusterStatistics(world, clusterName),
  exportClusterLog: (world, { clusterName, body }) => exportClusterLog(world, clusterName, body),
};

/**
 * One call of each operation with its answer, for docs/api.md. test/contract/service/api-examples.test.ts sends these
 * calls to a service and compares the answers, so the page cannot show what the service does not do.
 */

/** A call and its answer. */
export interface ApiExample {
  /** Path and query string. */
  readonly target: string;
  readonly body?: object;
  /** Body of the answer; absent when it is empty. */
  readonly answer?: object;
}

const statement = "SELECT kind, count(*) AS n FROM analytics.events GROUP BY kind";

const select = {
  id: 2,
  type: "select",
  processEngine: "mapreduce",
  dsl: "hive",
  status: "finished",
  clusterName: "demo",
  clusterRebooted: false,
  accessKeyId: "DAG0EXAMPLE",
  startTime: "2026-11-20 13:46:11",
  progress: "100%",
  label: "daily report",
  stage: 2,
  query: statement,
};

const cluster = {
  name: "demo",
  status: "norm",
  type: "duckdb",
  instances: [{ grade: "small", quantity: 3 }],
  debug: false,
};

/** In an order in which they can be sent: query 1 is the split, query 2 the select, query 3 is cancelled. */
export const apiExamples = {
  submitSplit: {
    target: "/v1/?split",
    body: {
      clusterName: "demo",
      inputObjectKeys: ["dag://raw/2026/events.csv"],
      outputDatabase: "analytics",
      outputTable: "events",
      schema: "timestamp at, string kind, bigint bytes",
    },
    answer: { queryId: 1 },
  },
  submitSelect: {
    target: "/v1/?select",
    body: {
      clusterName: "demo",
      query: statement,
      outputResourcePath: "dag://reports/daily/",
      label: "daily report",
    },
    answer: { queryId: 2 },
  },
  listQueries: {
    target: "/v1/?query&status=finished,error&max=1",
    answer: { nextMarker: 2, isTruncated: true, queries: [select] },
  },
  getQuery: {
    target: "/v1/2?query",
    answer: { ...select, outputFormat: "csv", outputResourcePath: "dag://reports/daily/" },
  },
  getQueryLog: {
    target: "/v1/2/log?query",
    answer: { log: "2026-11-20T13:46:11.530Z running on duckdb: select to dag://reports/daily/ as csv\n…" },
  },
  cancelQuery: { target: "/v1/3?query" },
  listClusters: { target: "/v1/?clusterManagement", answer: { isTruncated: false, clusters: [cluster] } },
  getCluster: { target: "/v1/demo?clusterManagement", answer: cluster },
  getClusterStatistics: {
    target: "/v1/demo/statistics?clusterManagement",
    answer: {
      name: "demo",
      type: "duckdb",
      disk: { used: 1_048_576, capacity: 107_374_182_400 },
      instances: [
        {
          instanceId: 1,
          grade: "small",
          disk: { dfsUsed: 349_526, nonDfsUsed: 12_884_901_888, capacity: 107_374_182_400 },
        },
      ],
    },
  },
  exportClusterLog: {
    target: "/v1/demo/log?clusterManagement",
    body: { outputLogPath: "dag://reports/logs/", compress: true },
  },
  restartCluster: { target: "/v1/demo?clusterManagement", body: { force: true, debug: false } },
} as const satisfies Readonly<Record<string, ApiExample>>;

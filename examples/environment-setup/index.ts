import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");
const debug = config.requireBoolean("debug");

// Exports the logs first, because a restart deletes the logs of the cluster's queries.
const logs = new dag.ClusterLogExport("logs-before", {
  clusterName,
  outputLogPath: `dag://${bucket}/logs/before/`,
  compress: true,
});

// Waits until no query runs, then restarts. If `debug` was changed by hand, `pulumi up --refresh` restores it.
const cluster = new dag.ClusterRestart("cluster", { clusterName, debug, drain: true }, { dependsOn: logs });

/** The columns of each table. */
const schemas = {
  customers: "bigint id, string name, string country",
  orders: "bigint id, bigint customer, date day, decimal(10,2) amount",
};

const tables = Object.entries(schemas).map(
  ([outputTable, schema]) =>
    new dag.SplitTable(
      outputTable,
      {
        clusterName,
        inputObjectKeys: [`dag://${bucket}/raw/${outputTable}.csv`],
        outputDatabase: bucket,
        outputTable,
        schema,
      },
      { dependsOn: cluster },
    ),
);

// Waits for both tables without dependsOn, because it reads them.
const check = new dag.SelectQuery("check", {
  clusterName,
  query: `
    SELECT c.country, count(*) AS orders, sum(o.amount) AS amount
    FROM ${bucket}.orders o JOIN ${bucket}.customers c ON o.customer = c.id
    GROUP BY c.country
    ORDER BY country`,
  outputResourcePath: `dag://${bucket}/results/check/`,
});

export const status = cluster.status;
export const names = tables.map(({ qualifiedName }) => qualifiedName);
export const checked = check.location;

import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");

// Reads the query; the program neither runs nor deletes it.
const earlier = dag.SelectQuery.get("earlier", config.require("queryId"));

// Adopts the existing table, because a split with the same inputs created it. Other inputs are an error, and the table
// stays unchanged.
const visits = new dag.SplitTable("visits", {
  clusterName,
  inputObjectKeys: [`dag://${bucket}/raw/visits.csv`],
  outputDatabase: bucket,
  outputTable: "visits",
  schema: "string page, int seconds",
});

const pages = new dag.SelectQuery("pages", {
  clusterName,
  query: pulumi.interpolate`SELECT page, count(*) AS visits FROM ${visits.qualifiedName} GROUP BY page ORDER BY page`,
  outputResourcePath: `dag://${bucket}/results/pages/`,
});

export const earlierResult = earlier.location;
export const earlierStatement = earlier.query;
export const table = { name: visits.qualifiedName, madeByQuery: visits.queryId };
export const result = pages.location;

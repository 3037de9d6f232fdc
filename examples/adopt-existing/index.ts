import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");

// Only looked at: the program neither runs nor deletes it.
const earlier = dag.SelectQuery.get("earlier", config.require("queryId"));

// Made of the very same inputs as the table that is there: it is taken over. Any other inputs would be an error, and
// the table stays as it is.
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

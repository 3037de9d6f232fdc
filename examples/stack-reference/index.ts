import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");

// The stack that makes the tables, such as "organization/dag-pipeline/dev".
const pipeline = new pulumi.StackReference(config.require("pipeline"));

// Reads a table of the other stack. The other stack's queries are the trigger: when one of them ran again, so does this.
const latest = new dag.SelectQuery("latest", {
  clusterName,
  query: `SELECT customer, max(day) AS day FROM ${bucket}.cleaned GROUP BY customer ORDER BY customer`,
  outputResourcePath: `dag://${bucket}/latest/`,
  triggers: [pipeline.requireOutput("queryIds")],
  resultRows: 10,
});

export const rows = latest.result.apply((found) => found?.rows);

import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");

const articles = new dag.SplitTable("articles", {
  clusterName,
  inputObjectKeys: [`dag://${bucket}/raw/articles.csv`],
  outputDatabase: bucket,
  outputTable: "articles",
  schema: "string code, string name, string size, decimal(10,2) price",
  deletionPolicy: "purge",
});

// The first layer, in csv. Its folder is the table `names`, with the columns `code`, `name` and `size`: all strings.
const names = new dag.SelectQuery("names", {
  clusterName,
  query: pulumi.interpolate`SELECT code, name, size FROM ${articles.qualifiedName}`,
  outputResourcePath: `dag://${bucket}/names/`,
  outputFormat: "csv",
  deletionPolicy: "purge",
});

// The second layer, in tsv. It waits for `names`, whose table it reads, without dependsOn.
const offers = new dag.SelectQuery("offers", {
  clusterName,
  query: pulumi.interpolate`
    SELECT n.code, n.name, n.size, cast(a.price * 0.9BD AS decimal(10,2)) AS offer
    FROM ${bucket}.names n JOIN ${articles.qualifiedName} a ON n.code = a.code`,
  outputResourcePath: `dag://${bucket}/offers/`,
  outputFormat: "tsv",
  deletionPolicy: "purge",
});

// The third layer computes with the type that the second has: `offer` is a decimal(10,2).
const shelf = new dag.SelectQuery("shelf", {
  clusterName,
  query: `SELECT name, size, offer, offer + 10 AS delivered FROM ${bucket}.offers ORDER BY offer DESC`,
  outputResourcePath: `dag://${bucket}/shelf/`,
  deletionPolicy: "purge",
  resultRows: 10,
  expect: { rows: { min: 1 }, columns: ["name", "size", "offer", "delivered"] },
});

export const rows = shelf.result.apply((found) => found?.rows);
export const queryIds = pulumi.all([articles, names, offers, shelf].map(({ queryId }) => queryId));

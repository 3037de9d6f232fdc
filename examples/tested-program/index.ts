import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const clusterName = new pulumi.Config().get("cluster") ?? "demo";

const orders = new dag.SplitTable("orders", {
  clusterName,
  inputObjectKeys: ["dag://shop/raw/orders.csv"],
  outputDatabase: "shop",
  outputTable: "orders",
  schema: "string region, double amount",
});

const regions = new dag.SelectQuery("regions", {
  clusterName,
  query: pulumi.interpolate`SELECT region, sum(amount) AS amount FROM ${orders.qualifiedName} GROUP BY region ORDER BY amount DESC`,
  outputResourcePath: "dag://shop/results/regions/",
  resultRows: 10,
});

/** Whether the cluster accepts queries. */
export const clusterStatus = dag.getCluster({ clusterName }).status;
/** The region with the greatest amount; undefined without orders. */
export const bestRegion = regions.result.apply((result) => result?.rows?.[0]?.[0] ?? undefined);

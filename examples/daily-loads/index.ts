import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");
const days = config.require("days").split(",");

const loads = days.map((day) => {
  // The gate: looks for bad rows and must find none. Otherwise the deployment fails, and the day is not loaded.
  const gate = new dag.SelectQuery(`check-${day}`, {
    clusterName,
    query: `SELECT id FROM ${bucket}.raw WHERE dt = '${day}' AND (customer IS NULL OR trim(customer) = '' OR amount <= 0)`,
    outputResourcePath: `dag://${bucket}/checks/dt=${day}/`,
    expect: { rows: { max: 0 } },
  });
  // One query a day, each into a partition of the table `orders`. A new day runs one load; the others stay.
  return new dag.SelectQuery(
    `load-${day}`,
    {
      clusterName,
      query: `SELECT id, trim(customer) AS customer, amount FROM ${bucket}.raw WHERE dt = '${day}'`,
      outputResourcePath: `dag://${bucket}/orders/dt=${day}/`,
      deletionPolicy: "purge", // a day that leaves the list leaves the table
      expect: { rows: { min: 1 } },
    },
    { dependsOn: gate },
  );
});

export const queryIds = loads.map(({ queryId }) => queryId);

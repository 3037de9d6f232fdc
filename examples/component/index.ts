import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";
import { Sightings } from "./sightings";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");

const [north, south] = ["north", "south"].map((region) => new Sightings(region, { clusterName, bucket, region }));

// It reads the tables of both components, by their names, and so waits for them.
const all = new dag.SelectQuery("all", {
  clusterName,
  query: pulumi.interpolate`
    SELECT bird, sum(seen) AS seen
    FROM (SELECT * FROM ${north!.table} UNION ALL SELECT * FROM ${south!.table}) regions
    GROUP BY bird ORDER BY bird`,
  outputResourcePath: `dag://${bucket}/reports/all/`,
  resultRows: 20,
  deletionPolicy: "purge",
});

export const birds = { north: north!.birds, south: south!.birds, all: all.result.apply((result) => result?.rows) };
export const months = { north: north!.months, south: south!.months };

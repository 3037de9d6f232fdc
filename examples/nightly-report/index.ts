import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");

/** The date triggers the reports: a new day runs all of them again, a second `pulumi up` on the same day runs none. */
const date = config.get("date") ?? new Date().toISOString().slice(0, 10);

const countries = ["at", "be", "ch", "de", "dk", "es", "fi", "fr", "ie", "it"];
const measures = {
  orders: "count(*) AS orders, count(DISTINCT customer) AS customers",
  revenue: "round(sum(amount), 2) AS revenue, round(avg(amount), 2) AS average",
};

// The provider submits the reports when the cluster has a free slot, so none fails because the cluster is busy.
const reports = countries.flatMap((country) =>
  Object.entries(measures).map(
    ([measure, columns]) =>
      new dag.SelectQuery(`${measure}-${country}`, {
        clusterName,
        query: `SELECT kind, ${columns} FROM ${bucket}.orders WHERE country = '${country}' GROUP BY kind ORDER BY kind`,
        outputResourcePath: `dag://${bucket}/reports/${measure}/${country}/`,
        label: `nightly ${measure} ${country}`,
        triggers: [date],
      }),
  ),
);

export const reportDate = date;
export const queryIds = reports.map(({ queryId }) => queryId);
export const locations = reports.map(({ location }) => location);

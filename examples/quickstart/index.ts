import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
/** The cluster that runs everything. */
const clusterName = config.get("cluster") ?? "demo";
/** The bucket of the inputs and the results; the database has the same name. */
const bucket = config.get("bucket") ?? "quickstart";

// Splits one large log into a table: objects of 100 MB that queries read in parallel. When the log has changed,
// `pulumi up --refresh` rebuilds the table, and the query that reads it runs again.
const events = new dag.SplitTable("events", {
  clusterName,
  inputObjectKeys: [`dag://${bucket}/raw/events.csv`],
  outputDatabase: bucket,
  outputTable: "events",
  schema: "timestamp event_time, bigint user_id, string country, string kind, double amount, string message",
  rerunOnInputChange: true,
  deletionPolicy: "purge",
});

// Waits for the table without dependsOn, because it reads it.
const daily = new dag.SelectQuery("events-per-day", {
  clusterName,
  query: pulumi.interpolate`
    SELECT to_date(event_time) AS day, kind, count(*) AS events, round(sum(amount), 2) AS amount
    FROM ${events.qualifiedName}
    GROUP BY to_date(event_time), kind
    ORDER BY day, kind`,
  outputResourcePath: `dag://${bucket}/results/events-per-day/`,
  resultRows: 10,
  expect: { rows: { min: 1 } },
});

// A folder with a CSV file is a table without a split; the header row names the columns.
const strikes = new dag.SelectQuery("strikes-per-airport", {
  clusterName,
  query:
    "SELECT `Airport Name`, count(*) AS strikes, sum(CAST(`Cost Total $` AS bigint)) AS cost " +
    `FROM ${bucket}.birdstrikes GROUP BY \`Airport Name\` ORDER BY strikes DESC, \`Airport Name\` LIMIT 10`,
  outputResourcePath: `dag://${bucket}/results/strikes-per-airport/`,
  resultRows: 10,
});

const logs = new dag.ClusterLogExport(
  "logs",
  { clusterName, outputLogPath: `dag://${bucket}/logs/`, compress: true },
  { dependsOn: [daily, strikes] },
);

// Comes last: a restart ends running queries and deletes the logs of earlier ones.
const restart = new dag.ClusterRestart("restart", { clusterName }, { dependsOn: [daily, strikes, logs] });

const resultOf = ({ queryId, location, result }: dag.SelectQuery) => ({
  queryId,
  location,
  rows: result.apply((found) => found?.rows),
});

export const table = { name: events.qualifiedName, location: events.location, queryId: events.queryId };
export const eventsPerDay = resultOf(daily);
export const strikesPerAirport = resultOf(strikes);
export const restartedCluster = restart.id;

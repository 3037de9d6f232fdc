import * as dag from "pulumi-dag";

// Cuts the raw log into 100 MB objects and makes them the table quickstart.clicks.
// The log has no header row: with a schema, every row is data.
const clicks = new dag.SplitTable("clicks", {
  clusterName: "demo",
  inputObjectKeys: ["dag://quickstart/raw/events.csv"],
  outputDatabase: "quickstart",
  outputTable: "clicks",
  schema: "timestamp event_time, bigint user_id, string country, string kind, double amount, string message",
});

// Runs after the split, once; replaced when the statement or a trigger changes. A misspelt column fails the preview.
const daily = new dag.SelectQuery("daily", {
  clusterName: "demo",
  query:
    "SELECT to_date(event_time) AS day, kind, count(*) AS n FROM quickstart.clicks GROUP BY to_date(event_time), kind",
  outputResourcePath: "dag://quickstart/reports/daily/",
  resultRows: 10,
});

export const table = clicks.qualifiedName;
export const rows = daily.result.apply((result) => result?.rows);

import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const clusterName = config.require("cluster");
const bucket = config.require("bucket");

// Every file of the folder. A new file, and a changed one, rebuilds the table after `pulumi up --refresh`.
const orders = new dag.SplitTable("orders", {
  clusterName,
  inputObjectKeys: [`dag://${bucket}/raw/orders/*.csv`],
  outputDatabase: bucket,
  outputTable: "orders",
  schema: "bigint id, bigint customer, date day, decimal(10,2) amount",
  rerunOnInputChange: true,
  deletionPolicy: "purge",
});

const customers = new dag.SplitTable("customers", {
  clusterName,
  inputObjectKeys: [`dag://${bucket}/raw/customers.csv`],
  outputDatabase: bucket,
  outputTable: "customers",
  schema: "bigint id, string name, string country",
  rerunOnInputChange: true,
  deletionPolicy: "purge",
});

// Runs again when the table `orders` was rebuilt. Its result is a table, too: its folder is in the bucket.
const cleaned = new dag.SelectQuery("cleaned", {
  clusterName,
  query: pulumi.interpolate`SELECT id, customer, day, amount FROM ${orders.qualifiedName} WHERE amount > 0`,
  outputResourcePath: `dag://${bucket}/cleaned/`,
  expect: { rows: { min: 1 }, columns: ["id", "customer", "day", "amount"] },
});

// The table of a result has the columns of its query. The reports wait for `cleaned` without dependsOn.
const months = new dag.SelectQuery("months", {
  clusterName,
  query: `
    SELECT substr(CAST(day AS string), 1, 7) AS month, sum(amount) AS amount
    FROM ${bucket}.cleaned
    GROUP BY substr(CAST(day AS string), 1, 7)
    ORDER BY month`,
  outputResourcePath: `dag://${bucket}/reports/months/`,
  resultRows: 12,
  expect: { rows: { min: 1, max: 12 }, columns: ["month", "amount"] },
});

const countries = new dag.SelectQuery("countries", {
  clusterName,
  query: `
    SELECT c.country, count(*) AS orders, sum(o.amount) AS amount
    FROM ${bucket}.cleaned o JOIN ${bucket}.customers c ON o.customer = c.id
    GROUP BY c.country
    ORDER BY country`,
  outputResourcePath: `dag://${bucket}/reports/countries/`,
  resultRows: 10,
  expect: { rows: { min: 1 } },
});

// Looks for bad rows: it must find none. It does not read the orders, so a new order does not run it again.
const nameless = new dag.SelectQuery("nameless", {
  clusterName,
  query: pulumi.interpolate`SELECT id FROM ${customers.qualifiedName} WHERE name IS NULL OR trim(name) = ''`,
  outputResourcePath: `dag://${bucket}/reports/nameless/`,
  expect: { rows: { max: 0 } },
});

const rowsOf = ({ result }: dag.SelectQuery) => result.apply((found) => found?.rows);

export const amountByMonth = rowsOf(months);
export const amountByCountry = rowsOf(countries);
export const queryIds = pulumi.all([orders, customers, cleaned, months, countries, nameless].map((one) => one.queryId));

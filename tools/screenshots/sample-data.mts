/** The objects and queries that the pictures show. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pulumi-dag/client";

const customers = ["ada", "grace", "edsger", "barbara", "donald", "frances", "alan", "radia"];
const products = ["anvil", "bellows", "crucible", "drill", "easel", "file"];

/** One day of orders as CSV with a header. */
function orders(day: number): string {
  const rows = Array.from({ length: 400 }, (_, index) => {
    const n = day * 400 + index;
    const amount = ((n * 7919) % 24_000) / 100 + 3;
    const status = n % 11 === 0 ? "returned" : n % 3 === 0 ? "open" : "shipped";
    return `${n},${customers[n % 8]},${products[(n * 5) % 6]},${(n % 4) + 1},${amount.toFixed(2)},${status}`;
  });
  return `id,customer,product,quantity,amount,status\n${rows.join("\n")}\n`;
}

const numbers = Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join("");

/** Objects by location. */
export const objects = {
  ...Object.fromEntries(
    [1, 2, 3, 4, 5].map((day) => [`dag://sales/orders/dt=2026-11-${15 + day}/part-0.csv`, orders(day)]),
  ),
  "dag://sales/customers/all.csv": `name,country\n${customers.map((name, n) => `${name},${["NL", "US", "GB"][n % 3]}`).join("\n")}\n`,
  "dag://raw/clicks/2026-11-20.csv": Array.from({ length: 5000 }, (_, n) => `${n},/page/${n % 40},${n % 900}\n`).join(
    "",
  ),
  "dag://data/numbers/n.csv": numbers,
};

const daily = `SELECT product,
       count(*) AS orders,
       sum(quantity) AS items,
       round(sum(amount), 2) AS revenue
FROM sales.orders
WHERE status <> 'returned' -- they do not count
GROUP BY product
ORDER BY revenue DESC`;

const byCountry = `SELECT c.country, count(*) AS orders, avg(o.amount) AS average
FROM sales.orders o JOIN sales.customers c ON o.customer = c.name
GROUP BY c.country ORDER BY country`;

const failing = `SELECT id, assert_true(amount < 200) AS plausible
FROM sales.orders`;

const endless = "SELECT count(*) AS n FROM data.numbers a CROSS JOIN data.numbers b CROSS JOIN data.numbers c";

/** The queries of the pictures. */
export interface SampleQueries {
  readonly finished: number;
  readonly failed: number;
}

/** Submits queries of every status. The last one runs until the service stops. */
export async function submitQueries(client: Client): Promise<SampleQueries> {
  const select = async (query: string, label: string, clusterName = "analytics") => {
    const outputResourcePath = `dag://results/${label.replace(/\W+/g, "-")}/`;
    const { queryId } = await client.submitSelect({ clusterName, query, outputResourcePath, label });
    return { queryId, clusterName };
  };
  const split = await client.submitSplit({
    clusterName: "adhoc",
    inputObjectKeys: ["dag://raw/clicks/2026-11-20.csv"],
    outputDatabase: "sales",
    outputTable: "clicks",
    schema: "bigint id, string page, int milliseconds",
    label: "clicks#5e0d2c71a9b4",
  });
  await client.waitForQuery({ queryId: split.queryId, clusterName: "adhoc" });
  for (const [query, label] of [
    [byCountry, "orders by country#91f2a6c03bd7"],
    ["SELECT page, count(*) AS views FROM sales.clicks GROUP BY page ORDER BY views DESC LIMIT 10", "top pages"],
    ["SELECT status, count(*) AS n FROM sales.orders GROUP BY status", "order status#0c77d3e5f124"],
    ["SELECT max(amount) FROM sales.orders", "largest order"],
  ] as const) {
    await client.waitForQuery(await select(query, label));
  }
  const canceled = await select(endless, "too large", "adhoc");
  await sleep(500);
  await client.cancelQuery({ queryId: canceled.queryId });
  const failed = await select(failing, "plausible amounts#7ab3f9c21d06");
  await client.waitForQuery(failed);
  const finished = await select(daily, "revenue by product#3f5a0c9be812");
  await client.waitForQuery(finished);
  await select(endless, "pairs of numbers#c41b08e6f357");
  await sleep(3000);
  return { finished: finished.queryId, failed: failed.queryId };
}

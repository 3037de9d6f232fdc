import { gzipSync } from "node:zlib";
import type { TestServiceOptions } from "dag-service/testing";
import { objects } from "../service/fixture";

/** The service of these tests: tables of several forms in the database `sales`, and views. */
export const settings: TestServiceOptions = {
  objects: {
    ...objects,
    "dag://sales/orders/dt=2026-01-01/a.csv": "id,amount\n1,7.50\n2,14.25\n",
    "dag://sales/orders/dt=2026-01-02/b.csv": "id,amount\n3,21.00\n",
    "dag://sales/packed/a.jsonl.gz": gzipSync('{"id":1,"tags":["a"]}\n{"id":2}\n'),
    "dag://sales/wide/a.csv": `${"x".repeat(1_000_000)},1\n2,3\n`,
    "dag://sales/odd/a&b=c d.csv": "1\n",
  },
  views: [
    { database: "sales", view: "totals", query: "SELECT o.*, count(*) OVER () AS n FROM sales.orders o" },
    { database: "sales", view: "gone", query: "SELECT * FROM sales.nowhere" },
    { database: "data", view: "other", query: "SELECT 1" },
    { database: "reporting", view: "daily", query: "SELECT id FROM sales.orders" },
  ],
};

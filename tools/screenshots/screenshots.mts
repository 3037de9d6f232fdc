/** Makes the pictures of docs/console.md. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startService } from "dag-service/testing";
import type { Browser, Page } from "playwright-core";
import { Client } from "pulumi-dag/client";
import { browserPath, launchBrowser } from "../../test/browser/support/chromium.mts";
import { root } from "../setup/layout.mjs";
import { objects, submitQueries, type SampleQueries } from "./sample-data.mts";

const folder = join(root, "docs", "console");

/** A picture: its page, and what is done there before it is taken. */
interface Shot {
  readonly name: string;
  readonly path: (queries: SampleQueries) => string;
  readonly ready: string;
  readonly prepare?: (page: Page) => Promise<void>;
  readonly signedOut?: boolean;
  readonly width?: number;
}

const statement = `SELECT product, sum(amount) AS revenue
FROM sales.orders
WHERE status = 'shipped'
GROUP BY product`;

const shots: readonly Shot[] = [
  { name: "sign-in", path: () => "/console/", ready: "Keep the key pair", signedOut: true },
  { name: "queries", path: () => "/console/queries", ready: "pairs of numbers" },
  { name: "query", path: ({ finished }) => `/console/queries/${finished}`, ready: "crucible" },
  { name: "failed", path: ({ failed }) => `/console/queries/${failed}`, ready: "Why it failed" },
  {
    name: "submit",
    path: () => "/console/submit",
    ready: "Run query",
    prepare: async (page) => {
      const editor = page.getByRole("textbox", { name: "HiveQL statement" });
      await editor.fill(statement);
      await editor.press("Control+Enter");
      await page.getByRole("cell", { name: "crucible" }).waitFor();
      await editor.fill(statement.replace("status", "statis"));
      await page.getByText("Line 3, column 7").waitFor();
    },
  },
  { name: "tables", path: () => "/console/tables/sales/orders", ready: "dt=2026-11-16" },
  { name: "lineage", path: () => "/console/lineage/sales/clicks", ready: "Drag to move" },
  { name: "clusters", path: () => "/console/clusters", ready: "Slots in use" },
  {
    name: "api",
    path: () => "/console/api",
    ready: "listClusters",
    prepare: async (page) => {
      await page.getByText("getClusterStatistics").click();
      await page.getByRole("textbox", { name: /clusterName/ }).fill("analytics");
      await page.getByRole("button", { name: "Send getClusterStatistics" }).click();
      await page.getByText("200 OK").scrollIntoViewIfNeeded();
    },
  },
  { name: "narrow", path: () => "/console/queries", ready: "pairs of numbers", width: 390 },
];

/** Takes every picture, light and dark. Returns the exit code. */
export async function makeScreenshots(): Promise<number> {
  if (browserPath === undefined) return 1;
  await using service = await startService({
    clusters: [
      { name: "analytics", instances: [{ grade: "standard", quantity: 4 }] },
      { name: "adhoc", instances: [{ grade: "small", quantity: 3 }] },
    ],
    buckets: ["results"],
    objects,
  });
  await using client = new Client({ endpoint: service.url, ...service.credentials });
  const queries = await submitQueries(client);
  // The charts need some measurements.
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  mkdirSync(folder, { recursive: true });
  const browser = await launchBrowser();
  try {
    for (const shot of shots) {
      for (const scheme of ["light", "dark"] as const) {
        await take(browser, shot, { scheme, queries, url: service.url, credentials: service.credentials });
      }
    }
  } finally {
    await browser.close();
  }
  return 0;
}

interface Scene {
  readonly scheme: "light" | "dark";
  readonly queries: SampleQueries;
  readonly url: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

async function take(browser: Browser, shot: Shot, { scheme, queries, url, credentials }: Scene): Promise<void> {
  const { name, path, ready, prepare, signedOut = false, width = 1280 } = shot;
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme });
  if (!signedOut) {
    const pair = JSON.stringify({ accessKeyId: credentials.accessKeyId, secret: credentials.secretAccessKey });
    await context.addInitScript(([key, value]) => sessionStorage.setItem(key!, value!), [`dag-console ${url}`, pair]);
  }
  const page = await context.newPage();
  await page.goto(url + path(queries));
  await page.getByText(ready).first().waitFor();
  await prepare?.(page);
  await page.waitForTimeout(1200);
  await page.screenshot({ path: join(folder, `${name}-${scheme}.png`) });
  console.log(`docs/console/${name}-${scheme}.png`);
  await context.close();
}

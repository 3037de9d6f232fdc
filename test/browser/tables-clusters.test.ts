import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { call } from "../contract/service/caller";
import { slow } from "../contract/service/fixture";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();
beforeEach(() => fixture.service?.reset());

test("tables: a table shows its columns, partitions, objects and first rows, and leads to a query", async () => {
  const opened = await fixture.open({ path: "/console/tables" });
  const { page } = opened;
  await page.getByRole("link", { name: "orders" }).click();
  await page.getByRole("heading", { name: "sales.orders" }).waitFor();
  expect(page.url()).toMatch(/\/console\/tables\/sales\/orders$/);
  const rows = page.getByRole("region", { name: "First rows" });
  expect(await rows.getByRole("row").nth(2).getByRole("cell").allTextContents()).toEqual([
    "2",
    "2",
    "grace",
    "14.25",
    "2026-01-01",
  ]);
  await page.getByRole("row", { name: "dt=2026-01-01 1" }).waitFor();
  await page.getByRole("row", { name: "customer string" }).waitFor();
  await page
    .getByRole("row", { name: /part-0\.csv/ })
    .first()
    .waitFor();
  await page.getByRole("link", { name: "Query this table" }).click();
  await page.getByText("No problems found.").waitFor();
  await page.getByRole("textbox", { name: "HiveQL statement" }).getByText("sales.orders").waitFor();
  expectNoProblems(opened);
});

test("tables: the list can be filtered", async () => {
  const { page } = await fixture.open({ path: "/console/tables" });
  await page.getByRole("link", { name: "events" }).waitFor();
  await page.getByRole("searchbox", { name: "Find a table" }).fill("orders");
  await page.getByRole("link", { name: "events" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "orders" }).waitFor();
});

test("clusters: slots in use are live, and the charts have their values as text", async () => {
  const opened = await fixture.open({ path: "/console/clusters" });
  const { page } = opened;
  const card = page.getByRole("article", { name: "c1" });
  await card.getByText("0 of 2").waitFor();
  const { json } = await call(fixture.service, "POST", "/v1/?select", {
    body: { clusterName: "c1", query: slow, outputResourcePath: "dag://out/slots" },
  });
  await card.getByText("1 of 2").waitFor();
  await card
    .getByRole("img", { name: /^Slots in use over the last hour/ })
    .locator("canvas")
    .waitFor();
  await card.getByRole("img", { name: /^Memory over the last hour, now \d/ }).waitFor();
  await call(fixture.service, "DELETE", `/v1/${json.queryId}?query`);
  await card.getByText("0 of 2").waitFor();
  expectNoProblems(opened);
});

test("clusters: a restart warns of the queries that it ends, and needs force for them", async () => {
  const { json } = await call(fixture.service, "POST", "/v1/?select", {
    body: { clusterName: "c2", query: slow, outputResourcePath: "dag://out/restart" },
  });
  const { page } = await fixture.open({ path: "/console/clusters" });
  const card = page.getByRole("article", { name: "c2" });
  await card.getByRole("link", { name: "Show 1 running query" }).waitFor();
  await card.getByRole("button", { name: "Restart" }).click();
  const dialog = page.getByRole("dialog", { name: "Restart cluster c2?" });
  await dialog.getByText("1 query is running on it.").waitFor();
  await dialog.getByRole("button", { name: "Restart" }).click();
  await dialog.getByText("QueryIsRunning").waitFor();
  await dialog.getByLabel("Cancel running queries first").check();
  await dialog.getByText("This ends 1 running query.").waitFor();
  await dialog.getByLabel("Verbose logs after the restart").selectOption("on");
  await dialog.getByRole("button", { name: "Restart" }).click();
  await page.getByText("Cluster c2 restarts.").waitFor();
  await card.getByText("Ready").waitFor();
  expect((await call(fixture.service, "GET", `/v1/${json.queryId}?query`)).json.status).toBe("canceled");
  expect((await call(fixture.service, "GET", "/v1/c2?clusterManagement")).json.debug).toBe(true);
});

test("clusters: the logs are exported to a folder", async () => {
  const opened = await fixture.open({ path: "/console/clusters" });
  const { page } = opened;
  await page.getByRole("article", { name: "c1" }).getByRole("button", { name: "Export logs" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Folder").fill("dag://out/logs/");
  await dialog.getByRole("button", { name: "Export logs" }).click();
  await page.getByText("The logs are in dag://out/logs/.").waitFor();
  expect(readdirSync(join(fixture.service.bucketsDirectory, "out/logs"))).not.toEqual([]);
  expectNoProblems(opened);
});

test("api: an operation can be called from its description", async () => {
  const opened = await fixture.open({ path: "/console/api" });
  const { page } = opened;
  await page.getByText("listClusters").click();
  await page.getByRole("button", { name: "Send listClusters" }).click();
  await page.getByText("200 OK").waitFor();
  await page.getByRole("region", { name: "Answer" }).getByText('"name": "c1"').waitFor();
  expectNoProblems(opened);
});

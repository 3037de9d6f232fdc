import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
  await page.getByRole("row", { name: /^dt=2026-01-01 1/ }).waitFor();
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

test("tables: partitions are shown a page at a time, below the objects", async () => {
  for (let day = 1; day <= 230; day += 1) {
    const folder = join(fixture.service.bucketsDirectory, `sales/days/d=${String(day).padStart(3, "0")}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "a.csv"), "id,n\n1,\n");
  }
  const opened = await fixture.open({ path: "/console/tables/sales/days" });
  const { page } = opened;
  const partitions = page.getByRole("region", { name: "Partitions" });
  await partitions.getByText("1–100 of 230 partitions").waitFor();
  expect(await partitions.getByRole("row").count()).toBe(101);
  await partitions.getByRole("button", { name: "Next partitions" }).click();
  await partitions.getByRole("button", { name: "Next partitions" }).click();
  await partitions.getByText("201–230 of 230 partitions").waitFor();
  await partitions.getByRole("row", { name: /^d=230 1/ }).waitFor();
  expect(await partitions.getByRole("button", { name: "Next partitions" }).isDisabled()).toBe(true);
  const top = async (name: string) => (await page.getByRole("heading", { name, exact: true }).boundingBox())!.y;
  expect(await top("Objects")).toBeLessThan(await top("Partitions"));
  expectNoProblems(opened);
});

test("tables: NULL is shown as such, and is not an empty text", async () => {
  const folder = join(fixture.service.bucketsDirectory, "sales/gaps");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.csv"), "id,name,n\n1,,\n2,\\N,5\n");
  const { page } = await fixture.open({ path: "/console/tables/sales/gaps" });
  const rows = page.getByRole("region", { name: "First rows" });
  const cells = (row: number) => rows.getByRole("row").nth(row).getByRole("cell").allTextContents();
  await rows.waitFor();
  expect(await cells(1)).toEqual(["1", "1", "", "NULL"]);
  expect(await cells(2)).toEqual(["2", "2", "NULL", "5"]);
});

test("tables: files are uploaded into the folder of a table or partition, and one that is there is refused", async () => {
  const file = (name: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from("id,n\n2,two\n") });
  const buckets = fixture.service.bucketsDirectory;
  for (const folder of ["sales/up", "sales/parts/d=1"]) {
    mkdirSync(join(buckets, folder), { recursive: true });
    writeFileSync(join(buckets, folder, "a.csv"), "id,n\n1,one\n");
  }
  const opened = await fixture.open({ path: "/console/tables/sales/up" });
  const { page } = opened;
  await page.getByText("1 object", { exact: true }).waitFor();
  const upload = page.locator("input[type=file]");
  await upload.setInputFiles([file("b.csv"), file("c d.csv")]);
  await page.getByText("c d.csv is stored.").waitFor();
  await page.getByText("3 objects", { exact: true }).waitFor();
  await page.getByRole("row", { name: /up\/c d\.csv/ }).waitFor();
  await page.getByRole("region", { name: "First rows" }).getByText("two").first().waitFor();
  expect(readdirSync(join(buckets, "sales/up"))).toEqual(["a.csv", "b.csv", "c d.csv"]);
  // A file beside the folders of partitions would be in none of them.
  await page.getByRole("link", { name: "parts" }).click();
  await page.getByRole("heading", { name: "sales.parts" }).waitFor();
  await expect.poll(() => upload.count()).toBe(1);
  await page.getByRole("button", { name: "Upload files to d=1" }).waitFor();
  await upload.setInputFiles([file("b.csv")]);
  await page.getByRole("row", { name: /^d=1 2/ }).waitFor();
  expect(readdirSync(join(buckets, "sales/parts/d=1"))).toEqual(["a.csv", "b.csv"]);
  expectNoProblems(opened);
  await upload.setInputFiles([file("b.csv")]);
  await page.getByText(/parts\/d=1\/b\.csv exists/).waitFor();
});

test("tables: an upload that makes a table unreadable shows why, and the objects of the table", async () => {
  const folder = join(fixture.service.bucketsDirectory, "sales/mixed");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.csv"), "id,n\n1,one\n");
  const { page } = await fixture.open({ path: "/console/tables/sales/mixed" });
  await page.getByRole("region", { name: "First rows" }).waitFor();
  const buffer = Buffer.from("PAR1, which no csv begins with\n");
  await page.locator("input[type=file]").setInputFiles([{ name: "b.csv", mimeType: "text/csv", buffer }]);
  await page
    .getByRole("alert")
    .getByText(/sales\/mixed\/b\.csv/)
    .waitFor();
  await page.getByRole("row", { name: /mixed\/b\.csv/ }).waitFor();
  // Else the editor's completion asks for its columns in the tests that follow, and gets the error.
  rmSync(folder, { recursive: true });
});

test("views: a view shows its statement, its columns and what it is made of, and leads to a query", async () => {
  const opened = await fixture.open({ path: "/console/tables" });
  const { page } = opened;
  await page.getByRole("link", { name: "totals" }).click();
  await page.getByRole("heading", { name: "sales.totals" }).waitFor();
  expect(page.url()).toMatch(/\/console\/views\/sales\/totals$/);
  await page.getByRole("region", { name: "Statement" }).getByText("GROUP BY").first().waitFor();
  const columns = page.getByRole("region", { name: "Columns" });
  expect(await columns.getByRole("listitem").allTextContents()).toEqual(["customer", "total"]);
  await page.getByRole("region", { name: "Lineage" }).getByRole("link", { name: "sales.orders" }).waitFor();
  await page.getByRole("link", { name: "Query this view" }).click();
  await page.getByText("No problems found.").waitFor();
  await page.getByRole("textbox", { name: "HiveQL statement" }).getByText("sales.totals").waitFor();
  expectNoProblems(opened);
});

test("views: their rows are read by a query that the user starts, and that the page links to", async () => {
  const opened = await fixture.open({ path: "/console/views/sales/totals" });
  const { page } = opened;
  await page.getByText("A view has no rows of its own").waitFor();
  await page.getByRole("button", { name: "Read the first rows" }).click();
  await page.getByRole("cell", { name: "edsger" }).waitFor();
  expect(await page.getByRole("columnheader", { name: "total" }).count()).toBe(1);
  await page.getByRole("link", { name: /^Query \d+$/ }).click();
  await page.getByText("sales.totals").first().waitFor();
  expectNoProblems(opened);
});

test("views: rows whose query was answered by nobody are asked for again with the same request, and it runs once", async () => {
  const { page } = await fixture.open({ path: "/console/views/sales/totals" });
  let sent = 0;
  await page.route(
    (url) => url.search === "?select",
    async (route) => {
      sent += 1;
      await route.fetch();
      await (sent <= 3 ? route.abort("connectionreset") : route.continue());
    },
  );
  const read = page.getByRole("button", { name: "Read the first rows" });
  await read.click();
  await page.getByRole("alert").getByText("does not answer").waitFor();
  await read.click();
  await page.getByRole("cell", { name: "edsger" }).waitFor();
  expect(sent).toBe(4);
  expect((await call(fixture.service, "GET", "/v1/?query")).json.queries).toHaveLength(1);
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

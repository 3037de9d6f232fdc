import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { call, ended } from "../contract/service/caller";
import { slow } from "../contract/service/fixture";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();
beforeEach(() => fixture.service?.reset());

let serial = 0;
async function select(body: object = {}): Promise<number> {
  const answer = await call(fixture.service, "POST", "/v1/?select", {
    body: {
      clusterName: "c1",
      query: "select v, count(*) n from data.events group by v order by v",
      outputResourcePath: `dag://out/r${(serial += 1)}`,
      ...body,
    },
  });
  expect(answer.text).toContain("queryId");
  return answer.json.queryId;
}

test("queries: a query of another program appears, moves and ends without a reload", async () => {
  const opened = await fixture.open();
  const { page } = opened;
  await page.getByText("No queries yet").waitFor();
  const id = await select({ query: slow, label: "nightly" });
  const row = page.getByRole("row", { name: /nightly/ });
  await row.waitFor();
  await row.getByText("Running").waitFor();
  await call(fixture.service, "DELETE", `/v1/${id}?query`);
  await row.getByText("Cancelled").waitFor();
  expectNoProblems(opened);
});

test("queries: the filters are in the address, and the address shows the same list", async () => {
  const failed = await select({ query: "select assert_true(id < 2) from data.events", label: "bad" });
  await select({ clusterName: "c2", label: "nightly-2" });
  await ended(fixture.service, failed);
  const { page } = await fixture.open();
  await page.getByRole("button", { name: "Failed" }).click();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByRole("row", { name: /bad/ }).waitFor();
  expect(page.url()).toMatch(/\?status=error$/);
  await page.getByRole("button", { name: "All" }).click();
  await page.getByLabel("Cluster").selectOption("c2");
  await page.getByRole("searchbox", { name: "Label starts with" }).fill("night");
  await expect.poll(() => page.url()).toMatch(/\?cluster=c2&label=night$/);
  const again = await fixture.open({ path: new URL(page.url()).pathname + new URL(page.url()).search });
  await expect.poll(() => again.page.getByRole("row").count()).toBe(2);
  await again.page.getByRole("row", { name: /nightly-2/ }).waitFor();
});

test("queries: a text of a statement and the days of the submission are filters in the address", async () => {
  const found = await select({ query: "select 'needle' w", label: "found" });
  await ended(fixture.service, await select({ label: "other" }));
  await ended(fixture.service, found);
  const { page } = await fixture.open();
  const rows = () => page.getByRole("row").count();
  await expect.poll(rows).toBe(3);
  await page.getByRole("searchbox", { name: "Statement contains" }).fill("NEEDLE");
  await expect.poll(rows).toBe(2);
  await page.getByRole("row", { name: /found/ }).waitFor();
  expect(page.url()).toMatch(/\?text=NEEDLE$/);
  await page.getByRole("searchbox", { name: "Statement contains" }).fill("");
  await expect.poll(rows).toBe(3);
  await page.getByLabel("From").fill("2030-01-01");
  await page.getByText("No query matches these filters").waitFor();
  expect(page.url()).toMatch(/\?from=2030-01-01$/);
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("to", { exact: true }).fill("2030-01-01");
  await expect.poll(rows).toBe(3);
  const { pathname, search } = new URL(page.url());
  const again = await fixture.open({ path: pathname + search });
  await expect.poll(() => again.page.getByRole("row").count()).toBe(3);
  expect(await again.page.getByLabel("From").inputValue()).toBe("2020-01-01");
});

test("queries: the longest come first when the list is sorted by duration", async () => {
  const running = await select({ query: slow, label: "long" });
  fixture.service.clock.advance(600_000);
  await ended(fixture.service, await select({ label: "quick", clusterName: "c2" }));
  const { page } = await fixture.open();
  const first = page.locator("[data-row='0']");
  await first.getByText("quick").waitFor();
  await page.getByLabel("Order").selectOption("duration");
  await page.getByRole("table", { name: "Queries, longest first" }).waitFor();
  await first.getByRole("link", { name: `Query ${running}` }).waitFor();
  expect(page.url()).toMatch(/\?sort=duration$/);
  await page.getByLabel("Order").selectOption("");
  await first.getByText("quick").waitFor();
});

test("queries: on a phone, the rest of the filters opens by a button", async () => {
  await ended(fixture.service, await select({ label: "nightly" }));
  const { page } = await fixture.open({ viewport: { width: 390, height: 844 } });
  await page.getByRole("row", { name: /nightly/ }).waitFor();
  const search = page.getByRole("searchbox", { name: "Statement contains" });
  expect(await search.isVisible()).toBe(false);
  await page.getByRole("button", { name: "More filters" }).click();
  await search.fill("nothing like it");
  await page.getByText("No query matches these filters").waitFor();
});

test("queries: the statement of a row can be read at every width", async () => {
  await select({ label: "nightly" });
  const { page } = await fixture.open();
  const statement = page.getByRole("row", { name: /nightly/ }).locator(".cell-statement");
  for (const width of [390, 761, 768, 900, 1000, 1100, 1101, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expect
      .poll(async () => (await statement.boundingBox())?.width ?? 0, { message: `${width} px` })
      .toBeGreaterThan(180);
  }
});

test("query: a long cell of a result opens to its whole text, and closes", async () => {
  const id = await select({ query: "select repeat('long ', 100) as word, 1 as n" });
  await ended(fixture.service, id);
  const opened = await fixture.open({ path: `/console/queries/${id}` });
  const cell = opened.page.getByRole("button", { name: /^long long/ });
  await cell.waitFor();
  const height = async () => (await cell.boundingBox())!.height;
  const closed = await height();
  expect((await cell.textContent())!.length).toBeLessThan(400);
  await cell.click();
  expect((await cell.textContent())!.trimEnd().length).toBe(499);
  expect(await height()).toBeGreaterThan(2 * closed);
  await cell.click();
  expect(await height()).toBe(closed);
  expectNoProblems(opened);
});

test("queries: arrow keys move between rows and Enter opens one", async () => {
  const first = await select();
  const second = await select();
  const { page } = await fixture.open();
  await page.getByRole("link", { name: `Query ${second}` }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `Query ${first}` }).waitFor();
});

test("query: a failed one shows its reason at once", async () => {
  const id = await select({ query: "select assert_true(id < 2) from data.events", label: "daily#3f5a0c9be812" });
  await ended(fixture.service, id);
  const opened = await fixture.open({ path: `/console/queries/${id}` });
  const { page } = opened;
  await page.getByText("Why it failed").waitFor();
  await page.locator(".reason", { hasText: /ASSERT_TRUE/i }).waitFor();
  await page.getByText("Token 3f5a0c9be812").waitFor();
  await page.getByRole("link", { name: "Queries with the same label" }).click();
  await page.getByRole("row", { name: /daily/ }).waitFor();
  expectNoProblems(opened);
});

test("query: its result is a table with Hive's column names, and an object can be downloaded", async () => {
  const id = await select();
  await ended(fixture.service, id);
  const opened = await fixture.open({ path: `/console/queries/${id}` });
  const { page } = opened;
  const table = page.getByRole("region", { name: "Rows" });
  await table.getByRole("columnheader", { name: "v", exact: true }).waitFor();
  expect(await table.getByRole("row").nth(1).getByRole("cell").allTextContents()).toEqual(["1", "x", "2"]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download 000000_0" }).click(),
  ]);
  expect(readFileSync(await download.path(), "utf8")).toBe("x,2\ny,1\n");
  expectNoProblems(opened);
});

test("query: the columns of SELECT * have the names of the table", async () => {
  const id = await select({ query: "SELECT * FROM data.events" });
  await ended(fixture.service, id);
  const { page } = await fixture.open({ path: `/console/queries/${id}` });
  const table = page.getByRole("region", { name: "Rows" });
  await table.waitFor();
  expect(await table.getByRole("columnheader").allTextContents()).toEqual(["#", "id", "v"]);
});

test("query: the log follows while it runs, and cancelling asks first", async () => {
  const id = await select({ query: slow });
  const opened = await fixture.open({ path: `/console/queries/${id}` });
  const { page } = opened;
  await page.getByRole("region", { name: "Log" }).getByText("running on duckdb").waitFor();
  await page.getByRole("button", { name: "Cancel query" }).click();
  const dialog = page.getByRole("dialog", { name: `Cancel query ${id}?` });
  await dialog.getByRole("button", { name: "Keep it running" }).click();
  expect((await call(fixture.service, "GET", `/v1/${id}?query`)).json.status).toBe("running");
  await page.getByRole("button", { name: "Cancel query" }).click();
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel query" }).click();
  await dialog.getByRole("button", { name: "Cancel query" }).click();
  await page.getByText(`Query ${id} was cancelled.`).waitFor();
  await page.locator(".page-head").getByText("Cancelled").waitFor();
  await page.getByRole("region", { name: "Log" }).getByText("cancelled after").waitFor();
  expectNoProblems(opened);
});

test("query: hostile labels, statements, rows and logs are text", async () => {
  const hostile = `<img src=x onerror="document.title='owned'">`;
  const query = `select '${hostile.replaceAll("'", "\\'")}' \`<b>bold</b>\`, repeat('x', 1000000) big, assert_true(true) from data.events -- ${hostile}`;
  // The log names the folder of the result.
  const id = await select({ query, label: hostile, outputResourcePath: `dag://out/${hostile}` });
  const found = await ended(fixture.service, id);
  expect(found.status).toBe("finished");
  const list = await fixture.open();
  await list.page.getByRole("row", { name: /<img src=x/ }).waitFor();
  expect(await list.page.locator("img").count()).toBe(0);
  expectNoProblems(list);
  const detail = await fixture.open({ path: `/console/queries/${id}` });
  const { page } = detail;
  const table = page.getByRole("region", { name: "Rows" });
  await table.getByRole("columnheader", { name: "<b>bold</b>" }).waitFor();
  await table.getByText(hostile).first().waitFor();
  await page.getByRole("region", { name: "Log" }).getByText(hostile).waitFor();
  expect(await page.locator(".hl-keyword", { hasText: /^select$/ }).count()).toBe(1);
  expect(await page.locator("img, b").count()).toBe(0);
  expect(await page.title()).toBe(`Query ${id} · dag console`);
  // A cell of 1 MB must not make the page slow or wide.
  expect((await page.locator("main").textContent())!.length).toBeLessThan(50_000);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
  expectNoProblems(detail);
});

test("query: one that does not exist is told with the service's words", async () => {
  const { page } = await fixture.open({ path: "/console/queries/4711" });
  await page.getByRole("alert").getByText("query 4711 does not exist").waitFor();
});

test("query: a finished one shows its duration and rows, in the list and on its page", async () => {
  const id = await select({ label: "counted" });
  await ended(fixture.service, id);
  const { page } = await fixture.open();
  const time = page.getByRole("row", { name: /counted/ }).locator(".cell-progress");
  await time.getByText("2 rows").waitFor();
  await time.getByText(/^\d+ ms$|^\d+\.\d s$/).waitFor();
  await page.getByRole("link", { name: `Query ${id}` }).click();
  await page
    .locator(".fact", { hasText: "Duration" })
    .getByText(/\d (ms|s)/)
    .waitFor();
  expect(await page.locator(".fact", { hasText: /^Rows/ }).textContent()).toBe("Rows2");
});

test("query: a running one without progress says for how long, in the list and on its page", async () => {
  const id = await select({ query: slow, label: "stuck" });
  const { page } = await fixture.open();
  const row = page.getByRole("row", { name: /stuck/ });
  await row.getByText("Running").waitFor();
  const stage = async () => (await call(fixture.service, "GET", `/queries/${id}`)).json.stage;
  await expect.poll(stage).toBe(2);
  fixture.service.clock.advance(600_000);
  await row.getByText(/no progress for \d+ min/).waitFor();
  await page.getByRole("link", { name: `Query ${id}` }).click();
  await page
    .locator(".fact", { hasText: "Duration" })
    .getByText(/no progress for \d+ min/)
    .waitFor();
  await page.getByText("so far").waitFor();
});

test("query: the rows of a large result are shown in pages, and downloaded as one file with a header", async () => {
  const id = await select({ query: "select n, n * 2 twice from data.numbers where n < 5000 order by n" });
  await ended(fixture.service, id);
  const opened = await fixture.open({ path: `/console/queries/${id}` });
  const { page } = opened;
  const rows = page.getByRole("region", { name: "Rows" });
  await page.getByText("First 100 of 5,000 rows").waitFor();
  await page.getByRole("button", { name: "Next rows" }).click();
  await page.getByText("Rows 101–200 of 5,000 rows").waitFor();
  expect(await rows.getByRole("row").nth(1).getByRole("cell").allTextContents()).toEqual(["101", "100", "200"]);
  await page.getByRole("button", { name: "Previous rows" }).click();
  await page.getByText("First 100 of 5,000 rows").waitFor();
  expect(await page.getByRole("button", { name: "Previous rows" }).isDisabled()).toBe(true);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download csv" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`query-${id}.csv`);
  const text = readFileSync(await download.path(), "utf8");
  expect(text.startsWith("n,twice\n0,0\n1,2\n")).toBe(true);
  expect(text.split("\n")).toHaveLength(5002);
  expectNoProblems(opened);
});

test("query: a result that is no longer there cannot be downloaded", async () => {
  const id = await select({ query: "select 1", outputResourcePath: "dag://out/gone" });
  await ended(fixture.service, id);
  rmSync(join(fixture.service.bucketsDirectory, "out/gone"), { recursive: true });
  const { page } = await fixture.open({ path: `/console/queries/${id}` });
  await page.getByText("The result is not shown").waitFor();
  expect(await page.getByRole("button", { name: "Download csv" }).isDisabled()).toBe(true);
});

test("queries: Back shows the list where it was left, with its filters", async () => {
  for (let count = 0; count < 40; count += 1)
    await ended(fixture.service, await select({ query: "select 1", label: `n${count}` }));
  const { page } = await fixture.open({ path: "/console/queries?label=n" });
  const frame = page.locator(".virtual-frame");
  await page.getByRole("row", { name: /n39/ }).waitFor();
  await frame.evaluate((element) => (element.scrollTop = 700));
  const row = page.getByRole("row", { name: /n20/ });
  const place = await row.boundingBox();
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: /^Query/ }).waitFor();
  for (const back of ["button", "link"]) {
    if (back === "button") await page.goBack();
    else await page.getByRole("link", { name: "All queries" }).click();
    await row.waitFor();
    expect(page.url()).toMatch(/\?label=n$/);
    expect(await row.boundingBox()).toEqual(place);
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: /^Query/ }).waitFor();
  }
  // Another list in between does not matter.
  await page.getByRole("navigation").getByRole("link", { name: "Queries" }).click();
  await page.getByRole("row", { name: /n39/ }).getByRole("link").click();
  await page.getByRole("heading", { name: /^Query/ }).waitFor();
  for (let steps = 0; steps < 3; steps += 1) await page.goBack();
  await expect.poll(() => page.url()).toMatch(/\?label=n$/);
  expect(await row.boundingBox()).toEqual(place);
});

import { beforeEach, expect, test } from "vitest";
import { call } from "../contract/service/caller";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();
beforeEach(() => fixture.service?.reset());

test("submit: the check marks the error in place, and the corrected statement runs with Ctrl+Enter", async () => {
  const opened = await fixture.open({ path: "/console/submit" });
  const { page } = opened;
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select v,\n  nonsense\nfrom data.events");
  await page.getByText("Line 2, column 3").waitFor();
  await page.locator(".cm-lintRange-error", { hasText: "nonsense" }).waitFor();
  // As a person does it: the browser itself would copy the mark of the error as an inline style, which the policy blocks.
  for (const key of ["Control+a", "Delete"]) await page.getByRole("textbox", { name: "HiveQL statement" }).press(key);
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select v from data.events order by v");
  await page.getByText("No problems found.").waitFor();
  expect(await page.locator(".cm-lintRange-error").count()).toBe(0);
  await page.getByLabel("Result folder").fill("dag://out/submitted/");
  await page.getByLabel("Label").fill("from the console");
  await page.getByRole("textbox", { name: "HiveQL statement" }).press("Control+Enter");
  const link = page.getByRole("heading", { name: /^Query \d+$/ }).getByRole("link");
  await page.locator(".run-head").getByText("Finished").waitFor();
  await link.click();
  await page.locator(".page-head").getByText("Finished").waitFor();
  await page.getByText("from the console").waitFor();
  expectNoProblems(opened);
});

test("submit: objects of others in the result folder are replaced only after a question", async () => {
  const { page } = await fixture.open({ path: "/console/submit" });
  const editor = page.getByRole("textbox", { name: "HiveQL statement" });
  const folder = page.getByLabel("Result folder");
  const objects = async () => (await call(fixture.service, "GET", "/objects?prefix=dag://data/events/")).json.objects;
  const before = await objects();
  await editor.fill("select 1 as one");
  await folder.fill("dag://data/events/");
  await editor.press("Control+Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("dag://data/events/").waitFor();
  await dialog.getByRole("button", { name: "Keep them" }).click();
  expect(await objects()).toEqual(before);
  await editor.press("Control+Enter");
  await dialog.getByRole("button", { name: "Replace them" }).click();
  await page.locator(".run-head").getByText("Finished").waitFor();
  expect(await objects()).toHaveLength(1);
  expect(await objects()).not.toEqual(before);
  // The result of a select is replaced without a question.
  await folder.fill("dag://data/events/");
  await editor.press("Control+Enter");
  await expect.poll(async () => (await call(fixture.service, "GET", "/v1/?query")).json.queries.length).toBe(2);
  expect(await dialog.count()).toBe(0);
});

test("submit: the editor takes the focus, but not from a user who has gone on while it was loaded", async () => {
  const { page } = await fixture.open();
  const focused = () => page.evaluate(() => document.activeElement!.className || document.activeElement!.textContent);
  await page.getByRole("link", { name: "New query" }).first().click();
  await expect.poll(focused).toBe("editor");
  // The file of the editor is late.
  const late = Promise.withResolvers<void>();
  const again = await fixture.open({
    before: async (context) => {
      await context.route(/\/assets\/editor-/, async (route) => {
        await late.promise;
        await route.continue();
      });
    },
  });
  await again.page.getByRole("link", { name: "New query" }).first().click();
  await again.page.getByText("Loading the editor…").waitFor();
  await again.page.getByLabel("Result folder").focus();
  late.resolve();
  await again.page.getByRole("textbox", { name: "HiveQL statement" }).waitFor();
  expect(await again.page.evaluate(() => document.activeElement!.tagName)).toBe("INPUT");
});

test("submit: a syntax error has its line and column", async () => {
  const { page } = await fixture.open({ path: "/console/submit" });
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select v\nfrm data.events");
  await page.getByText("Line 2, column 5").waitFor();
});

test("submit: tables and columns of the catalog are completed", async () => {
  const { page } = await fixture.open({ path: "/console/submit" });
  const editor = page.getByRole("textbox", { name: "HiveQL statement" });
  await expect
    .poll(
      async () => {
        await editor.fill("");
        await editor.pressSequentially("select * from sales.");
        await page.waitForTimeout(300);
        return page.locator(".cm-tooltip-autocomplete").allTextContents();
      },
      { interval: 500, timeout: 20_000 },
    )
    .toEqual([expect.stringContaining("orders")]);
  await editor.press("Enter");
  await editor.pressSequentially(" where sales.orders.cus");
  await page.locator(".cm-tooltip-autocomplete", { hasText: "customer" }).waitFor();
});

test("submit: a query that is submitted before the clusters are shown runs on the first one", async () => {
  const { page } = await fixture.open({ path: "/console/" });
  let answer: () => void = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/clusterManagement/, async (route) => {
    await asked;
    await route.continue();
  });
  await page.getByRole("navigation").getByRole("link", { name: "New query" }).click();
  const editor = page.getByRole("textbox", { name: "HiveQL statement" });
  await editor.fill("select 'early' as word");
  await editor.press("Control+Enter");
  answer();
  await page.getByRole("cell", { name: "early" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("submit: each query has a folder of its own, and a page of an overwritten result links its query", async () => {
  const { page } = await fixture.open({ path: "/console/submit" });
  const folder = page.getByLabel("Result folder");
  const run = async (statement: string) => {
    await page.getByRole("textbox", { name: "HiveQL statement" }).fill(statement);
    await page.getByRole("textbox", { name: "HiveQL statement" }).press("Control+Enter");
    // The heading of the query before has another address.
    const link = page.getByRole("heading", { name: /^Query \d+$/ }).getByRole("link");
    const seen = async () => ({
      isNew: (await link.count()) === 1 && (await link.getAttribute("href")) !== shown,
      // What keeps it from running, if anything does.
      messages: [
        ...(await page.getByRole("alert").allInnerTexts()),
        ...(await page.getByRole("dialog").allInnerTexts()),
      ],
    });
    await expect.poll(seen).toEqual({ isNew: true, messages: [] });
    await page.locator(".run-head").getByText("Finished").waitFor();
    shown = (await link.getAttribute("href"))!;
    return new URL(shown, page.url()).href;
  };
  let shown = "";
  const own = await folder.inputValue();
  expect(own).toMatch(/^dag:\/\/default\/results\/\d{8}-\d{6}-\w{4}\/$/);
  await run("select 1");
  expect(await folder.inputValue()).not.toBe(own);
  await folder.fill("dag://out/same/");
  const first = await run("select 'first'");
  expect(await folder.inputValue()).toBe("dag://out/same/");
  const second = await run("select 'second'");
  await page.goto(first);
  const link = page.getByRole("link", { name: /^Show query \d+$/ });
  await link.waitFor();
  expect(await page.getByText("second", { exact: true }).count()).toBe(0);
  await link.click();
  await page.waitForURL(second);
  await page.getByRole("cell", { name: "second" }).waitFor();
});

test("submit: what the service refuses is told, and the draft stays", async () => {
  const { page } = await fixture.open({ path: "/console/submit" });
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select 1");
  await page.getByLabel("Result folder").fill("dag://nowhere/x/");
  await page.getByRole("button", { name: "Run query" }).click();
  await page.getByRole("alert").getByText("OutputBucketIsNotFound").waitFor();
  await page.getByRole("link", { name: "Tables" }).click();
  await page.getByRole("link", { name: "New query" }).click();
  await page.getByRole("textbox", { name: "HiveQL statement" }).getByText("select 1").waitFor();
});

test("submit: a split becomes a table", async () => {
  const opened = await fixture.open({ path: "/console/submit?kind=split" });
  const { page } = opened;
  await page.getByLabel("Input objects").fill("dag://raw/in.csv\n");
  await page.getByLabel("Database").fill("data");
  await page.getByLabel("Table", { exact: true }).fill("cut");
  await page.getByLabel("Schema").fill("bigint id, string v");
  await page.getByRole("button", { name: "Run split" }).click();
  await page.getByRole("heading", { name: /^Query \d+$/ }).waitFor();
  await page.locator(".page-head").getByText("Finished").waitFor();
  await page.getByRole("link", { name: "data.cut" }).click();
  await page.getByText("Written by a split").waitFor();
  expectNoProblems(opened);
});

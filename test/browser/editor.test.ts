import { beforeEach, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { call, ended } from "../contract/service/caller";
import { slow } from "../contract/service/fixture";
import { axeViolations } from "./support/axe";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();
beforeEach(() => fixture.service?.reset());

const path = "/console/submit";
const editorOf = (page: Page) => page.getByRole("textbox", { name: "HiveQL statement" });
const textOf = (page: Page) => editorOf(page).locator(".cm-line").allTextContents();

/** Replaces the text as a person does it: the browser itself would keep marks as inline styles, which the policy blocks. */
async function write(page: Page, statement: string): Promise<void> {
  for (const key of ["Control+a", "Delete"]) await editorOf(page).press(key);
  await editorOf(page).fill(statement);
}

async function run(page: Page, statement: string): Promise<void> {
  await write(page, statement);
  await editorOf(page).press("Control+Enter");
}

test("editor: the rows of a query are shown beside it, and the statement stays in the editor", async () => {
  const opened = await fixture.open({ path });
  const { page } = opened;
  await page.getByText("The result appears here.").waitFor();
  await run(page, "select v, count(*) n from data.events group by v order by v");
  await page.locator(".run-head").getByText("Finished").waitFor();
  const rows = page.getByRole("region", { name: "Rows" });
  // The query has finished before its rows are here.
  await page.getByText("2 rows").first().waitFor();
  await rows.getByRole("row").nth(1).waitFor();
  expect(await rows.getByRole("row").nth(1).getByRole("cell").allTextContents()).toEqual(["1", "x", "2"]);
  expect(await textOf(page)).toEqual(["select v, count(*) n from data.events group by v order by v"]);
  const place = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
  for (const width of [1440, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const [left, right] = [await place(".editor-panel"), await place(".run-head")];
    expect(right.x).toBeGreaterThanOrEqual(left.x + left.width);
    expect(Math.abs(right.y - left.y)).toBeLessThan(2);
  }
  for (const width of [900, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const [left, right] = [await place(".editor-panel"), await place(".run-head")];
    expect(right.y).toBeGreaterThan(left.y + left.height);
    expect((await place(".submit-settings")).y).toBeGreaterThan(right.y);
  }
  expectNoProblems(opened);
  expect(await axeViolations(page)).toEqual([]);
});

test("editor: a running query shows its progress beside the editor and can be cancelled, a failed one says why", async () => {
  const opened = await fixture.open({ path });
  const { page } = opened;
  await run(page, slow);
  const head = page.locator(".run-head");
  await head.getByText("Running").waitFor();
  await head.getByRole("button", { name: "Cancel query" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel query" }).click();
  await head.getByText("Cancelled").waitFor();
  await run(page, "select assert_true(id < 2) from data.events");
  await head.getByText("Failed").waitFor();
  await page.locator(".reason", { hasText: /ASSERT_TRUE/i }).waitFor();
  expectNoProblems(opened);
});

test("editor: drafts are tabs, each with its statement and its result, also after a reload", async () => {
  const opened = await fixture.open({ path });
  const { page } = opened;
  const tabs = page.getByRole("list", { name: "Drafts" }).getByRole("listitem");
  await run(page, "select 'one' w");
  await page.getByRole("cell", { name: "one" }).waitFor();
  await page.getByRole("button", { name: "New draft" }).click();
  await page.getByText("The result appears here.").waitFor();
  expect(await textOf(page)).toEqual(["SELECT …"].map(() => expect.any(String)));
  await write(page, "select 'two' w");
  await expect.poll(() => tabs.allTextContents()).toEqual(["select 'one' w", "select 'two' w"]);
  await page.reload();
  await editorOf(page).getByText("select 'two' w").waitFor();
  await tabs.first().getByRole("button", { name: "select 'one' w", exact: true }).click();
  await editorOf(page).getByText("select 'one' w").waitFor();
  await page.getByRole("cell", { name: "one" }).waitFor();
  await page.getByRole("button", { name: "Close select 'one' w" }).click();
  await editorOf(page).getByText("select 'two' w").waitFor();
  expect(await tabs.count()).toBe(1);
  // A statement from elsewhere does not take the place of one that is being written.
  await page.getByRole("link", { name: "Tables" }).click();
  await page.getByRole("link", { name: "orders" }).click();
  await page.getByRole("link", { name: "Query this table" }).click();
  await editorOf(page).getByText("sales").first().waitFor();
  await expect.poll(() => tabs.count()).toBe(2);
  expectNoProblems(opened);
});

test("editor: the history has what was run and closed, across reloads, and can be deleted", async () => {
  const opened = await fixture.open({ path });
  const { page } = opened;
  await run(page, "select 'kept' w");
  await page.getByRole("cell", { name: "kept" }).waitFor();
  await write(page, "select 'closed' w");
  await page.getByRole("button", { name: "Close select 'closed' w" }).click();
  await page.getByText("Empty draft").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "History" }).click();
  const dialog = page.getByRole("dialog", { name: "History" });
  await dialog.waitFor();
  const statements = dialog.getByRole("listitem").locator("code");
  expect(await statements.allTextContents()).toEqual(["select 'closed' w", "select 'kept' w"]);
  expect(await axeViolations(page)).toEqual([]);
  await statements.nth(1).click();
  await editorOf(page).getByText("select 'kept' w").waitFor();
  await page.getByRole("button", { name: "History" }).click();
  await dialog.getByRole("button", { name: "Delete the history" }).click();
  await dialog.getByText("Statements that you run or close are kept here").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "History" }).click();
  await dialog.getByText("Statements that you run or close are kept here").waitFor();
  expectNoProblems(opened);
});

test("editor: a statement is laid out with a line for each clause, and Ctrl+Z brings it back", async () => {
  const opened = await fixture.open({ path });
  const { page } = opened;
  const written = "select v, 1L one from data.events lateral view explode(array(1)) t as k where v <> 'a  b' -- all";
  await write(page, written);
  await page.getByRole("button", { name: "Format", exact: true }).click();
  await expect
    .poll(() => textOf(page))
    .toEqual([
      "select",
      "  v,",
      "  1L one",
      "from",
      "  data.events",
      "lateral view",
      "  explode(array(1)) t as k",
      "where",
      "  v <> 'a  b' -- all",
    ]);
  await page.getByText("No problems found.").waitFor();
  await page.keyboard.press("Control+z");
  await expect.poll(() => textOf(page)).toEqual([written]);
  await page.keyboard.press("Shift+Alt+f");
  await expect.poll(async () => (await textOf(page)).length).toBe(9);
  await write(page, "select 'open");
  await page.getByRole("button", { name: "Format", exact: true }).click();
  await page.getByText("The statement cannot be formatted").waitFor();
  expect(await textOf(page)).toEqual(["select 'open"]);
  expectNoProblems(opened);
});

test("editor: the columns of all tables in FROM are completed, alone and behind the name of their table", async () => {
  const { page } = await fixture.open({ path });
  const editor = editorOf(page);
  const offered = page.locator(".cm-tooltip-autocomplete");
  const completed = async (typed: string, wanted: string) => {
    const shown = async () => {
      await editor.fill("select 1 from sales.orders o join data.events on true where ");
      await editor.press("End");
      await editor.pressSequentially(typed);
      await page.waitForTimeout(300);
      return (await offered.allTextContents()).join(" ");
    };
    await expect.poll(shown, { interval: 500, timeout: 30_000 }).toContain(wanted);
  };
  await completed("cus", "customerorders");
  await completed("i", "idevents");
  await completed("o.cus", "customer");
  await completed("events.", "vevents");
});

test("editor: Edit and run again opens the statement of a query with its cluster, format and label", async () => {
  const statement = { clusterName: "c2", query: "select 'again' w", outputResourcePath: "dag://out/again" };
  const body = { ...statement, outputFormat: "tsv", label: "nightly-7" };
  const { json } = await call(fixture.service, "POST", "/v1/?select", { body });
  await ended(fixture.service, json.queryId);
  const { page } = await fixture.open({ path: `/console/queries/${json.queryId}` });
  await page.getByRole("link", { name: "Edit and run again" }).click();
  await editorOf(page).getByText("select 'again' w").waitFor();
  await expect.poll(() => page.getByLabel("Cluster").inputValue()).toBe("c2");
  expect(await page.getByLabel("Result format").inputValue()).toBe("tsv");
  expect(await page.getByLabel("Label").inputValue()).toBe("nightly-7");
});

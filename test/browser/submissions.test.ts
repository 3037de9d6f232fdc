import { beforeEach, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { call, ended } from "../contract/service/caller";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();
beforeEach(() => fixture.service?.reset());

const editorOf = (page: Page) => page.getByRole("textbox", { name: "HiveQL statement" });
const folderOf = (page: Page) => page.getByLabel("Result folder");
const submitted = async () => (await call(fixture.service, "GET", "/v1/?query")).json.queries;

/** Holds requests back until the returned function is called. */
async function hold(page: Page, matches: (url: URL) => boolean): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(matches, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

const isCheck = ({ pathname }: URL) => pathname.startsWith("/outputs/");
const isSubmission = ({ search }: URL) => /^\?(?:select|split)$/.test(search);

async function writeDraft(page: Page, statement: string, folder: string): Promise<void> {
  await editorOf(page).fill(statement);
  await folderOf(page).fill(folder);
}

test("submission: another draft that is shown during the check of the folder is not submitted", async () => {
  const opened = await fixture.open({ path: "/console/submit" });
  const { page } = opened;
  const events = async () => (await call(fixture.service, "GET", "/objects?prefix=dag://data/events/")).json.objects;
  const before = await events();
  await writeDraft(page, "select 'draft b' w", "dag://data/events/");
  await page.getByRole("button", { name: "New draft" }).click();
  await writeDraft(page, "select 'draft a' w", "dag://out/a/");
  const release = await hold(page, isCheck);
  await editorOf(page).press("Control+Enter");
  await page.getByRole("button", { name: "Submitting…" }).waitFor();
  await page.getByRole("button", { name: "select 'draft b' w", exact: true }).click();
  await page.getByRole("button", { name: "Run query" }).waitFor();
  release();
  await expect.poll(submitted).toHaveLength(1);
  const query = await ended(fixture.service, (await submitted())[0].id);
  expect(query).toMatchObject({ query: "select 'draft a' w", outputResourcePath: "dag://out/a/" });
  await page.getByText("The result appears here.").waitFor();
  await page.getByRole("button", { name: "select 'draft a' w", exact: true }).click();
  await page.getByRole("cell", { name: "draft a" }).waitFor();
  expect(await events()).toEqual(before);
  expectNoProblems(opened);
});

test("submission: until the answer comes the draft cannot be changed", async () => {
  const opened = await fixture.open({ path: "/console/submit" });
  const { page } = opened;
  await writeDraft(page, "select 'kept' w", "dag://out/kept/");
  const release = await hold(page, isCheck);
  await editorOf(page).press("Control+Enter");
  await page.getByRole("button", { name: "Submitting…" }).waitFor();
  await editorOf(page).press("End");
  await page.keyboard.type(", 'late' l");
  expect(await folderOf(page).isEditable()).toBe(false);
  expect(await page.getByLabel("Label").isEditable()).toBe(false);
  expect(await page.getByLabel("Cluster").isDisabled()).toBe(true);
  expect(await page.getByLabel("Result format").isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Format", exact: true }).isDisabled()).toBe(true);
  release();
  await page.getByRole("cell", { name: "kept", exact: true }).waitFor();
  expect(await editorOf(page).locator(".cm-line").allTextContents()).toEqual(["select 'kept' w"]);
  expect(await folderOf(page).isEditable()).toBe(true);
  expectNoProblems(opened);
});

test("submission: it goes on while other drafts and pages are shown, and runs once", async () => {
  const opened = await fixture.open({ path: "/console/submit" });
  const { page } = opened;
  await editorOf(page).fill("select 'once' w");
  const release = await hold(page, isSubmission);
  await editorOf(page).press("Control+Enter");
  const busy = page.getByRole("button", { name: "Submitting…" });
  await busy.waitFor();
  await page.getByRole("button", { name: "New draft" }).click();
  await page.getByRole("button", { name: "Run query" }).waitFor();
  await page.getByRole("button", { name: "select 'once' w", exact: true }).click();
  await busy.waitFor();
  await page.getByRole("link", { name: "Queries" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "New query" }).click();
  await busy.waitFor();
  await editorOf(page).press("Control+Enter");
  release();
  await page.getByRole("cell", { name: "once" }).waitFor();
  expect(await submitted()).toHaveLength(1);
  expectNoProblems(opened);
});

test("submission: a draft whose submission has no answer is closed only after a question, and its query is told", async () => {
  const opened = await fixture.open({ path: "/console/submit" });
  const { page } = opened;
  await editorOf(page).fill("select 'closed' w");
  const release = await hold(page, isSubmission);
  await editorOf(page).press("Control+Enter");
  await page.getByRole("button", { name: "Submitting…" }).waitFor();
  const close = page.getByRole("button", { name: "Close select 'closed' w" });
  const dialog = page.getByRole("dialog", { name: "Close this draft?" });
  await close.click();
  await dialog.getByRole("button", { name: "Keep it open" }).click();
  await page.getByRole("button", { name: "Submitting…" }).waitFor();
  await close.click();
  await dialog.getByRole("button", { name: "Close it" }).click();
  await page.getByRole("button", { name: "Empty draft", exact: true }).waitFor();
  release();
  await page.getByText(/^Query \d+ was submitted\./).waitFor();
  expect(await submitted()).toHaveLength(1);
  expectNoProblems(opened);
});

test("submission: a draft that is closed during the check of a folder with objects is not submitted, and that is told", async () => {
  const { page } = await fixture.open({ path: "/console/submit" });
  await writeDraft(page, "select 1 a", "dag://data/events/");
  const release = await hold(page, isCheck);
  await editorOf(page).press("Control+Enter");
  await page.getByRole("button", { name: "Close select 1 a" }).click();
  await page.getByRole("button", { name: "Close it" }).click();
  release();
  await page.getByText("The query was not submitted, because its draft was closed.").waitFor();
  expect(await submitted()).toEqual([]);
});

test("submission: a split keeps its form, and its answer leaves the user on another page", async () => {
  const opened = await fixture.open({ path: "/console/submit?kind=split" });
  const { page } = opened;
  const kinds = page.getByRole("navigation", { name: "Kind of query" });
  await page.getByLabel("Input objects").fill("dag://raw/in.csv");
  await page.getByLabel("Database").fill("data");
  await kinds.getByRole("link", { name: "Select" }).click();
  await editorOf(page).waitFor();
  await kinds.getByRole("link", { name: "Split" }).click();
  expect(await page.getByLabel("Input objects").inputValue()).toBe("dag://raw/in.csv");
  await page.getByLabel("Table", { exact: true }).fill("cut");
  const release = await hold(page, isSubmission);
  await page.getByRole("button", { name: "Run split" }).click();
  await page.getByRole("button", { name: "Submitting…" }).waitFor();
  await page.getByRole("link", { name: "Clusters" }).click();
  await page.getByRole("heading", { name: "c1" }).waitFor();
  release();
  await page.getByText(/^Query \d+ was submitted\./).waitFor();
  expect(page.url()).toContain("/console/clusters");
  await page.reload();
  await page.getByRole("navigation").getByRole("link", { name: "New query" }).click();
  await kinds.getByRole("link", { name: "Split" }).click();
  expect(await page.getByLabel("Database").inputValue()).toBe("data");
  await ended(fixture.service, (await submitted())[0].id);
  expectNoProblems(opened);
});

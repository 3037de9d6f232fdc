import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, ended } from "../contract/service/caller";
import { ofToday } from "../today";
import { axeViolations, drawn, looks } from "./support/axe";
import { expectNoProblems, layoutShift, noBrowser, useConsole, type Opened } from "./support/console";

const fixture = useConsole();
let query = 0;
let failed = 0;

beforeAll(async () => {
  if (noBrowser) return;
  const submit = (statement: string, label: string) =>
    call(fixture.service, "POST", "/v1/?select", {
      body: { clusterName: "c1", query: statement, outputResourcePath: `dag://out/${label}`, label },
    });
  query = (await submit("select v, count(*) n from data.events group by v", "nightly-report")).json.queryId;
  failed = (await submit("select assert_true(id < 2) from data.events", "broken")).json.queryId;
  await ended(fixture.service, query);
  await ended(fixture.service, failed);
});

/** A page of the console, its text, and what a user does there first. */
interface View {
  readonly name: string;
  readonly path: () => string;
  readonly text: string;
  readonly act?: (page: Page) => Promise<void>;
  readonly signedIn?: false;
  /** Errors that the browser itself reports of requests which the service refuses. */
  readonly refused?: true;
}

const statement = { name: "HiveQL statement" };

const views: readonly View[] = [
  { name: "sign-in", path: () => "/console/", text: "Sign in", signedIn: false },
  {
    name: "refused sign-in",
    path: () => "/console/",
    text: "Sign in",
    signedIn: false,
    refused: true,
    act: async (page) => {
      await page.getByLabel("Access key ID").fill("nobody");
      await page.getByLabel("Secret access key").fill("nothing");
      await page.keyboard.press("Enter");
      await page.getByText("InvalidAccessKeyId").waitFor();
    },
  },
  {
    name: "sign-in to another service",
    path: () => "/console/?endpoint=http%3A%2F%2F127.0.0.1%3A1",
    text: "This page calls another service",
    signedIn: false,
  },
  { name: "queries", path: () => "/console/queries", text: "nightly-report" },
  { name: "empty list", path: () => "/console/queries?label=none", text: "No query matches these filters" },
  { name: "query", path: () => `/console/queries/${query}`, text: "Result" },
  { name: "failed query", path: () => `/console/queries/${failed}`, text: "Why it failed" },
  { name: "unknown query", path: () => "/console/queries/4711", text: "query 4711 does not exist", refused: true },
  { name: "submit", path: () => "/console/submit", text: "Run query" },
  {
    name: "submit with a problem",
    path: () => "/console/submit",
    text: "Run query",
    act: async (page) => {
      await page.getByRole("textbox", statement).fill("select nothing from data.events -- a comment");
      await page.getByText("Line 1, column 8").waitFor();
    },
  },
  {
    name: "submit with completions",
    path: () => "/console/submit",
    text: "Run query",
    act: async (page) => {
      await page.getByRole("textbox", statement).pressSequentially("sel");
      await page.locator(".cm-tooltip-autocomplete").waitFor();
    },
  },
  {
    name: "submit with a result",
    path: () => "/console/submit",
    text: "Run query",
    act: async (page) => {
      await page.getByRole("textbox", statement).fill("select id, v, repeat('wide ', 60) w from data.events");
      await page.getByRole("textbox", statement).press("Control+Enter");
      await page.getByRole("region", { name: "Rows" }).waitFor();
      await page.getByRole("button", { name: "New draft" }).click();
      await page.getByRole("button", { name: "select id", exact: false }).first().click();
      await page.getByRole("region", { name: "Rows" }).waitFor();
    },
  },
  { name: "sorted queries", path: () => "/console/queries?sort=duration&from=2020-01-01", text: "nightly-report" },
  { name: "split", path: () => "/console/submit?kind=split", text: "Run split" },
  { name: "tables", path: () => "/console/tables", text: "events" },
  { name: "table", path: () => "/console/tables/sales/orders", text: "grace" },
  { name: "view", path: () => "/console/views/sales/totals", text: "View of the config" },
  { name: "lineage", path: () => "/console/lineage/out/nightly-report", text: "Drag to move" },
  { name: "stale queries", path: () => "/console/queries?stale=true", text: "No result is stale" },
  { name: "clusters", path: () => "/console/clusters", text: "Slots in use" },
  { name: "api", path: () => "/console/api", text: "submitSelect" },
  {
    name: "api with an answer",
    path: () => "/console/api",
    text: "submitSelect",
    act: async (page) => {
      await page.getByText("listClusters").click();
      await page.getByRole("button", { name: "Send listClusters" }).click();
      await page.getByText("200 OK").waitFor();
      for (const name of ["curl", "TypeScript"]) await page.getByText(name, { exact: true }).first().click();
    },
  },
  { name: "no page", path: () => "/console/nothing", text: "There is no such page." },
];

describe.each(views)("page $name", ({ path, text, act, signedIn = true, refused }) => {
  let opened: Opened;
  let shift = 0;
  beforeAll(async () => {
    if (noBrowser) return;
    opened = await fixture.openKept({ path: path(), signedIn });
    await opened.page.getByText(text).first().waitFor();
    await drawn(opened.page);
    shift = await layoutShift(opened);
    await act?.(opened.page);
  });
  afterAll(() => opened?.page.context().close());

  test("calls no other origin, has no error, and nothing moves by itself", async () => {
    const origins = new Set(opened.requests.map(({ url }) => new URL(url).origin).filter((each) => each !== "null"));
    expect([...origins]).toEqual([fixture.service.url]);
    if (!refused) expectNoProblems(opened);
    expect(shift).toBeLessThan(0.01);
  });

  test("has no violation that axe finds, light and dark, wide and narrow", async () => {
    // Half of the looks, the other half tomorrow: each has both colours, wide and narrow.
    expect(await axeViolations(opened.page, ofToday(looks, 2))).toEqual([]);
  });

  test("fits 360 px to 4K without scrolling sideways", async () => {
    for (const [width, height] of [
      [360, 740],
      [390, 844],
      [768, 1024],
      [900, 800],
      [1440, 900],
      [1920, 1080],
      [3840, 2160],
    ] as const) {
      await opened.page.setViewportSize({ width, height });
      await drawn(opened.page);
      const overflow = await opened.page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([width, overflow]).toEqual([width, 0]);
    }
  });
});

test("first load: at most 70 KB compressed, and nothing moves afterwards", async () => {
  const opened = await fixture.open();
  const { page } = opened;
  await page.getByText("nightly-report").waitFor();
  const first = await page.evaluate(() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]!.startTime,
    list: performance.now(),
    files: performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => /\/console\/assets\//.test(name)),
  }));
  expect(first.files.length).toBeGreaterThan(1);
  let bytes = 0;
  for (const file of [`${fixture.service.url}/console/`, ...first.files]) {
    bytes += gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer())).length;
  }
  console.log(
    `first load: ${(bytes / 1000).toFixed(1)} KB compressed; first paint after ${first.paint.toFixed(0)} ms, ` +
      `the list after ${first.list.toFixed(0)} ms`,
  );
  expect(bytes).toBeLessThan(70_000);
  // The list is read again, and the ages with it.
  const lists = () => opened.requests.filter(({ url }) => url.includes("/queries?max=100")).length;
  const before = lists();
  await expect.poll(lists, { timeout: 20_000 }).toBeGreaterThan(before);
  await drawn(page);
  expect(await layoutShift(opened)).toBeLessThan(0.01);
});

test("keyboard: every page can be reached and left without a mouse", async () => {
  const { page } = await fixture.open();
  await page.getByText("nightly-report").waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
  for (const name of ["New query", "Tables", "Clusters", "API", "Queries"]) {
    await page.getByRole("link", { name, exact: true }).first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name, level: 1 }).waitFor();
  }
});

test("keyboard: Escape and Tab leave the editor", async () => {
  const { page } = await fixture.open({ path: "/console/submit" });
  await page.getByRole("textbox", { name: "HiveQL statement" }).focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("SELECT");
});

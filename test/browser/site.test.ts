/// <reference lib="dom" />
/** The site of docs/, built as `npm run docs` does, in a real browser without a network. */
import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { downloads, groups } from "../../tools/site/pages.mjs";
import { ofToday } from "../today";
import { axeViolations, looks } from "./support/axe";
import { browserPath, launchBrowser } from "./support/chromium.mts";

const root = resolve(__dirname, "../..");
const dist = join(root, "docs/.vitepress/dist");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
};

/** Serves the folder as any web server does. */
function serveFolder(): Promise<Server> {
  const server = createServer(({ url = "" }, answer) => {
    const path = join(dist, decodeURIComponent(url.split("?", 1)[0]!).replace(/\/$/, "/index.html"));
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    answer.writeHead(isFile ? 200 : 404, { "Content-Type": types[extname(path)] ?? "application/octet-stream" });
    answer.end(isFile ? readFileSync(path) : "");
  });
  return new Promise((done) => void server.listen(0, "127.0.0.1", () => done(server)));
}

describe.skipIf(browserPath === undefined)("the site", () => {
  let server: Server;
  let browser: Browser;
  let url = "";
  const pages: Page[] = [];

  beforeAll(async () => {
    const built = promisify(execFile)(process.execPath, ["scripts/docs.mjs"], { cwd: root, maxBuffer: 2 ** 24 });
    [server, browser] = await Promise.all([built.then(serveFolder), launchBrowser()]);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
  });

  /** Opens a page and collects what goes wrong on it, and every request that leaves this machine. */
  async function open(path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    pages.push(page);
    const problems: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on(
      "request",
      (request) =>
        !/^(?:data:|blob:)/.test(request.url()) && !request.url().startsWith(url) && problems.push(request.url()),
    );
    await page.goto(url + path, { waitUntil: "networkidle" });
    return { page, problems };
  }

  test.each([
    ["a subject", "SIGHUP replaces key pairs", /\/(?:service|run\/team)\.html/, "SIGHUP"],
    [
      "the message of a refused statement",
      "compares bigint with string",
      /\/refusals\.html/,
      "compares bigint with string",
    ],
    ["an error code", "OutputTableAlreadyExists", /\.html/, "OutputTableAlreadyExists"],
  ])("search: finds a page by %s, without a network, and opens it", async (_, words, address, found) => {
    const { page, problems } = await open("/");
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill(words);
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    const results = await page
      .locator(".VPLocalSearchBox .result")
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    const index = results.findIndex((href) => address.test(href));
    expect(index, results.join("\n")).toBeGreaterThanOrEqual(0);
    await page.locator(".VPLocalSearchBox .result").nth(index).click();
    await page.waitForURL(address);
    await page.locator("main").getByText(found).first().waitFor();
    expect(problems).toEqual([]);
  });

  test("code: the button copies the block as it is", async () => {
    const { page } = await open("/start.html", { permissions: ["clipboard-read", "clipboard-write"] });
    const block = page.locator("div.language-ts").first();
    await block.hover();
    await block.getByRole("button").click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const source = readFileSync(join(root, "docs/start.md"), "utf8");
    expect(copied.trim()).toBe(/```ts\n([^]*?)```/.exec(source)![1]!.trim());
  });

  test("files: the site has the configs that a page names, and a link downloads each", async () => {
    const { page } = await open("/run/team.html");
    expect(await page.locator("main a[download]").count()).toBeGreaterThan(downloads.length / 2);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator('main a[download="nginx.conf"]').first().click(),
    ]);
    expect(readFileSync(await download.path(), "utf8")).toBe(
      readFileSync(join(root, "docs/run/files/nginx.conf"), "utf8"),
    );
    for (const file of downloads) expect((await fetch(`${url}/${file}`)).status, file).toBe(200);
  });

  test("diagrams: are drawn, in the colours of the page, from the text that the repository shows", async () => {
    const { page, problems } = await open("/understand/query.html");
    const diagrams = page.locator(".diagram svg");
    await diagrams.nth(1).waitFor();
    expect(await diagrams.count()).toBe(2);
    expect(await page.locator(".diagram").first().innerText()).toContain("202 with the query's ID");
    expect(problems).toEqual([]);
  });

  test("menu: has the groups in the order in which readers come, every page, and the version", async () => {
    const { page } = await open("/");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(await page.locator(".VPNavBarTitle").innerText()).toContain(version);
    const sidebar = page.locator(".VPSidebar");
    expect(await sidebar.locator("h2").allInnerTexts()).toEqual(groups.map(({ title }) => title));
    expect(await sidebar.locator("a").allInnerTexts()).toEqual(
      groups.flatMap((group) => group.pages.map(({ title }) => title)),
    );
  });

  test("every page: opens without an error or a request to elsewhere, and fits into 390 px", async () => {
    const { page, problems } = await open("/", { viewport: { width: 390, height: 844 } });
    const wide: string[] = [];
    for (const { file } of groups.flatMap((group) => group.pages)) {
      await page.goto(`${url}/${file.replace(/\.md$/, ".html")}`, { waitUntil: "load" });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 390) wide.push(`${file}: ${width}`);
      expect(await page.locator("main h1").count(), file).toBeGreaterThan(0);
    }
    expect(wide).toEqual([]);
    expect(problems).toEqual([]);
  });

  const files = groups.flatMap((group) => group.pages.map(({ file }) => file));
  /** One page for all, whose cache has what they share. */
  let kept: Page;
  beforeAll(async () => {
    kept = await browser.newPage();
  });
  /** The frame of every page, of which axe takes longer than of most texts. */
  const frame = [".VPNav", ".VPSidebar", ".VPLocalNav"];
  test.each(files.map((file, index) => [file, index] as const))(
    "axe finds nothing on %s, in light and dark, from 1,440 to 390 px: another one of these looks each day",
    async (file, index) => {
      await kept.goto(`${url}/${file.replace(/\.md$/, ".html")}`, { waitUntil: "load" });
      // The next page is seen in the next look, so that each day has all of them; the first page with the frame, in all.
      const ofDay = [...looks.slice(index % looks.length), ...looks.slice(0, index % looks.length)];
      const chosen = index === 0 ? looks : ofToday(ofDay, looks.length);
      expect(await axeViolations(kept, chosen, index === 0 ? [] : frame)).toEqual([]);
    },
  );
});

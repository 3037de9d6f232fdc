import { gzipSync } from "node:zlib";
import axe from "axe-core";
import { beforeAll, describe, expect, test } from "vitest";
import { call, ended } from "../contract/service/caller";
import { expectNoProblems, noBrowser, useConsole, type Opened } from "./support/console";

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

const pages = [
  ["sign-in", () => "/console/", "Sign in"],
  ["queries", () => "/console/queries", "nightly-report"],
  ["query", () => `/console/queries/${query}`, "Result"],
  ["failed query", () => `/console/queries/${failed}`, "Why it failed"],
  ["submit", () => "/console/submit", "Run query"],
  ["split", () => "/console/submit?kind=split", "Run split"],
  ["tables", () => "/console/tables", "events"],
  ["table", () => "/console/tables/sales/orders", "grace"],
  ["clusters", () => "/console/clusters", "Slots in use"],
  ["api", () => "/console/api", "submitSelect"],
] as const;

describe.each(pages)("page %s", (name, path, text) => {
  const show = async (width: number, height: number, colorScheme: "light" | "dark") => {
    const options = { viewport: { width, height }, colorScheme, path: path(), signedIn: name !== "sign-in" };
    const opened = await fixture.open(options);
    await opened.page.getByText(text).first().waitFor();
    return opened;
  };

  test.each(["light", "dark"] as const)("has no violation that axe finds, %s, wide and narrow", async (scheme) => {
    for (const [width, height] of [
      [1280, 800],
      [360, 740],
    ] as const) {
      const opened = await show(width, height, scheme);
      expect(await axeViolations(opened)).toEqual([]);
      expectNoProblems(opened);
    }
  });

  test.each([
    [360, 740],
    [768, 1024],
    [3840, 2160],
  ])("fits %i × %i without scrolling sideways", async (width, height) => {
    const { page } = await show(width, height, "light");
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });

  test("calls no other origin", async () => {
    const { requests } = await show(1280, 800, "light");
    const origins = new Set(requests.map(({ url }) => new URL(url).origin).filter((origin) => origin !== "null"));
    expect([...origins]).toEqual([fixture.service.url]);
  });
});

test("first load: at most 150 KB compressed, and nothing moves afterwards", async () => {
  const { page } = await fixture.open({
    before: async (context) => {
      await context.addInitScript(() => {
        Object.assign(globalThis, { shifts: 0 });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            (globalThis as unknown as { shifts: number }).shifts += (entry as unknown as { value: number }).value;
          }
        }).observe({ type: "layout-shift", buffered: true });
      });
    },
  });
  await page.getByText("nightly-report").waitFor();
  await page.waitForTimeout(2500);
  expect(await page.evaluate(() => (globalThis as unknown as { shifts: number }).shifts)).toBeLessThan(0.01);
  const files = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => /\/console\/assets\//.test(name)),
  );
  expect(files.length).toBeGreaterThan(1);
  let bytes = 0;
  for (const file of [`${fixture.service.url}/console/`, ...files]) {
    bytes += gzipSync(Buffer.from(await (await fetch(file)).arrayBuffer())).length;
  }
  expect(bytes).toBeLessThan(150_000);
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

async function axeViolations({ page }: Opened): Promise<string[]> {
  // The page's policy forbids the script in the page; the debugger may evaluate it.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + (node.any[0] ?? node.all[0] ?? node.none[0])?.message))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(result.value as string) as string[];
}

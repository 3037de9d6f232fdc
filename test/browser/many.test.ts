import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "dag-service/testing";
import { expect, onTestFinished, test } from "vitest";
import { call, ended } from "../contract/service/caller";
import { launchBrowser } from "./support/chromium.mts";
import { openPage, requireBrowser } from "./support/console";

const total = 100_000;
requireBrowser();

test("100,000 queries: all can be scrolled to, and few rows are in the page", async () => {
  const data = mkdtempSync(join(tmpdir(), "dag-many-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  await leaveOneQuery(data);
  fill(join(data, "state.sqlite"));
  await using service = await startService({ dataDirectory: data });
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openPage(browser, service);
  const frame = page.locator(".virtual-frame");
  await page.getByRole("link", { name: `Query ${total}` }).waitFor();

  // Loads page after page, as a user does who drags the bar down.
  await frame.evaluate(async (element, wanted) => {
    const rows = element.querySelector(".virtual-rows")!;
    const heightOf = () => Math.round(rows.getBoundingClientRect().height / 52);
    while (heightOf() < wanted) {
      element.scrollTop = element.scrollHeight;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    element.scrollTop = element.scrollHeight;
  }, total);
  await page.getByRole("link", { name: "Query 1", exact: true }).waitFor();
  expect(await page.locator("[data-row]").count()).toBeLessThan(60);

  // Two seconds of steady scrolling: the times are printed, because other programs share the machine.
  const frames = await frame.evaluate(async (element) => {
    const times: number[] = [];
    element.scrollTop = 0;
    for (let start = performance.now(), now = start; now - start < 2000;) {
      now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      times.push(now);
      element.scrollTop += 400;
    }
    return times.slice(1).map((time, index) => time - times[index]!);
  });
  expect(await page.locator("[data-row]").count()).toBeLessThan(60);
  const sorted = frames.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  console.log(
    `100,000 queries: ${frames.length} frames in 2 s, median ${median.toFixed(1)} ms, ` +
      `95th percentile ${sorted[Math.floor(sorted.length * 0.95)]!.toFixed(1)} ms`,
  );
}, 300_000);

async function leaveOneQuery(dataDirectory: string): Promise<void> {
  await using service = await startService({ dataDirectory });
  const body = { clusterName: "demo", query: "select 1", outputResourcePath: "dag://default/x", label: "many" };
  await call(service, "POST", "/v1/?select", { body });
  await ended(service, 1);
}

/** Copies the one finished query of the state, so that the rows are as the service itself stores them. */
function fill(file: string): void {
  const database = new DatabaseSync(file);
  const names = database.prepare("SELECT name FROM pragma_table_info('queries') WHERE name <> 'id'").all();
  const columns = names.map(({ name }) => name).join(", ");
  database.exec(`
    WITH RECURSIVE more(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM more WHERE n < ${total})
    INSERT INTO queries (${columns}) SELECT ${columns} FROM more, queries WHERE id = 1`);
  database.close();
}

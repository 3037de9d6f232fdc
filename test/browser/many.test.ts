import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "dag-service/testing";
import type { CDPSession } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { call, ended } from "../contract/service/caller";
import { useConsole } from "./support/console";

const total = 100_000;
const fixture = useConsole();

test("100,000 queries: all can be scrolled to, and few rows are in the page", async () => {
  const data = mkdtempSync(join(tmpdir(), "dag-many-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  await leaveOneQuery(data);
  fill(join(data, "state.sqlite"));
  await using service = await startService({ dataDirectory: data });
  const { page } = await fixture.open({ service, credentials: service.credentials });
  const frame = page.locator(".virtual-frame");
  await page.getByRole("link", { name: `Query ${total}` }).waitFor();

  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  // Loads page after page, as a user does who drags the bar down.
  for (const count of [10_000, total]) {
    await frame.evaluate(async (element, wanted) => {
      const loaded = () => Number(element.closest("[role=table]")!.getAttribute("aria-rowcount")) - 1;
      for (let before = 0; before < wanted;) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = loaded();
        if (now > before) element.scrollTop = element.scrollHeight;
        before = now;
      }
    }, count);
    const script = (await metrics(session)).get("ScriptDuration")! * 1000;
    console.log(`${count.toLocaleString("en")} queries loaded: ${script.toFixed(0)} ms of script so far`);
  }
  await page.getByRole("link", { name: "Query 1", exact: true }).waitFor();
  expect(await page.locator("[data-row]").count()).toBeLessThan(60);

  // 120 frames of steady scrolling. Other programs share the machine, so times are printed only; what is checked is the
  // work of a frame: the rows that it draws, what it changes of others, and its layouts.
  const before = await metrics(session);
  const { times, drawn, changed } = await frame.evaluate(async (element) => {
    const work = { drawn: 0, changed: 0 };
    const observer = new MutationObserver((records) => {
      for (const { type, addedNodes } of records) {
        if (type === "childList") work.drawn += [...addedNodes].filter((node) => "dataset" in node).length;
        else work.changed += 1;
      }
    });
    element.scrollTop = 0;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    observer.observe(element.querySelector(".virtual-rows")!, { childList: true, attributes: true, subtree: true });
    const moments: number[] = [];
    for (let count = 0; count <= 120; count += 1) {
      moments.push(await new Promise<number>((resolve) => requestAnimationFrame(resolve)));
      element.scrollTop += 400;
    }
    observer.disconnect();
    return { times: moments.slice(1).map((time, index) => time - moments[index]!), ...work };
  });
  const after = await metrics(session);
  expect(await page.locator("[data-row]").count()).toBeLessThan(60);
  const each = (name: string) => (after.get(name)! - before.get(name)!) / times.length;
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (part: number) => sorted[Math.floor(sorted.length * part)]!.toFixed(1);
  console.log(
    `100,000 queries: ${times.length} frames, median ${percentile(0.5)} ms, 95th percentile ${percentile(0.95)} ms; ` +
      `${(each("TaskDuration") * 1000).toFixed(1)} ms of the page's thread, ${(drawn / times.length).toFixed(1)} rows ` +
      `and ${each("LayoutCount").toFixed(2)} layouts for each`,
  );
  // 400 px have 8 rows of 52 px. A row that stays is not touched, but for the ages every few seconds.
  expect(drawn / times.length).toBeGreaterThan(1);
  expect(drawn / times.length).toBeLessThan(10);
  expect(changed / times.length).toBeLessThan(2);
  // More than one layout in a frame would be one that a script has forced.
  expect(each("LayoutCount")).toBeLessThan(1.5);
}, 300_000);

/** What the page's main thread has done so far: seconds of its own time, and counts. */
async function metrics(session: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics: found } = await session.send("Performance.getMetrics");
  return new Map(found.map(({ name, value }) => [name, value]));
}

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

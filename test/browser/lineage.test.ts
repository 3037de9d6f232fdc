import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { LineageGraph } from "../../contract";
import { call, ended } from "../contract/service/caller";
import { axeViolations } from "./support/axe";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();
beforeEach(() => fixture.service?.reset());

/** Runs a select to `lake.<table>`. */
async function make(table: string, query: string): Promise<number> {
  const body = { clusterName: "c1", query, outputResourcePath: `dag://out/${table}` };
  const { json } = await call(fixture.service, "POST", "/v1/?select", { body });
  expect((await ended(fixture.service, json.queryId)).status).toBe("finished");
  return json.queryId;
}

async function chain(): Promise<number[]> {
  const first = await make("a", "select id, v from data.events");
  const second = await make("b", "select * from `out`.a");
  const third = await make("c", "select * from `out`.b");
  return [first, second, third];
}

const changeEvents = () => writeFileSync(join(fixture.service.bucketsDirectory, "data/events/b.csv"), "4,z\n");

test("lineage: the graph shows upstream and downstream, and what is stale with the reason", async () => {
  const [first] = await chain();
  changeEvents();
  const opened = await fixture.open({ path: "/console/lineage/out/b" });
  const { page } = opened;
  await page.getByRole("heading", { name: "Lineage of out.b" }).waitFor();
  await page.getByRole("button", { name: /^data\.events/ }).waitFor();
  await page.getByRole("button", { name: /^out\.c · result of query \d+ · stale/ }).waitFor();
  expect(await page.locator(".lineage .edge").count()).toBe(3);
  const node = page.getByRole("button", { name: /^out\.a/ });
  await node.click();
  const selected = page.getByRole("region", { name: "Selected node" });
  await selected.getByText("Stale: data.events was changed.").waitFor();
  await selected.getByRole("link", { name: "Show its lineage" }).click();
  await page.getByRole("heading", { name: "Lineage of out.a" }).waitFor();
  await page
    .getByRole("region", { name: "Selected node" })
    .getByRole("link", { name: `Query ${first}` })
    .click();
  await page.getByRole("heading", { name: `Query ${first}` }).waitFor();
  expectNoProblems(opened);
});

test("lineage: arrow keys go along the edges, Enter selects, and keys zoom", async () => {
  await chain();
  const { page } = await fixture.open({ path: "/console/lineage/out/b" });
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-node"));
  await page.getByRole("button", { name: /^out\.b/ }).focus();
  for (const [key, id] of [
    ["ArrowRight", "dag://out/c/"],
    ["ArrowLeft", "dag://out/b/"],
    ["ArrowLeft", "dag://out/a/"],
    ["ArrowLeft", "dag://data/events/"],
    ["ArrowLeft", "dag://data/events/"],
    ["Home", "dag://out/b/"],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused()).toBe(id);
  }
  const scale = async () => {
    const transform = await page.locator(".lineage > g").getAttribute("transform");
    return Number(/scale\(([\d.]+)\)/.exec(transform ?? "")?.[1]);
  };
  const before = await scale();
  await page.keyboard.press("+");
  await expect.poll(scale).toBeGreaterThan(before);
  await page.keyboard.press("-");
  await page.keyboard.press("-");
  await expect.poll(scale).toBeLessThan(before);
  await page.keyboard.press("0");
  await expect.poll(scale).toBe(before);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(scale).toBeGreaterThan(before);
});

test("lineage: the pages of a query and of a table show what they are made of and who reads them", async () => {
  const [first, second] = await chain();
  changeEvents();
  const { page } = await fixture.open({ path: `/console/queries/${second}` });
  const part = page.getByRole("region", { name: "Lineage" });
  await part.getByRole("link", { name: "out.a" }).waitFor();
  await part.getByText(/^1 object, \d+ B then$/).waitFor();
  await part.getByRole("link", { name: "out.c" }).waitFor();
  await part.getByText("Stale: data.events was changed (through out.a).").waitFor();
  await part.getByRole("link", { name: "out.a" }).click();
  await page.getByRole("heading", { name: "out.a" }).waitFor();
  await part.getByRole("link", { name: "data.events" }).waitFor();
  await part.getByRole("link", { name: "out.b" }).waitFor();
  await part.getByRole("link", { name: `Query ${first}` }).waitFor();
  await part.getByRole("link", { name: "Show the graph" }).click();
  await page.getByRole("heading", { name: "Lineage of out.a" }).waitFor();
});

test("lineage: the list of queries can show only what is stale, with the reason", async () => {
  const ids = await chain();
  await make("other", "select n from data.numbers where n < 5");
  const { page } = await fixture.open();
  await page.getByRole("button", { name: "Stale" }).click();
  await page.getByText("No result is stale").waitFor();
  changeEvents();
  await page.reload();
  await expect.poll(() => page.getByRole("row").count()).toBe(ids.length + 1);
  await page.getByRole("row", { name: /data\.events was changed select id, v/ }).waitFor();
  expect(page.url()).toMatch(/\?stale=true$/);
  await page.getByRole("button", { name: "All" }).click();
  await expect.poll(() => page.getByRole("row").count()).toBe(ids.length + 2);
});

test("lineage: a result that was deleted is not listed as a reader, and the graph says so", async () => {
  const [first] = await chain();
  rmSync(join(fixture.service.bucketsDirectory, "out/b"), { recursive: true });
  const { page } = await fixture.open({ path: `/console/queries/${first}` });
  const part = page.getByRole("region", { name: "Lineage" });
  await part.getByText("No result that is still there was made of it.").waitFor();
  await part.getByRole("link", { name: "Show the graph" }).click();
  await page.getByRole("button", { name: /^out\.c · result of query \d+ · stale/ }).waitFor();
  await page.getByRole("button", { name: /^out\.b · result of query \d+ · deleted/ }).click();
  const selected = page.getByRole("region", { name: "Selected node" });
  await selected.getByText(/^result of query \d+ · deleted$/).waitFor();
  expect(await selected.getByRole("link", { name: "Open the table" }).count()).toBe(0);
});

test("lineage: of a result whose objects were changed by hand, the note says so", async () => {
  await chain();
  writeFileSync(join(fixture.service.bucketsDirectory, "out/a/by-hand.csv"), "9,z\n");
  const { page } = await fixture.open({ path: "/console/lineage/out/a" });
  const selected = page.getByRole("region", { name: "Selected node" });
  await selected.getByText(/out\/a\/by-hand\.csv/).waitFor();
});

test("lineage: has no violation that axe finds", async () => {
  await chain();
  changeEvents();
  const { page } = await fixture.open({ path: "/console/lineage/out/b" });
  await page.getByRole("button", { name: /^out\.c/ }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

test("lineage: of 500 nodes only those in view are drawn; the time of the script is printed", async () => {
  const { page } = await fixture.open({
    path: "/console/queries",
    before: async (context) => {
      await context.route("**/lineage/lake/**", (route) => route.fulfill({ json: large(500) satisfies LineageGraph }));
    },
  });
  await page.getByText("No queries yet").waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const script = async () =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "ScriptDuration")!.value * 1000;
  const before = await script();
  await page.evaluate(() => {
    const link = Object.assign(document.createElement("a"), { href: "/console/lineage/lake/t250" });
    document.querySelector("main")!.append(link);
    link.click();
  });
  await page.getByRole("button", { name: /^lake\.t250 / }).waitFor();
  const shown = await page.locator(".lineage .node").count();
  const milliseconds = (await script()) - before;
  console.log(`500 nodes: ${milliseconds.toFixed(0)} ms of script`);
  // Times depend on the machine: what is checked is that only the part in view is drawn.
  expect(shown).toBeGreaterThan(0);
  expect(shown).toBeLessThan(200);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect.poll(() => page.locator(".lineage .node").count()).toBe(500);
});

/** A lineage of layers, in which a node is made of one to three of the layer before. */
function large(count: number): LineageGraph {
  const id = (index: number) => `dag://lake/t${index}/`;
  const width = 25;
  const edges = Array.from({ length: count - width }, (_, at) => at + width).flatMap((to) =>
    Array.from({ length: 1 + (to % 3) }, (_, nth) => {
      const layer = Math.floor(to / width) - 1;
      return { from: id(layer * width + ((to + nth) % width)), to: id(to), queryId: to };
    }),
  );
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: id(index),
    kind: "result" as const,
    name: `lake.t${index}`,
    queryId: index + 1,
    ...(index % 7 === 0 ? { stale: "lake.t1 was changed" } : {}),
  }));
  return { root: id(250), nodes, edges, isCut: false };
}

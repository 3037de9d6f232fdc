/** Tests of tables and queries that follow their input objects, for both front ends. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../../service/testing";
import { messages, rerun } from "./cases";
import type { FrontEnd } from "../../programs/front-ends";
import { buckets, objects, pipeline, type Settings } from "./program";
import { clientOf, objectsUnder, queriesOf, rows, startService, TestStack, type Run } from "../harness";

/** Tests that a table, and a query, follow their input objects. */
export function testInputs(frontEnd: FrontEnd): void {
  let service: TestService;
  let stack: TestStack;
  let settings: Settings;

  beforeAll(async () => {
    service = await startService({
      objects: { ...objects, "dag://outside/visits/v.csv": "owl,1\n" },
      buckets,
      tables: [{ database: "outside", table: "visits", format: "csv", schema: "string bird, bigint n" }],
    });
    stack = await TestStack.create(service);
    settings = {
      version: 1,
      table: { inputObjectKeys: ["dag://raw/2026/*.csv"], rerunOnInputChange: true },
      cleaned: {},
      report: {},
      kept: {},
    };
    stack.program = () => {
      const outputs = pipeline(frontEnd, settings);
      const visits = frontEnd.query("visits", {
        clusterName: "demo",
        query: "SELECT count(*) AS n FROM outside.visits",
        outputResourcePath: "dag://results/visits/",
        rerunOnInputChange: true,
      });
      return { ...outputs, visits: visits.queryId };
    };
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  function put(name: string, text: string): void {
    const path = join(service.bucketsDirectory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async function upOk(options: { readonly refresh?: boolean } = {}): Promise<Run> {
    const run = await stack.up(options);
    expect(run.ok, run.text).toBe(true);
    return run;
  }

  describe("a table follows its inputs", () => {
    test("up: expands a pattern, sorted by name", async () => {
      const run = await upOk();
      expect(run.outputs["birds"]).toEqual([["3"]]);
      await using client = clientOf(service);
      expect(await client.getQuery({ queryId: run.outputs["events"] as number })).toMatchObject({
        inputObjectKeys: Object.keys(objects),
      });
    });

    test("up --refresh: an object that changed is named, and the table and everything behind it is rebuilt once", async () => {
      put("raw/2026/a.csv", "owl,2\nwren,1\nowl,3\nowl,9\n");
      // A new object of a table that no resource of the program makes: the query that reads it follows, too.
      put("outside/visits/w.csv", "wren,1\n");
      const run = await upOk({ refresh: true });
      expect(run.text).toContain("dag://raw/2026/a.csv (changed)");
      expect(run.text).toContain("dag://outside/visits/w.csv (new)");
      expect(rerun(run)).toEqual(["cleaned", "events", "report", "visits"]);
      expect(run.outputs["birds"]).toEqual([["4"]]);
      // What "report" reads, "cleaned" of this run has written.
      expect(run.text).not.toContain("where other objects are now");
      expect((await upOk({ refresh: true })).changes).toMatchObject({ same: 6 });
      expect(await queriesOf(service)).toHaveLength(10);
    });

    test("up --refresh: a query whose statement holds the table's name runs again for the table, and is counted", async () => {
      // The engine passes the statement as unknown while the table is rebuilt.
      settings.cleaned = { query: (name) => `SELECT bird, n FROM ${name} WHERE n > 1` };
      await upOk();
      put("raw/2026/a.csv", "owl,2\nowl,3\nowl,4\nwren,1\n");
      const planned = await stack.refresh();
      expect(messages(planned).join("\n")).toContain(
        '(changed)\nThe query runs again in this "pulumi up", or else in the next one.',
      );
      const preview = await stack.preview();
      const line = messages(preview).find((message) => message.startsWith("cluster demo: "));
      expect(line).toContain("3 queries will run (0 new, 3 again); 3 results are kept");
      expect(line).toContain("cleaned: the table tables.events was rebuilt");
      put("raw/2026/a.csv", "owl,2\nwren,1\nowl,3\nowl,9\n");
      const run = await upOk({ refresh: true });
      expect(rows(run, "cleaned")).toContainEqual("runs again: the table tables.events was rebuilt");
      const all = messages(run);
      expect(all.filter((message) => message.startsWith("cluster demo: "))).toEqual([
        "cluster demo: 3 ran, 0 adopted, 3 kept",
      ]);
      expect(all.join("\n")).not.toContain('Run "pulumi up"');
      settings.cleaned = {};
      await upOk();
    });

    test("refresh: a new object of a pattern is named, and the next up rebuilds the table", async () => {
      put("raw/2026/c.csv", "kite,5\n");
      const refreshed = await stack.refresh();
      expect(refreshed.ok, refreshed.text).toBe(true);
      expect(refreshed.text).toContain("dag://raw/2026/c.csv (new)");
      const run = await upOk();
      expect(rerun(run)).toEqual(["cleaned", "events", "report"]);
      expect(run.outputs["birds"]).toEqual([["5"]]);
    });

    test("refresh: an object that is put back as it was is no change", async () => {
      renameSync(join(service.bucketsDirectory, "raw/2026/c.csv"), join(service.bucketsDirectory, "raw/c.csv"));
      expect((await stack.refresh()).text).toContain("1 object was removed");
      renameSync(join(service.bucketsDirectory, "raw/c.csv"), join(service.bucketsDirectory, "raw/2026/c.csv"));
      expect((await upOk({ refresh: true })).changes).toMatchObject({ same: 6 });
    });

    test("up --refresh: storage that cannot be read is a warning, and nothing runs again", async () => {
      put("raw/2026/a.csv", "owl,1\n");
      const away = (name: string) => renameSync(join(service.bucketsDirectory, name), `${service.dataDirectory}/away`);
      const back = (name: string) => renameSync(`${service.dataDirectory}/away`, join(service.bucketsDirectory, name));
      away("raw");
      const unreadable = await upOk({ refresh: true });
      back("raw");
      expect(unreadable.text).toContain("cannot read the input objects, so it is unknown whether they changed");
      expect(rerun(unreadable)).toEqual([]);
      away("raw/2026");
      const gone = await upOk({ refresh: true });
      back("raw/2026");
      expect(gone.text).toMatch(/the input objects dag:\/\/raw\/2026\/\*\.csv no longer exist.*its result is kept/);
      expect(rerun(gone)).toEqual([]);
      const after = await upOk({ refresh: true });
      expect(rerun(after)).toEqual(["cleaned", "events", "report"]);
    });

    test("preview, up: a pattern without a match is refused before anything is deleted", async () => {
      settings.table = { inputObjectKeys: ["dag://raw/2030/*.csv"], rerunOnInputChange: true };
      const before = await stack.resource("events");
      expect((await stack.preview()).ok).toBe(false);
      const run = await stack.up();
      expect(run.ok).toBe(false);
      expect(await stack.resource("events")).toEqual(before);
      expect(run.text).toContain('inputObjectKeys "dag://raw/2030/*.csv" matches no object');
      settings.table = { inputObjectKeys: ["dag://raw/2026/*.csv"], rerunOnInputChange: true };
      expect((await upOk()).changes).toMatchObject({ same: 6 });
    });
  });
}

/** Tests that a result must be as expected. */
export function testExpectations(frontEnd: FrontEnd): void {
  let service: TestService;
  let stack: TestStack;
  let settings: Settings;

  beforeAll(async () => {
    service = await startService({ objects, buckets });
    stack = await TestStack.create(service);
    stack.program = () => pipeline(frontEnd, settings);
  });
  beforeEach(() => {
    settings = { version: 1, table: {}, cleaned: {}, report: {}, kept: {} };
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  describe("expectations", () => {
    test("up: a broken one fails the deployment with what was found and the first rows, and stops what depends on it", async () => {
      settings.cleaned = { expect: { rows: { max: 0 } } };
      const run = await stack.up();
      expect(run.ok).toBe(false);
      expect(run.text).toContain("its result is not as expected: expected at most 0 rows, found more than 0");
      expect(run.text).toMatch(/The first rows:\n\s+owl \| 2\n\s+owl \| 3/);
      expect(run.text).toContain("The result is kept in dag://tables/cleaned/");
      expect(objectsUnder(service, "dag://tables/cleaned/")).not.toEqual([]);
      expect((await stack.resources()).map(({ urn }) => urn.split("::").at(-1))).not.toContain("report");
    });

    test("up: runs a query with a broken expectation again, and then everything that depends on it", async () => {
      const before = (await queriesOf(service)).length;
      settings.cleaned = { expect: { rows: { min: 4 } } };
      const again = await stack.up();
      expect(again.ok).toBe(false);
      expect(again.text).toContain("expected at least 4 rows, found 3");
      expect(await queriesOf(service)).toHaveLength(before + 1);
      settings.cleaned = { expect: { rows: { min: 3, max: 3 }, columns: ["bird", "n"] } };
      const run = await stack.up();
      expect(run.ok, run.text).toBe(true);
      expect(rerun(run)).toEqual(["cleaned", "report"]);
    });

    test("up: an expectation of a finished result is checked without running the query again", async () => {
      const before = (await queriesOf(service)).length;
      settings.cleaned = { expect: { rows: { min: 3 } } };
      settings.table = { expect: { rows: { min: 4, max: 4 }, columns: ["bird", "n"] } };
      const run = await stack.up();
      expect(run.ok, run.text).toBe(true);
      settings.table = { expect: { rows: { max: 3 } } };
      settings.cleaned = { expect: { rows: { min: 3 } } };
      const broken = await stack.up();
      expect(broken.ok).toBe(false);
      expect(broken.text).toContain("expected at most 3 rows, found more than 3");
      expect(await queriesOf(service)).toHaveLength(before);
    });

    test("refresh: keeps a broken expectation, so that the next up runs the query and what depends on it again", async () => {
      settings.table = { expect: { rows: { min: 4 } } };
      settings.cleaned = { expect: { rows: { min: 5 } } };
      expect((await stack.refresh()).text).toMatch(/not as expected|is not finished or has failed/);
      const run = await stack.up();
      expect(run.ok).toBe(false);
      expect(rerun(run)).toContain("events");
      expect(run.text).toMatch(/expected at least 5 rows, found \d/);
      settings.cleaned = { expect: { columns: ["BIRD", "n"] } };
      const fixed = await stack.up();
      expect(fixed.ok, fixed.text).toBe(true);
      expect(rerun(fixed)).toEqual(["cleaned", "report"]);
    });

    test("preview: expectations without dag:storage are refused", async () => {
      await stack.stack.removeConfig("dag:storage");
      settings.cleaned = { expect: { rows: { max: 0 } } };
      settings.table = { deletionPolicy: "keep" };
      settings.report = { resultRows: 0 };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(messages(run).join("\n")).toContain("expect needs access to the object storage");
    });
  });
}

/** Tests of what runs again, for both front ends. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../../service/testing";
import type { FrontEnd } from "../../programs/front-ends";
import { buckets, objects, pipeline, type Settings } from "./program";
import { diagnostics, queriesOf, rows, startService, TestStack, type Run, type StateResource } from "../harness";

/** Returns the names of the resources that a run replaced or created. */
export function rerun(run: Run): string[] {
  const names = run.events.flatMap(({ resourcePreEvent }) => {
    const { op = "", urn = "" } = resourcePreEvent?.metadata ?? {};
    return op === "create" || op === "create-replacement" ? [urn.split("::").at(-1)!] : [];
  });
  return names.filter((name) => !name.startsWith("e2e") && !name.startsWith("default")).toSorted();
}

/** Returns the permanent messages of a run. */
export function messages(run: Run): string[] {
  return diagnostics(run).map(({ message }) => message.trim());
}

/** Returns the size of a resource in the state, without logs, results, and the engine's names of what it depends on. */
function sizeOf(resource: StateResource): number {
  const { log: _log, result: _result, ...outputs } = resource.outputs;
  const own = Object.entries({ ...resource, outputs }).filter(([key]) => !ofEngine.has(key));
  return JSON.stringify(Object.fromEntries(own)).length;
}

const ofEngine: ReadonlySet<string> = new Set(["sourcePosition", "stackTrace", "dependencies", "propertyDependencies"]);

/** Returns a state as a release without generations wrote it. */
function withoutGenerations<State>(state: State): State {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([key]) => key !== "__gen");
    const plain = entries.map(([key, inner]) => [
      key,
      key === "__dag" && typeof inner === "string" ? inner.replace(/^[\w.-]+ /, "") : visit(inner),
    ]);
    return Object.fromEntries("startTime" in value ? [...plain, ["progress", "100%"]] : plain) as object;
  };
  return visit(state) as State;
}

/** Tests that a query follows the tables that it reads. */
export function testTables(frontEnd: FrontEnd): void {
  let service: TestService;
  let stack: TestStack;
  let settings: Settings;

  beforeAll(async () => {
    service = await startService({ objects, buckets });
    stack = await TestStack.create(service);
    settings = { version: 1, table: {}, cleaned: {}, report: {}, kept: {} };
    stack.program = () => pipeline(frontEnd, settings);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  describe("a query follows its tables", () => {
    let first: Run;

    test("up: creates everything, and says at its end how many queries ran", async () => {
      const planned = await stack.preview();
      expect(planned.ok, planned.text).toBe(true);
      expect(messages(planned)).toContainEqual(
        "cluster demo: 5 queries will run (5 new, 0 again); 0 results are kept; no output will be deleted",
      );
      const inDetail = await stack.preview({ diff: true });
      expect(inDetail.text).toContain('outputResourcePath: "dag://tables/cleaned/"');
      expect(inDetail.text).not.toMatch(/^[ ~+-]*(_\w*|tables) *: "/m);
      first = await stack.up();
      expect(first.ok, first.text).toBe(true);
      expect(first.outputs["birds"]).toEqual([["3"]]);
      for (const { text } of [planned, inDetail, first]) expect(text).not.toContain("does not depend on");
      expect(messages(first)).toContainEqual("cluster demo: 5 ran, 0 adopted, 0 kept");
    });

    test("preview: shows the queries of a table that is rebuilt as replacements, names the table, and says what will be deleted", async () => {
      settings.version = 2;
      const run = await stack.preview();
      expect(run.ok, run.text).toBe(true);
      expect(rerun(run)).toEqual(["cleaned", "events", "report"]);
      expect(run.changes["same"]).toBe(2);
      expect(rows(run, "cleaned")).toContainEqual("runs again: the table tables.events was rebuilt");
      expect(rows(run, "report")).toContainEqual("runs again: the table tables.cleaned was rebuilt");
      const keys = run.events.flatMap(({ resourcePreEvent }) =>
        resourcePreEvent?.metadata.urn.endsWith("::cleaned") ? (resourcePreEvent.metadata.keys ?? []) : [],
      );
      expect(keys).toContainEqual('tables["tables.events"]');
      expect(run.text).toMatch(/cleaned .*runs again: the table tables\.events was rebuilt/);
      const line = messages(run).find((message) => message.startsWith("cluster demo: "));
      expect(line).toContain("3 queries will run (0 new, 3 again); 2 results are kept");
      expect(line).toContain("events: triggers changed");
      expect(line).toContain("cleaned: the table tables.events was rebuilt");
      expect(line).toContain("report: the table tables.cleaned was rebuilt");
      for (const folder of ["dag://tables/events/", "dag://tables/cleaned/", "dag://results/report/"]) {
        expect(line!.split("outputs that will be deleted: ")[1]).toContain(folder);
      }
      expect(await queriesOf(service)).toHaveLength(5);
    });

    test("preview --diff: shows no property that the program did not set, and why a query runs again", async () => {
      const run = await stack.preview({ diff: true });
      expect(run.ok, run.text).toBe(true);
      expect(run.text).toContain("~ [0]: 1 => 2");
      expect(run.text).not.toMatch(/^[ ~+-]*(_\w*|tables) *: "/m);
      expect(run.text).toContain(frontEnd.rebuilt);
    });

    test("up: runs the query again, and the query of its result, and nothing else", async () => {
      settings.table = { inputObjectKeys: ["dag://raw/2026/a.csv"] };
      const run = await stack.up();
      expect(run.ok, run.text).toBe(true);
      expect(rerun(run)).toEqual(["cleaned", "events", "report"]);
      expect(run.outputs["birds"]).toEqual([["2"]]);
      expect(run.text).not.toContain("does not depend on");
      expect(run.outputs["kept"]).toBe(first.outputs["kept"]);
      expect(run.outputs["other"]).toBe(first.outputs["other"]);
      expect(messages(run)).toContainEqual("cluster demo: 3 ran, 0 adopted, 2 kept");
      const order = run.events.flatMap(({ resourcePreEvent }) =>
        resourcePreEvent?.metadata.urn.endsWith("::cleaned") ? [resourcePreEvent.metadata.op] : [],
      );
      expect(order.indexOf("delete-replaced")).toBeLessThan(order.indexOf("create-replacement"));
    });

    test("up --refresh: keeps everything when nothing changed", async () => {
      const run = await stack.up({ refresh: true });
      expect(run.changes, run.text).toMatchObject({ same: 5 });
      expect(messages(run)).toContainEqual(
        expect.stringMatching(/^cluster demo: no query is to run; 5 results are kept$/),
      );
      expect(await queriesOf(service)).toHaveLength(8);
    });

    test("state: a query that follows a table stays small", async () => {
      expect(sizeOf(await stack.resource("cleaned"))).toBeLessThanOrEqual(frontEnd.stateLimit);
    });

    test("up: a kept result runs again once it may follow the table", async () => {
      // Beside it, a query that another one reads: the other one follows.
      settings.cleaned = { query: "SELECT bird, n FROM tables.events WHERE n > 2" };
      settings.kept = { rerunWithTables: true };
      const run = await stack.up();
      expect(run.ok, run.text).toBe(true);
      expect(rerun(run)).toEqual(["cleaned", "kept", "report"]);
      expect(run.outputs["birds"]).toEqual([["1"]]);
    });

    test("up: keeps the results of a stack of an earlier release, and follows its tables from then on", async () => {
      const state = await stack.stack.exportStack();
      await stack.stack.importStack(withoutGenerations(state));
      const before = await queriesOf(service);
      expect((await stack.up()).changes).toEqual({ same: 5 });
      expect((await stack.up({ refresh: true })).changes).toMatchObject({ same: 5 });
      expect(await queriesOf(service)).toEqual(before);
      settings.version += 1;
      const run = await stack.up();
      expect(run.ok, run.text).toBe(true);
      expect(rerun(run)).toEqual(["cleaned", "events", "kept", "report"]);
      expect((await stack.up()).changes).toEqual({ same: 5 });
    });

    test("preview: queries that read each other's results are refused, with the names of both", async () => {
      stack.program = () => {
        for (const [name, other] of [
          ["one", "two"],
          ["two", "one"],
        ] as const) {
          frontEnd.query(name, {
            clusterName: "demo",
            query: `SELECT * FROM tables.${other}`,
            outputResourcePath: `dag://tables/${name}/`,
          });
        }
      };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(run.text).toMatch(/SelectQuery "(one|two)" reads from SelectQuery "(one|two)", which reads from/);
      expect(run.text).toContain("Change the statement or the output of one of them.");
    });
  });
}

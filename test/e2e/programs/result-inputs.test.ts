/** Tables of a query's result: a pattern stands for all objects of it, however many the service writes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { diagnostics, startService, TestStack, type Run } from "../provider/harness";
import { rerun } from "../provider/freshness/cases";
import { frontEndOfToday, number } from "./front-ends";

describe.each(frontEndOfToday(1))("tables of a query's result, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;
  let value = 1;
  const keys = ["dag://mart/sel/*"];
  const again = (outputTable: string) => ({
    clusterName: "demo",
    inputObjectKeys: keys,
    outputDatabase: "mart",
    outputTable,
    schema: "bigint n",
    deletionPolicy: "purge" as const,
    rerunOnInputChange: true,
  });

  beforeAll(async () => {
    service = await startService({ objects: {}, buckets: ["mart"] });
    stack = await TestStack.create(service);
    stack.program = () => {
      const sel = frontEnd.query("sel", number(value, "dag://mart/sel/"));
      const table = frontEnd.table("again", again("again"), { dependsOn: sel });
      const args = { clusterName: "demo", outputResourcePath: "dag://mart/read/", resultRows: 1 };
      const read = frontEnd.query("read", { ...args, query: "SELECT n FROM mart.again" }, { dependsOn: table });
      return { rows: read.result.apply((result) => result?.rows) };
    };
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  const ok = (run: Run) => {
    expect(run.ok, run.text).toBe(true);
    return run;
  };

  test("preview, up: the pattern of a result that does not exist yet is accepted, and read when it does", async () => {
    ok(await stack.preview());
    expect(ok(await stack.up()).outputs["rows"]).toEqual([["1"]]);
  });

  test("up: the table is made again when the query runs again, and the query is not refused", async () => {
    value = 2;
    expect(rerun(ok(await stack.preview()))).toEqual(["again", "read", "sel"]);
    const run = ok(await stack.up());
    expect(rerun(run)).toEqual(["again", "read", "sel"]);
    expect(run.outputs["rows"]).toEqual([["2"]]);
    expect(rerun(ok(await stack.up({ refresh: true })))).toEqual([]);
  });

  test("preview, up: a table that does not depend on the query whose result it reads says so", async () => {
    const make = stack.program;
    stack.program = () => {
      const early = frontEnd.table("early", again("early"));
      early.urn.apply(make);
    };
    for (const run of [await stack.preview(), await stack.up()]) {
      const said = diagnostics(ok(run)).filter(({ message }) => message.includes("but does not depend on it"));
      expect(said.map(({ urn, message }) => `${urn.split("::").at(-1)}: ${message.trim()}`)).toEqual([
        expect.stringContaining(
          'early: it reads dag://mart/sel/*, which SelectQuery "sel" makes, but does not depend on it',
        ),
      ]);
    }
    stack.program = make;
    ok(await stack.up());
  });

  test("preview: a pattern for other objects in the folder of a result is refused", async () => {
    keys[0] = "dag://mart/sel/*.csv";
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(run.text).toContain("which contains the input dag://mart/sel/*.csv");
  });
});

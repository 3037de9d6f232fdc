/** A stack whose dag:storage is that of another environment, with buckets and folders of the same names. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { objectsUnder, queriesOf, startService, TestStack } from "../provider/harness";
import { birds, frontEndOfToday, number, objects } from "./front-ends";

describe.each(frontEndOfToday(1))("dag:storage of another environment, $name", (frontEnd) => {
  let service: TestService;
  let other: string;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["mart"] });
  });
  beforeEach(async () => {
    other = mkdtempSync(join(tmpdir(), "dag-other-storage-"));
    for (const folder of ["mart/one", "mart/two", "raw"]) mkdirSync(join(other, folder), { recursive: true });
    stack = await TestStack.create(service);
    await stack.stack.removeConfig("dag:storage");
    return async () => {
      await stack[Symbol.asyncDispose]();
      rmSync(other, { recursive: true, force: true });
    };
  });
  afterAll(() => service?.close());

  const wrong = "dag:storage is not the storage of the service";
  const remedy = "correct dag:storage (or DAG_STORAGE), or dag:endpoint (or DAG_ENDPOINT)";
  const use = (directory: string) => (stack.stack.workspace.envVars["DAG_STORAGE"] = `file:${directory}`);
  const refused = async (run: Promise<Awaited<ReturnType<TestStack["up"]>>>, ...texts: string[]) => {
    const { ok, text } = await run;
    expect(ok, text).toBe(false);
    for (const each of texts) expect(text).toContain(each);
  };

  test("up, refresh and destroy: refuse it, run nothing again and delete nothing", async () => {
    const expecting = { expect: { rows: { min: 2 } } };
    const make = (more: object) => () => {
      frontEnd.table("birds", birds("mart"));
      frontEnd.query("one", number(1, "dag://mart/one/", more));
    };
    // Both have nothing there before the first up.
    stack.program = make(expecting);
    use(other);
    await refused(
      stack.up(),
      `${wrong}: in dag://mart/one/ the service has 1 object, dag:storage has none`,
      `${wrong}: in dag://mart/birds/ the service has 1 object, dag:storage has none`,
      remedy,
    );
    const submitted = (await queriesOf(service)).length;
    expect(submitted).toBe(2);

    // The expectation would be met there.
    writeFileSync(join(other, "mart/one/000000_0"), "9\n99\n");
    const differs = `${wrong}: in dag://mart/one/ the service has 1 object, dag:storage has other ones`;
    await refused(stack.up(), differs);
    await refused(stack.destroy(), wrong);
    expect(await queriesOf(service)).toHaveLength(submitted);
    expect(readFileSync(join(other, "mart/one/000000_0"), "utf8")).toBe("9\n99\n");

    use(service.bucketsDirectory);
    // A refresh removes the engine's own mark of an unfinished resource.
    const unmet = "its result is not as expected: expected at least 2 rows, found 1";
    await refused(stack.up({ refresh: true }), unmet);
    stack.program = make({});
    const second = await stack.up();
    expect(second.ok, second.text).toBe(true);
    const good = (await queriesOf(service)).length;

    use(other);
    const refreshed = await stack.up({ refresh: true });
    expect(refreshed.ok, refreshed.text).toBe(true);
    expect(refreshed.text).toContain(wrong);
    stack.program = make({ ...expecting, resultRows: 2 });
    await refused(stack.up(), wrong);
    await refused(stack.destroy(), wrong);
    expect(await queriesOf(service)).toHaveLength(good);
    expect(readdirSync(join(other, "mart/one"))).toEqual(["000000_0"]);

    use(service.bucketsDirectory);
    stack.program = make({});
    const done = await stack.destroy();
    expect(done.ok, done.text).toBe(true);
    expect(objectsUnder(service, "dag://mart/")).toEqual([]);
  });

  test("preview and up: refuse it before a query deletes objects, and before a table gets its inputs", async () => {
    mkdirSync(join(service.bucketsDirectory, "mart/two"), { recursive: true });
    writeFileSync(join(service.bucketsDirectory, "mart/two/kept.csv"), "1\n");
    writeFileSync(join(other, "raw/birds.csv"), "staging,1\n");
    const submitted = (await queriesOf(service)).length;
    use(other);
    stack.program = () => void frontEnd.query("two", number(1, "dag://mart/two/"));
    const folder = `${wrong}: in dag://mart/two/ the service has 1 object, dag:storage has none: ${remedy}`;
    for (const run of [() => stack.preview(), () => stack.up()]) await refused(run(), folder);
    stack.program = () => void frontEnd.table("birds", birds("mart", { inputObjectKeys: ["dag://raw/*.csv"] }));
    const inputs = `${wrong}: in dag://raw/ the service has 1 object, dag:storage has other ones: ${remedy}`;
    for (const run of [() => stack.preview(), () => stack.up()]) await refused(run(), inputs);
    stack.program = () => void frontEnd.table("birds", birds("mart", { rerunOnInputChange: true }));
    await refused(stack.up(), inputs);
    expect(await queriesOf(service)).toHaveLength(submitted);
    expect(objectsUnder(service, "dag://mart/two/")).toEqual(["kept.csv"]);
  });
});

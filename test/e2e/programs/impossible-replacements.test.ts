/** Resources with `purge` whose replacement cannot be made: they stay, with what they have made. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SelectQueryArgs, SplitTableArgs } from "../../../provider";
import type { TestService } from "../../../service/testing";
import { dag, objectsUnder, startService, TestStack } from "../provider/harness";
import { birds, frontEndOfToday, number, objects } from "./front-ends";

describe.each(frontEndOfToday(0))("replacement that cannot be made, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startService({
      objects: { ...objects, "dag://mart/taken/a.csv": "robin,4\n" },
      buckets: ["mart"],
    });
  });
  beforeEach(async () => {
    await service.reset();
    stack = await TestStack.create(service);
    stack.program = programOf();
    const first = await stack.up();
    if (!first.ok) throw new Error(first.text);
    return () => stack[Symbol.asyncDispose]();
  });
  afterAll(() => service?.close());

  const programOf =
    (table: Partial<SplitTableArgs> = {}, query: Partial<SelectQueryArgs> = {}) =>
    () => {
      frontEnd.table("birds", birds("mart", table));
      frontEnd.query("one", number(1, "dag://mart/one/", query));
    };

  /** Both are there, and the next `up` of the first program has nothing to do. */
  const nothingIsLost = async () => {
    expect([objectsUnder(service, "dag://mart/birds/"), objectsUnder(service, "dag://mart/one/")]).toEqual([
      ["000000_0"],
      ["000000_0"],
    ]);
    stack.program = programOf();
    const again = await stack.up();
    expect(again.changes, again.text).toEqual({ same: 2 });
  };

  test.each<[string, Parameters<typeof programOf>, readonly RegExp[], readonly RegExp[]]>([
    [
      "a bucket that does not exist",
      [{ outputDatabase: "none" }, { outputResourcePath: "dag://none/one/" }],
      [/will fail as things are: the bucket "none" does not exist. Create it, or correct outputDatabase/],
      [
        /the table stays, because it could not be made again: the bucket "none" does not exist/,
        /the earlier result stays, because the query could not be made again: the bucket "none" does not exist/,
      ],
    ],
    [
      "a cluster that does not exist",
      [{ clusterName: "none" }],
      [/will fail as things are: .*none/],
      [/the table stays, because it could not be made again: the cluster "none" does not exist. Correct clusterName/],
    ],
    [
      "a cluster that does not exist, of a result that stays in its folder",
      [{}, { clusterName: "none" }],
      [/will fail as things are: .*none/],
      [/the earlier result stays, because the query could not be made again: the cluster "none" does not exist/],
    ],
  ])("%s: the preview warns, up fails and deletes nothing", async (_, inputs, warnings, errors) => {
    stack.program = programOf(...inputs);
    const preview = await stack.preview();
    expect(preview.ok, preview.text).toBe(true);
    for (const warning of warnings) expect(preview.text).toMatch(warning);
    const up = await stack.up();
    expect(up.ok).toBe(false);
    // A failed deletion ends the deployment, which may not reach the other one.
    expect(
      errors.some((error) => error.test(up.text)),
      up.text,
    ).toBe(true);
    await nothingIsLost();
  });

  test("a table that exists and cannot be adopted: the preview warns, up fails and deletes nothing", async () => {
    stack.program = programOf({ outputTable: "taken" });
    expect((await stack.preview()).text).toMatch(
      /will fail, unless another resource .*: the table mart.taken already exists/,
    );
    const up = await stack.up();
    expect(up.ok).toBe(false);
    expect(up.text).toMatch(/the table stays, because it could not be made again: the table mart.taken already exists/);
    await nothingIsLost();
  });

  test("a result that moves to a folder in its own: preview and up refuse it, and nothing is deleted", async () => {
    stack.program = programOf({}, { outputResourcePath: "dag://mart/one/below/" });
    for (const run of [await stack.preview(), await stack.up()]) {
      expect(run.ok).toBe(false);
      expect(run.text).toContain("are one within the other, so that it could not be purged: set another");
    }
    await nothingIsLost();
  });

  test("keys that the service refuses: up and destroy fail and delete nothing", async () => {
    stack.stack.workspace.envVars["DAG_SECRET_ACCESS_KEY"] = "wrong";
    await stack.stack.removeConfig("dag:secretAccessKey");
    // The result is replaced by itself, too: that of a changed table is not reached.
    for (const changed of [programOf({ schema: "string bird, int n" }), programOf({}, { query: "SELECT 2 AS n" })]) {
      stack.program = changed;
      const run = await stack.up();
      expect([run.ok, run.text]).toEqual([false, expect.stringContaining("SignatureDoesNotMatch")]);
    }
    const destroy = await stack.destroy();
    expect([destroy.ok, destroy.text]).toEqual([false, expect.stringContaining("SignatureDoesNotMatch")]);
    stack.stack.workspace.envVars["DAG_SECRET_ACCESS_KEY"] = service.credentials.secretAccessKey;
    await nothingIsLost();
  });

  test("a statement that fails in another folder: the old result stays, and up says that no resource has it", async () => {
    const failing = { query: "SELECT assert_true(1 > 2)", outputResourcePath: "dag://mart/two/" };
    stack.program = programOf({}, failing);
    const up = await stack.up();
    expect(up.ok).toBe(false);
    expect(up.text).toContain("the earlier objects in dag://mart/one/ stay, and no resource has them now");
    expect(objectsUnder(service, "dag://mart/one/")).toEqual(["000000_0"]);
  });

  // Only a dynamic resource tells the provider of the option.
  test("retainOnDelete of a dynamic table: preview and up refuse to make it again, and it stays", async () => {
    const retained = (triggers: number) => () => {
      new dag.SplitTable("retained", birds("mart", { outputTable: "retained", triggers }), { retainOnDelete: true });
    };
    stack.program = retained(1);
    expect((await stack.up()).ok).toBe(true);
    stack.program = retained(2);
    for (const run of [await stack.preview(), await stack.up()]) {
      expect(run.ok).toBe(false);
      expect(run.text).toContain("the table cannot be made again while it exists, and retainOnDelete keeps it: set");
    }
    expect((await stack.resource("retained")).type).toContain("SplitTable");
    expect(objectsUnder(service, "dag://mart/retained/")).toEqual(["000000_0"]);
  });

  test("a table that moves: the old one is deleted when the new one is complete", async () => {
    stack.program = programOf({ outputTable: "moved" });
    const moved = await stack.up();
    expect(moved.ok, moved.text).toBe(true);
    expect([objectsUnder(service, "dag://mart/birds/"), objectsUnder(service, "dag://mart/moved/")]).toEqual([
      [],
      ["000000_0"],
    ]);
  });
});

/** Tests that a purge deletes only what is still the resource's own. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SelectQueryArgs, SplitTableArgs } from "../../../provider";
import type { TestService } from "../../../service/testing";
import { clientOf, objectsUnder, queriesOf, startService, TestStack } from "../provider/harness";
import { frontEndOfToday } from "./front-ends";

class Holder extends pulumi.ComponentResource {
  constructor(name: string) {
    super("test:index:Holder", name);
  }
}

describe.each(frontEndOfToday(0))("purge, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;
  let round = 0;
  let folder = "";
  let before = 0;
  let table = "";

  beforeAll(async () => {
    service = await startService({
      objects: { "dag://landing/birds.csv": "owl,1\nwren,2\n" },
      buckets: ["wildlife", "results"],
    });
  });
  beforeEach(async () => {
    round += 1;
    folder = `dag://results/round-${round}/`;
    table = `birds_${round}`;
    before = (await queriesOf(service)).length;
    stack = await TestStack.create(service);
    return () => stack[Symbol.asyncDispose]();
  });
  afterAll(() => service?.close());

  const queryArgs = (more: Partial<SelectQueryArgs> = {}): SelectQueryArgs => ({
    clusterName: "demo",
    query: "SELECT 7 AS n",
    outputResourcePath: folder,
    deletionPolicy: "purge",
    ...more,
  });
  const tableArgs = (more: Partial<SplitTableArgs> = {}): SplitTableArgs => ({
    clusterName: "demo",
    inputObjectKeys: ["dag://landing/birds.csv"],
    outputDatabase: "wildlife",
    outputTable: table,
    schema: "string bird, int n",
    deletionPolicy: "purge",
    ...more,
  });
  const up = async (program: () => void) => {
    stack.program = program;
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    return run;
  };
  /** How many queries this test has submitted. */
  const submitted = async () => (await queriesOf(service)).length - before;
  /** Makes the engine create replacements first, as a transform that returns its options does. */
  const returnOptions = () =>
    pulumi.runtime.registerResourceTransform(({ props, opts }) => ({
      props,
      opts: { ...opts, deleteBeforeReplace: false },
    }));

  test.each(["result", "table"] as const)("rename without alias: the new resource keeps the %s", async (kind) => {
    const make = (name: string) => () =>
      void (kind === "result" ? frontEnd.query(name, queryArgs()) : frontEnd.table(name, tableArgs()));
    const objects = () => objectsUnder(service, kind === "result" ? folder : `dag://wildlife/${table}/`);
    await up(make("old"));
    const renamed = await up(make("new"));
    expect(renamed.text).toMatch(
      /are kept, although deletionPolicy is "purge": (SelectQuery|SplitTable) "new" has them now/,
    );
    expect(objects()).toEqual(["000000_0"]);
    const destroyed = await stack.destroy();
    expect(destroyed.ok, destroyed.text).toBe(true);
    // The renamed table is the split of another resource, as far as its label tells.
    const saysWhose = /of another resource or stack published them.*by hand/.test(destroyed.text);
    expect(saysWhose).toBe(kind === "table");
    expect(objects()).toEqual(kind === "table" ? ["000000_0"] : []);
  });

  test("table that another stack adopted: its destroy keeps the table, and says so", async () => {
    await up(() => void frontEnd.table("birds", tableArgs({ deletionPolicy: "keep" })));
    await using other = await TestStack.create(service);
    // Without a schema, the first row of the same objects would be a header.
    other.program = () => void frontEnd.table("other", tableArgs({ schema: undefined }));
    expect((await other.preview()).text).toMatch(/created by query \d+ from different inputs/);
    other.program = () => void frontEnd.table("other", tableArgs());
    expect((await other.preview()).text).toContain(`the table wildlife.${table} exists already`);
    const adopted = await other.up();
    expect(adopted.ok, adopted.text).toBe(true);
    expect(adopted.text).toContain("it is adopted, and a delete will keep it");
    other.program = () => void frontEnd.table("other", tableArgs({ triggers: ["again"] }));
    for (const replaced of [await other.preview(), await other.up()]) {
      expect([replaced.ok, replaced.text]).toEqual([
        false,
        expect.stringContaining("cannot be made again while it exists"),
      ]);
      expect(replaced.text).toMatch(
        /cluster demo: (no query is to run; 1 refused|0 ran, 0 adopted, 0 kept, 1 refused)/,
      );
    }
    const destroyed = await other.destroy();
    expect(destroyed.ok, destroyed.text).toBe(true);
    expect(destroyed.text).toContain("of another resource or stack published them");
    expect(objectsUnder(service, `dag://wildlife/${table}/`)).toEqual(["000000_0"]);
    expect(await submitted()).toBe(1);
  });

  test("move into a component: the result stays", async () => {
    await up(() => void frontEnd.query("one", queryArgs()));
    await up(() => void frontEnd.query("one", queryArgs(), { parent: new Holder("holder") }));
    expect(objectsUnder(service, folder)).toEqual(["000000_0"]);
  });

  test("another stack that wrote there since: its result stays, in words that name its query", async () => {
    await up(() => void frontEnd.query("one", queryArgs()));
    await using other = await TestStack.create(service);
    other.program = () => void frontEnd.query("other", queryArgs({ query: "SELECT 8 AS n" }));
    expect((await other.up()).ok).toBe(true);
    const { id } = (await queriesOf(service)).at(-1)!;
    expect((await stack.refresh()).text).toMatch(
      new RegExp(`the outputs describe what query \\d+ wrote to .*query ${id} has published there since`),
    );
    const destroyed = await stack.destroy();
    expect(destroyed.ok, destroyed.text).toBe(true);
    expect(destroyed.text).toContain(
      `are kept, although deletionPolicy is "purge": query ${id} has published there since`,
    );
    expect(objectsUnder(service, folder)).toEqual(["000000_0"]);
    expect((await other.destroy()).ok).toBe(true);
    expect(objectsUnder(service, folder)).toEqual([]);
  });

  test("objects that were put beside the result: they and the result stay, and preview and refresh say so", async () => {
    const make = (trigger: string) => () => void frontEnd.table("birds", tableArgs({ triggers: [trigger] }));
    await up(make("a"));
    writeFileSync(join(service.bucketsDirectory, "wildlife", table, "mine.csv"), "crow,3\n");
    expect((await stack.refresh()).text).toMatch(
      /the outputs describe what query .*: query \d+ did not write dag:\S+mine\.csv\. A delete will keep the objects\. Put back/,
    );
    stack.program = make("b");
    for (const run of [await stack.preview(), await stack.up()]) {
      expect(run.ok).toBe(false);
      expect(run.text).toMatch(/cannot be made again while it exists, and deletionPolicy "purge" keeps the objects in/);
    }
    expect(objectsUnder(service, `dag://wildlife/${table}/`)).toEqual(["000000_0", "mine.csv"]);
    stack.program = make("a");
    expect((await stack.destroy()).text).toContain("Delete them by hand if nobody needs them");
    expect(objectsUnder(service, `dag://wildlife/${table}/`)).toEqual(["000000_0", "mine.csv"]);
  });

  test("objects that were put beside a kept table: it is not adopted, and they stay", async () => {
    const make = (more?: Partial<SplitTableArgs>) => () => void frontEnd.table("birds", tableArgs(more));
    const mine = join(service.bucketsDirectory, "wildlife", table, "mine.csv");
    await up(make({ deletionPolicy: "keep" }));
    expect((await stack.destroy()).ok).toBe(true);
    writeFileSync(mine, "crow,3\n");
    stack.program = make();
    for (const run of [await stack.preview(), await stack.up()]) {
      expect(run.ok).toBe(false);
      expect(run.text).toMatch(/already exists, and is not adopted: query \d+ wrote its result to .* not .*mine\.csv/);
    }
    expect((await stack.destroy()).ok).toBe(true);
    expect(objectsUnder(service, `dag://wildlife/${table}/`)).toEqual(["000000_0", "mine.csv"]);
    rmSync(mine);
    expect((await up(make())).text).toContain("it is adopted");
    writeFileSync(join(service.bucketsDirectory, "wildlife", table, "000000_0"), "owl,1\nwren,2\ncrow,3\n");
    stack.program = make({ triggers: ["again"] });
    expect((await stack.up()).ok).toBe(false);
    expect((await stack.destroy()).ok).toBe(true);
    stack.program = make();
    expect((await stack.up()).text).toMatch(/is not adopted: objects of .* were changed, removed or added since/);
    expect(await submitted()).toBe(1);
  });

  test("table whose input is gone: it stays when it would be made again, until the input is there", async () => {
    const input = join(service.bucketsDirectory, `landing/input-${round}.csv`);
    const inputObjectKeys = [`dag://landing/input-${round}.csv`];
    writeFileSync(input, "owl,1\n");
    await up(() => void frontEnd.table("t", tableArgs({ inputObjectKeys })));
    rmSync(input);
    stack.program = () => void frontEnd.table("t", tableArgs({ inputObjectKeys, triggers: ["2"] }));
    const failed = await stack.up();
    expect(failed.ok).toBe(false);
    expect(failed.text).toMatch(
      /the table stays, because it could not be made again: the object "dag:\/\/landing\/input-/,
    );
    expect(await objectsUnder(service, `dag://wildlife/${table}/`)).not.toEqual([]);
    writeFileSync(input, "wren,2\n");
    await up(stack.program as () => void);
    expect(await queriesOf(service)).toHaveLength(before + 2);
    const last = await stack.up();
    expect(last.ok, last.text).toBe(true);
    expect(last.text).not.toMatch(/replace|create/);
  });

  test("table whose input is gone: it stays, too, when the engine deletes it because another table is rebuilt", async () => {
    const input = join(service.bucketsDirectory, `landing/behind-${round}.csv`);
    const inputObjectKeys = [`dag://landing/behind-${round}.csv`];
    writeFileSync(input, "owl,1\n");
    const make = (trigger: string) => () => {
      const first = frontEnd.table("first", tableArgs({ outputTable: `${table}_first`, triggers: [trigger] }));
      frontEnd.table("behind", tableArgs({ inputObjectKeys, triggers: [first.qualifiedName] }));
    };
    await up(make("1"));
    rmSync(input);
    stack.program = make("2");
    const failed = await stack.up();
    expect(failed.ok).toBe(false);
    expect(failed.text).toMatch(
      /the table stays, because it could not be made again: the object "dag:\/\/landing\/behind-/,
    );
    expect(objectsUnder(service, `dag://wildlife/${table}/`)).toEqual(["000000_0"]);
    writeFileSync(input, "owl,1\n");
    await up(make("2"));
    expect((await stack.destroy()).ok).toBe(true);
  });

  test("table that cannot be made again: the results behind it stay, also with purge", async () => {
    writeFileSync(join(service.bucketsDirectory, "landing", "bad.csv.gz"), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    const second = `dag://results/round-${round}-second/`;
    const make = (input: string, outputResourcePath = folder) => {
      stack.program = () => {
        const inputObjectKeys = [`dag://landing/${input}`];
        const { qualifiedName } = frontEnd.table("birds", tableArgs({ inputObjectKeys, triggers: [input] }));
        const query = pulumi.interpolate`SELECT bird FROM ${qualifiedName}`;
        const first = frontEnd.query("read", queryArgs({ query, outputResourcePath }));
        const count = first.urn.apply(() => "SELECT count(*) AS n");
        frontEnd.query("count", queryArgs({ query: count, triggers: [qualifiedName], outputResourcePath: second }));
      };
      return stack.up();
    };
    expect((await make("birds.csv")).ok).toBe(true);
    expect((await make("bad.csv.gz")).ok).toBe(false);
    for (const kept of [folder, second]) expect(objectsUnder(service, kept)).toEqual(["000000_0"]);
    const again = await make("birds.csv");
    expect(again.ok, again.text).toBe(true);
    const moved = `dag://results/round-${round}-moved/`;
    writeFileSync(join(service.bucketsDirectory, "landing", "more.csv"), "crow,4\n");
    const other = await make("more.csv", moved);
    expect(other.ok, other.text).toBe(true);
    expect([folder, moved, second].map((each) => objectsUnder(service, each))).toEqual([
      [],
      ["000000_0"],
      ["000000_0"],
    ]);
    expect((await stack.destroy()).ok).toBe(true);
    expect([moved, second].map((each) => objectsUnder(service, each))).toEqual([[], []]);
  });

  test("table that a query of no resource has overwritten: up names that query, and no option as the cause", async () => {
    const make = (trigger: string) => () => void frontEnd.table("birds", tableArgs({ triggers: [trigger] }));
    await up(make("a"));
    await using client = clientOf(service);
    const outputResourcePath = `dag://wildlife/${table}/`;
    const { queryId } = await client.submitSelect({ clusterName: "demo", query: "SELECT 7 AS n", outputResourcePath });
    await client.waitForQuery({ queryId, clusterName: "demo" });
    stack.program = make("b");
    // The first up deletes the resource and keeps the objects; the second one goes on from there.
    for (const _attempt of [1, 2]) {
      const refused = await stack.up();
      expect(refused.ok).toBe(false);
      expect(refused.text).toContain(
        `the table wildlife.${table} already exists: query ${queryId}, a select of cluster "demo", was the last to write`,
      );
      expect(refused.text).not.toContain("deleteBeforeReplace");
    }
    expect(objectsUnder(service, outputResourcePath)).toEqual(["000000_0"]);
  });

  test("objects that were put beside a result: preview and up say that the new query deletes them", async () => {
    const make = (trigger: string) => () => void frontEnd.query("one", queryArgs({ triggers: [trigger] }));
    await up(make("a"));
    writeFileSync(join(service.bucketsDirectory, "results", `round-${round}`, "mine.csv"), "1\n");
    stack.program = make("b");
    const said = /the new query deletes all objects in .*Move them away first to keep them/;
    expect((await stack.preview()).text).toMatch(said);
    const replaced = await up(make("b"));
    expect(replaced.text).toMatch(said);
    expect(replaced.text).not.toContain("are kept, although");
    expect(objectsUnder(service, folder)).toEqual(["000000_0"]);
  });

  test("a split that took the place of a result: preview and up refuse to run the query again, and its table stays", async () => {
    const outputResourcePath = `dag://wildlife/${table}/`;
    const make = (trigger: string) => () =>
      void frontEnd.query("one", queryArgs({ outputResourcePath, triggers: [trigger] }));
    await up(make("a"));
    rmSync(join(service.bucketsDirectory, "wildlife", table), { recursive: true });
    await using client = clientOf(service);
    const { deletionPolicy: _, ...parameters } = tableArgs();
    const { queryId } = await client.submitSplit(parameters as Parameters<typeof client.submitSplit>[0]);
    await client.waitForQuery({ clusterName: "demo", queryId });
    stack.program = make("b");
    for (const run of [await stack.preview(), await stack.up()]) {
      expect(run.ok).toBe(false);
      expect(run.text).toContain(`has the table wildlife.${table}, which split query ${queryId} made`);
    }
    const made = join(service.bucketsDirectory, "wildlife", table, "000000_0");
    expect(readFileSync(made, "utf8")).toBe("owl,1\nwren,2\n");
    expect((await stack.destroy()).ok).toBe(true);
    expect(existsSync(made)).toBe(true);
  });

  test("a query that fails in the place of another one: the old result stays, also with purge", async () => {
    await up(() => void frontEnd.query("one", queryArgs()));
    const query = "SELECT assert_true(1 > rand() + 1) AS n";
    for (const outputResourcePath of [folder, `dag://results/round-${round}-other/`]) {
      stack.program = () => void frontEnd.query("one", queryArgs({ query, outputResourcePath }));
      expect((await stack.up()).ok).toBe(false);
      expect(objectsUnder(service, folder)).toEqual(["000000_0"]);
    }
    await up(() => void frontEnd.query("one", queryArgs()));
    expect((await stack.destroy()).ok).toBe(true);
    expect(objectsUnder(service, folder)).toEqual([]);
  });

  test("result whose objects were deleted by hand: refresh says so, and the next up runs its query again", async () => {
    await up(() => void frontEnd.query("one", queryArgs({ resultRows: 1 })));
    rmSync(join(service.bucketsDirectory, "results", `round-${round}`), { recursive: true });
    expect((await stack.refresh()).text).toMatch(/the objects in .* were deleted, so the result no longer exists/);
    await up(() => void frontEnd.query("one", queryArgs({ resultRows: 1 })));
    expect(await submitted()).toBe(2);
    expect(objectsUnder(service, folder)).toEqual(["000000_0"]);
  });

  test("replacement that is created first: the new result stays", async () => {
    const make = (trigger: string) => () => {
      returnOptions();
      frontEnd.query("one", queryArgs({ triggers: [trigger] }));
    };
    await up(make("a"));
    await up(make("b"));
    expect(await submitted()).toBe(2);
    expect(objectsUnder(service, folder)).toEqual(["000000_0"]);
    expect((await stack.destroy()).ok).toBe(true);
    expect(objectsUnder(service, folder)).toEqual([]);
  });

  test("table whose replacement is created first: is not adopted by it, and stays whole", async () => {
    const make = (trigger: string, transforms: boolean) => () => {
      if (transforms) returnOptions();
      frontEnd.table("birds", tableArgs({ triggers: [trigger] }));
    };
    await up(make("a", true));
    stack.program = make("b", true);
    const refused = await stack.up();
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain("is the one that this resource replaces");
    expect(refused.text).toContain("no resource transform that returns options");
    expect(objectsUnder(service, `dag://wildlife/${table}/`)).toEqual(["000000_0"]);
    await up(make("b", false));
    expect(objectsUnder(service, `dag://wildlife/${table}/`)).toEqual(["000000_0"]);
    expect(await submitted()).toBe(2);
  });

  test("keep instead of purge, and another folder in the same up: what is in the old one stays", async () => {
    const objects = (place: string) => [
      objectsUnder(service, `dag://wildlife/${table}_${place}/`),
      objectsUnder(service, `${folder}${place}/`),
    ];
    const whole = [["000000_0"], ["000000_0"]];
    /** How many tables the one with a generated name has left, with their objects. */
    const unnamed = () => {
      const tables = objectsUnder(service, "dag://wildlife/").filter((name) => name.startsWith("unnamed_"));
      return tables.filter((name) => objectsUnder(service, `dag://wildlife/${name}/`).length > 0).length;
    };
    const make = (place: string, deletionPolicy: "keep" | "purge") => () => {
      frontEnd.table("moving", tableArgs({ outputTable: `${table}_${place}`, deletionPolicy }));
      frontEnd.query("moved", queryArgs({ outputResourcePath: `${folder}${place}/`, deletionPolicy }));
      const { outputTable: _, ...generated } = tableArgs({ triggers: [place], deletionPolicy });
      frontEnd.table("unnamed", generated);
    };
    await up(make("old", "purge"));
    stack.program = make("new", "keep");
    expect((await stack.preview()).text).not.toContain("outputs that will be deleted");
    const kept = await up(make("new", "keep"));
    expect(kept.text).not.toContain("deleting the objects");
    expect([objects("old"), objects("new")]).toEqual([whole, whole]);
    expect(unnamed()).toBe(2);

    // Without that change, what is left behind is deleted.
    await up(make("new", "purge"));
    stack.program = make("last", "purge");
    expect((await stack.preview()).text).toContain("outputs that will be deleted");
    await up(make("last", "purge"));
    expect([objects("new"), objects("last")]).toEqual([[[], []], whole]);
    expect(unnamed()).toBe(2);
  });
});

// oxlint-disable vitest/no-conditional-expect, vitest/no-standalone-expect -- the engine tells the plugin less
/** What a stack says of tables and results that another stack, or an earlier name of a resource, has to do with. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { diagnostics, objectsUnder, queriesOf, TestStack, type Run } from "../provider/harness";
import { birds, frontEndOfToday, number } from "./front-ends";
import { useRounds } from "./rounds";

class Holder extends pulumi.ComponentResource {
  constructor(name: string, options: pulumi.ComponentResourceOptions = {}) {
    super("test:index:Holder", name, {}, options);
  }
}

const textOf = (run: Run, severity: string) =>
  diagnostics(run)
    .filter((one) => one.severity === severity)
    .map(({ message }) => message)
    .join("\n");
const warnings = (run: Run) => textOf(run, "warning");
const errors = (run: Run) => textOf(run, "error");

describe.each(frontEndOfToday(0))("other stacks and names, $name", (frontEnd) => {
  const round = useRounds(9);
  const { up, preview } = round;

  test("result that another stack has overwritten: preview and up of a query that reads it say so", async () => {
    const make = (column: string) => () => {
      const one = frontEnd.query("one", number(1, `dag://${round.database}/one/`));
      const query = `SELECT ${column} FROM \`${round.database}\`.one`;
      const args = { clusterName: "demo", query, outputResourcePath: `dag://${round.database}/two/`, resultRows: 1 };
      frontEnd.query("two", args, { dependsOn: [one] });
    };
    expect(warnings(await up(make("n")))).toBe("");
    await using other = await TestStack.create(round.service);
    await up(() => void frontEnd.query("other", number(66, `dag://${round.database}/one/`)), other);
    const { id } = (await queriesOf(round.service)).at(-1)!;
    const said =
      `it reads dag://${round.database}/one/, where other objects are now than SelectQuery "one" has written: ` +
      `query ${id} has published there since`;
    expect(warnings(await preview(make("n + 1")))).toContain(said);
    expect(warnings(await up(make("n + 1")))).toContain(said);
  });

  test("table that its own stack deletes: it says so, and the stack that adopted it makes it again", async () => {
    await up(() => void frontEnd.table("birds", birds(round.database)));
    await using other = await TestStack.create(round.service);
    const adopting = () => void frontEnd.table("other", birds(round.database));
    expect(warnings(await preview(adopting, other))).toContain("it was created from identical inputs by query");
    await up(adopting, other);
    const deleted = await round.stack.destroy();
    expect(deleted.ok, deleted.text).toBe(true);
    expect(deleted.text).toMatch(
      /that query \d+ made was deleted; where another resource has adopted it, "pulumi up --refresh" makes it again/,
    );
    expect(objectsUnder(round.service, `dag://${round.database}/birds/`)).toEqual([]);
    const gone = "runs again: the table that it adopted was deleted";
    const planned = await preview(adopting, other);
    expect(planned.text).toContain(gone);
    expect(planned.text).toContain("1 query will run (0 new, 1 again)");
    expect((await up(adopting, other)).text).toContain("1 ran, 0 adopted, 0 kept");
    expect(objectsUnder(round.service, `dag://${round.database}/birds/`)).toEqual(["000000_0"]);
    expect((await up(adopting, other)).text).toContain("1 result is kept");
    // It is its own now.
    expect((await other.destroy()).ok).toBe(true);
    expect(objectsUnder(round.service, `dag://${round.database}/birds/`)).toEqual([]);
  });

  test("table that another stack has made since: a replacement with its inputs adopts it, and any other is refused", async () => {
    const make = (schema: string) => () => void frontEnd.table("birds", birds(round.database, { schema }));
    await up(make("string a, int n"));
    rmSync(join(round.service.bucketsDirectory, round.database, "birds"), { recursive: true });
    await using other = await TestStack.create(round.service);
    await up(() => void frontEnd.table("other", birds(round.database, { schema: "string b, int n" })), other);
    const { id } = (await queriesOf(round.service)).at(-1)!;
    round.stack.program = make("string c, int n");
    for (const run of [await round.stack.preview(), await round.stack.up()]) {
      expect(run.ok).toBe(false);
      expect(errors(run)).toContain(`created by query ${id} from different inputs`);
    }
    // Nothing was deleted, nor is half replaced.
    expect((await preview(make("string a, int n"))).text).toContain("1 result is kept");
    const planned = await preview(make("string b, int n"));
    expect(planned.text).toContain("no query is to run; 1 table will be adopted; 0 results are kept");
    expect(warnings(planned)).toContain(`was created from identical inputs by query ${id}: it is adopted`);
    const run = await up(make("string b, int n"));
    expect(run.text).toContain("0 ran, 1 adopted, 0 kept");
    expect(warnings(run)).toMatch(/are kept, .*: the replacement takes them over$/m);
    expect((await queriesOf(round.service)).at(-1)!.id).toBe(id);
    expect(objectsUnder(round.service, `dag://${round.database}/birds/`)).toEqual(["000000_0"]);
  });

  test("renamed component: the preview refuses what up refuses, and an alias of the resource itself always helps", async () => {
    const make =
      (name: string, ofComponent: pulumi.ComponentResourceOptions = {}, aliases: pulumi.Alias[] = []) =>
      () => {
        const parent = new Holder(name, ofComponent);
        frontEnd.table(`${name}-birds`, birds(round.database, { rerunOnInputChange: true }), { parent, aliases });
      };
    await up(make("old"));
    const refused =
      /already exists, created by query \d+ from the same inputs, but for a resource of another name.*an alias of its component test:index:Holder has no effect once an "up" has failed.*pulumi state delete/s;
    const planned = await preview(make("new"));
    expect(planned.ok).toBe(false);
    expect(errors(planned)).toMatch(refused);
    expect((await preview(make("new", { aliases: [{ name: "old" }] }))).ok).toBe(true);
    // The engine has the component under its new name then.
    round.stack.program = make("new");
    expect((await round.stack.up()).ok).toBe(false);
    const again = await preview(make("new", { aliases: [{ name: "old" }] }));
    expect(again.ok).toBe(false);
    expect(errors(again)).toMatch(refused);
    const run = await up(make("new", {}, [{ name: "old-birds" }]));
    expect(run.text).toContain("1 result is kept");
    expect(objectsUnder(round.service, `dag://${round.database}/birds/`)).toEqual(["000000_0"]);
  });

  test("deleteBeforeReplace: false of a table of one name: the preview refuses it, where the engine tells, and up", async () => {
    const make =
      (trigger: string, more: object = {}) =>
      () =>
        void frontEnd.table("birds", birds(round.database, { triggers: [trigger], ...more }), {
          deleteBeforeReplace: false,
        });
    await up(make("a"));
    const refused = "is deleted only afterwards, if at all: set another outputTable";
    const planned = await preview(make("b"));
    expect(errors(planned).includes(refused)).toBe(frontEnd.name !== "plugin");
    round.stack.program = make("b");
    expect(errors(await round.stack.up())).toContain(refused);
    expect(objectsUnder(round.service, `dag://${round.database}/birds/`)).toEqual(["000000_0"]);
    const other = make("b", { outputTable: "others" });
    expect((await preview(other)).ok).toBe(true);
    await up(other);
  });

  test("table whose objects were deleted: the preview does not say that it exists", async () => {
    await up(() => void frontEnd.table("birds", birds(round.database, { deletionPolicy: "keep" })));
    expect((await round.stack.destroy()).ok).toBe(true);
    const changed = () => void frontEnd.table("birds", birds(round.database, { schema: "string bird" }));
    const planned = await preview(changed);
    expect(planned.ok).toBe(false);
    expect(errors(planned)).toContain("from different inputs");
    rmSync(join(round.service.bucketsDirectory, round.database, "birds"), { recursive: true });
    expect(warnings(await preview(changed))).not.toContain("exists already");
    await up(changed);
  });
});

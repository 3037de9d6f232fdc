// oxlint-disable vitest/no-conditional-expect, vitest/no-standalone-expect -- the front ends differ on purpose
/** What a stack does with the tables and queries of another user, or of another resource of its own, of the same name. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { diagnostics, objectsUnder, queriesOf, startService, TestStack, type Run } from "../provider/harness";
import { endless } from "../provider/numbers";
import { birds, frontEndOfToday, number, objects } from "./front-ends";

const ann = { accessKeyId: "ann", secretAccessKey: "first-secret-key" };
const bob = { accessKeyId: "bob", secretAccessKey: "second-secret-key" };

describe.each(frontEndOfToday(1))("other users and names, $name", (frontEnd) => {
  let service: TestService;
  let round = 0;
  let database = "";
  let stack: TestStack;
  /** A stack of the same project and name, of a user with another access key. */
  let other: TestStack;

  beforeAll(async () => {
    service = await startService({
      objects: { ...objects, "dag://data/numbers/n.csv": Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join("") },
      buckets: Array.from({ length: 9 }, (_, index) => `round-${index + 1}`),
      tables: [{ database: "data", table: "numbers", format: "csv", schema: "bigint n" }],
      credentials: [ann, bob],
    });
  });
  beforeEach(async () => {
    round += 1;
    database = `round-${round}`;
    const { url, bucketsDirectory } = service;
    stack = await TestStack.create(service);
    other = await TestStack.create({ url, bucketsDirectory, credentials: bob });
    return async () => {
      await stack[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    };
  });
  afterAll(() => service?.close());

  test("running query of another access key: up neither adopts nor cancels it, and says whose it is", async () => {
    const make = (query: string) => () =>
      void frontEnd.query(
        "one",
        { clusterName: "demo", query, outputResourcePath: `dag://${database}/one/` },
        { customTimeouts: { create: "3s" } },
      );
    stack.program = make(endless);
    expect((await stack.up()).text).toContain("is still running after");
    const { id } = (await queriesOf(service)).at(-1)!;
    for (const statement of [endless, "SELECT 1 AS n"]) {
      other.program = make(statement);
      const refused = await other.up();
      expect(refused.ok).toBe(false);
      expect(refused.text).toContain(`query ${id} of access key ann writes to the same folder`);
      expect(refused.text).toContain("this stack uses access key bob, so it is neither adopted nor cancelled");
    }
    expect((await queriesOf(service)).at(-1)).toMatchObject({ id, status: "running" });
    expect((await stack.destroy()).ok).toBe(true);
    expect((await queriesOf(service)).at(-1)).toMatchObject({ id, status: "canceled" });
  });

  test("table of another access key: is adopted as that of another stack, and a destroy keeps it", async () => {
    stack.program = () => void frontEnd.table("birds", birds(database));
    other.program = stack.program;
    expect((await stack.up()).ok).toBe(true);
    const said =
      /query \d+ of access key ann: it is adopted, and a delete will keep it, because another access key made it/;
    const preview = await other.preview();
    expect(preview.text).toMatch(said);
    expect(preview.text).toContain("cluster demo: no query is to run; 1 table will be adopted");
    const up = await other.up();
    expect(up.text).toMatch(said);
    expect(up.text).toContain("cluster demo: 0 ran, 1 adopted");
    const destroyed = await other.destroy();
    expect(destroyed.ok, destroyed.text).toBe(true);
    expect(destroyed.text).toContain("of another resource or stack published them");
    expect(objectsUnder(service, `dag://${database}/birds/`)).toEqual(["000000_0"]);
    expect((await stack.destroy()).ok).toBe(true);
    expect(objectsUnder(service, `dag://${database}/birds/`)).toEqual([]);
  });

  test("tables and results that exchange their names: up ends well, at the latest the third one, and a destroy leaves nothing", async () => {
    const make = (names: readonly [string, string]) => () => {
      names.forEach((outputTable, index) => {
        frontEnd.table(`table-${index}`, birds(database, { outputTable, triggers: [index] }));
        frontEnd.query(`query-${index}`, number(index, `dag://${database}/${outputTable}-result/`));
      });
    };
    stack.program = make(["a", "b"]);
    const first = await stack.up();
    expect(first.ok, first.text).toBe(true);
    stack.program = make(["b", "a"]);
    // One is refused as long as the other one's table is not deleted.
    let run = await stack.up();
    for (let ups = 1; !run.ok && ups < 3; ups += 1) run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.text).not.toContain("are kept, although");
    const destroyed = await stack.destroy();
    expect(destroyed.ok, destroyed.text).toBe(true);
    expect(objectsUnder(service, `dag://${database}/`)).toEqual([]);
  });

  test("query that does not depend on the table it reads: up says so, when its result is out of date, and when the table moves away", async () => {
    let value = 1;
    let isDependent = false;
    let folder = "numbers";
    const make = () => {
      const query = `SELECT n FROM \`${database}\`.numbers`;
      const outputResourcePath = `dag://${database}/reader/`;
      const args = { clusterName: "demo", query, outputResourcePath, resultRows: 1 };
      const makeTable = () => frontEnd.query("numbers", number(value, `dag://${database}/${folder}/`));
      const rowsOf = ({ result }: ReturnType<typeof makeTable>) => ({ rows: result.apply((found) => found?.rows) });
      if (isDependent) return rowsOf(frontEnd.query("reader", args, { dependsOn: makeTable() }));
      const reader = frontEnd.query("reader", args);
      reader.urn.apply(makeTable);
      return rowsOf(reader);
    };
    stack.program = () => void frontEnd.query("numbers", number(1, `dag://${database}/numbers/`));
    expect((await stack.up()).ok).toBe(true);
    stack.program = make;
    for (const run of [await stack.preview(), await stack.up()]) {
      expect(run.ok, run.text).toBe(true);
      const said = diagnostics(run).filter(({ message }) => message.includes("but does not depend on it"));
      expect(said.map(({ urn }) => urn.split("::").at(-1))).toEqual(["reader"]);
      expect(said[0]!.message).toContain(
        `it reads ${database}.numbers, which SelectQuery "numbers" makes, but does not depend on it`,
      );
    }
    const isOutdated = (run: Run) => {
      expect(run.ok, run.text).toBe(true);
      const said = diagnostics(run).filter(({ message }) => message.includes("its result is out of date"));
      return said.map(({ urn, message }) => `${urn.split("::").at(-1)}: ${message.trim()}`);
    };
    expect(isOutdated(await stack.up())).toEqual([]);
    value = 2;
    // The old result is kept, in every further run.
    const again = `reader: its result is out of date: SelectQuery "numbers" makes ${database}.numbers again. It runs again only`;
    expect(isOutdated(await stack.preview())).toEqual([expect.stringContaining(again)]);
    expect(isOutdated(await stack.up())).toEqual([expect.stringContaining(again)]);
    const since = /query \d+ of SelectQuery "numbers" has made [\w.-]+ after its query \d+\. .*add dependsOn/;
    const later = await stack.up();
    expect(isOutdated(later)).toEqual([expect.stringMatching(since)]);
    expect(later.outputs["rows"]).toEqual([["1"]]);
    isDependent = true;
    const dependent = await stack.up();
    expect(isOutdated(dependent)).toEqual([]);
    expect(dependent.outputs["rows"]).toEqual([["2"]]);
    expect(dependent.text).not.toContain("does not depend on it");
    expect(dependent.text).not.toContain("no resource that this run has registered");
    // The table moves away, and the query still names the old one.
    folder = "renamed";
    for (const run of [await stack.preview(), await stack.up(), await stack.up()]) {
      expect(run.ok, run.text).toBe(true);
      expect(run.text).toContain(
        `it reads ${database}.numbers, which a resource of the program made when its query ran, and no resource that this run has registered so far makes`,
      );
    }
  });
});

/** Tests that nothing runs twice and nothing stays stale after an interruption, for both front ends. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../../service/testing";
import { messages, rerun } from "./cases";
import type { FrontEnd } from "../../programs/front-ends";
import { clientOf, queriesOf, startService, TestStack, type Run } from "../harness";
import { cliProcess, kill, killTree, until } from "../processes";

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}\n`).join("");

/** The input of the table, by its number of rows. A query of pairs of two large ones takes seconds, of the largest hours. */
const sizes = { small: 100, large: 20_000, larger: 20_001, largest: 400_000 };
type Input = keyof typeof sizes;

/** Tests that are interrupted while a query reads a table that was rebuilt. */
export function testInterruptedFollowing(frontEnd: FrontEnd): void {
  let service: TestService;
  let stack: TestStack;
  let input: Input = "small";
  /** A part of the query's statement. */
  let modulus = 7;

  beforeAll(async () => {
    service = await startService({
      objects: Object.fromEntries(
        Object.entries(sizes).map(([name, count]) => [`dag://raw/${name}.csv`, numbers(count)]),
      ),
      buckets: ["tables", "results"],
    });
    stack = await TestStack.create(service);
    stack.program = () => {
      const table = frontEnd.table("numbers", {
        clusterName: "demo",
        inputObjectKeys: [`dag://raw/${input}.csv`],
        outputDatabase: "tables",
        outputTable: "numbers",
        schema: "bigint n",
        deletionPolicy: "purge",
      });
      const query = frontEnd.query(
        "sum",
        {
          clusterName: "demo",
          query: `SELECT count(*) AS c, sum((a.n * b.n) % ${modulus}) AS s FROM tables.numbers a CROSS JOIN tables.numbers b`,
          outputResourcePath: "dag://tables/sum/",
          resultRows: 1,
        },
        frontEnd.reading(table),
      );
      const report = frontEnd.query(
        "report",
        {
          clusterName: "demo",
          query: "SELECT count(*) AS n FROM tables.sum",
          outputResourcePath: "dag://results/report/",
        },
        frontEnd.reading(query),
      );
      return { pairs: query.result.apply((result) => (result?.rows as string[][])?.[0]?.[0]), report: report.queryId };
    };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  /** Begins to deploy another input. Resolves once the query reads the new table, with the number of queries before. */
  async function upUntilQueryRuns(next: Input) {
    const before = (await queriesOf(service)).length;
    input = next;
    const end = stack.up();
    await until("the query runs", async () => {
      const added = (await queriesOf(service)).slice(before);
      return added.some(({ type, status }) => type === "select" && status === "running");
    });
    return { end, before };
  }

  /** Deploys again, and expects that the new table, the query and the report have each run once since `before`. */
  async function expectOnceAndFresh(before: number): Promise<Run> {
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.outputs["pairs"]).toBe(String(sizes[input] ** 2));
    const added = (await queriesOf(service)).slice(before);
    expect(added.map(({ type, status }) => `${type} ${status}`)).toEqual([
      "split finished",
      "select finished",
      "select finished",
    ]);
    return run;
  }

  describe("an interruption while a query follows its table", () => {
    test("one SIGINT: the next up waits for the same query, and runs what reads its result", async () => {
      const { end, before } = await upUntilQueryRuns("large");
      kill(cliProcess().pid, "SIGINT");
      expect((await end).ok).toBe(false);
      const run = await expectOnceAndFresh(before);
      expect(messages(run)).toContainEqual("cluster demo: 1 ran, 1 adopted, 1 kept");
    });

    test("kill -9: the next up adopts the query of the new table, and runs what reads its result", async () => {
      const { end, before } = await upUntilQueryRuns("larger");
      killTree();
      expect((await end).ok).toBe(false);
      await stack.stack.cancel();
      const run = await expectOnceAndFresh(before);
      expect(messages(run)).toContainEqual("cluster demo: 1 ran, 1 adopted, 1 kept");
      expect((await stack.up()).changes).toEqual({ same: 3 });
    });

    test("only the table was rebuilt: the next up runs the queries", async () => {
      const before = (await queriesOf(service)).length;
      input = "small";
      const { urn } = await stack.resource("numbers");
      const table = await stack.up({ target: [urn] });
      expect(table.ok, table.text).toBe(true);
      expect((await queriesOf(service)).slice(before)).toHaveLength(1);
      const preview = await stack.preview();
      expect(rerun(preview)).toEqual(["report", "sum"]);
      await expectOnceAndFresh(before);
    });

    test("only the query was changed and run: the next up runs what reads its result, and not the query again", async () => {
      const before = (await queriesOf(service)).length;
      modulus = 5;
      const { urn } = await stack.resource("sum");
      const alone = await stack.up({ target: [urn] });
      expect(alone.ok, alone.text).toBe(true);
      expect((await queriesOf(service)).slice(before)).toHaveLength(1);
      expect(rerun(await stack.preview())).toEqual(["report"]);
      expect((await stack.up()).changes).toMatchObject({ same: 2, replace: 1 });
    });

    test("kill -9, then another change of the table: the query of the old table is not adopted", async () => {
      const { end, before } = await upUntilQueryRuns("largest");
      killTree();
      expect((await end).ok).toBe(false);
      await stack.stack.cancel();
      await using client = clientOf(service);
      const old = (await queriesOf(service)).find(({ status }) => status === "running");
      input = "small";
      const next = stack.up();
      // The service refuses to write to the folder of a query that runs.
      await until(
        "the new table is there",
        async () =>
          (await queriesOf(service))
            .slice(before)
            .filter(({ type, status }) => type === "split" && status === "finished").length === 2,
      );
      await client.cancelQuery({ queryId: old!.id });
      const run = await next;
      const last = run.ok ? run : await stack.up();
      expect(last.ok, last.text).toBe(true);
      expect(last.outputs["pairs"]).toBe("10000");
      expect((await stack.up()).changes).toEqual({ same: 3 });
    });
  });
}

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine, SplitJob, TableDefinition } from "../../../service/core/ports/engine";
import { columns, Machine, Recorder } from "./harness";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

/** Splits objects with the given contents; returns the result of the job, its objects, and the table. */
async function split(
  contents: readonly (string | Uint8Array)[],
  options: Partial<SplitJob> = {},
  context = new Recorder(),
) {
  const inputs = contents.map((content, index) => machine.put("inputs", `in-${index}`, content));
  const job: SplitJob = { queryId: 7, inputs, format: "csv", output: machine.output(), objectBytes: 20, ...options };
  const result = await engine.split(job, context);
  const table: TableDefinition = {
    database: "default",
    table: "t",
    location: job.output,
    format: job.format,
    ...(options.columns ? { columns: options.columns } : {}),
  };
  return { result, table, objects: machine.objects(job.output), context };
}

test("split: whole rows, in order, across inputs, plain and gzip", async () => {
  const first = '1,"a\nb"\n2,cccccccccccc\n3,d\n';
  const { objects } = await split([first, gzipSync("4,e\n5,f"), "", "6,g\n"]);
  expect(objects).toEqual({
    "000000_0": '1,"a\nb"\n',
    "000001_0": "2,cccccccccccc\n3,d\n",
    "000002_0": "4,e\n5,f",
    "000003_0": "6,g\n",
  });
});

test("split: reports progress up to 100, a job ID and a summary line", async () => {
  const { context } = await split(["a\n".repeat(1_000_000)], { objectBytes: 500_000 });
  const percents = context.steps.map(({ percent }) => percent);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  expect(percents.at(-1)).toBe(100);
  expect(new Set(context.steps.map(({ stage }) => stage))).toEqual(new Set([1]));
  expect(context.jobIds).toEqual(["split-7"]);
  expect(context.lines).toEqual([expect.stringMatching(/^cut 1 inputs of 2000000 bytes into 4 objects in [\d.]+ s$/)]);
});

test("split: the table has the declared columns", async () => {
  const declared = columns("n bigint, s string");
  const { result, table } = await split(["1,a\nx,b\n3,c\n"], { columns: declared, objectBytes: 5 });
  expect(result).toEqual({ columns: declared, checked: false });
  expect(await machine.run(engine, "SELECT sum(n), count(*) FROM t", [table])).toBe("4,3\n");
});

test("split: without declared columns the table's columns are inferred from all values", async () => {
  const content = `n,s\n${"1,a\n".repeat(5000)}x,b\n`;
  const { result, table, objects } = await split([content, content], { objectBytes: 1000 });
  expect(result.columns).toEqual([
    { name: "n", type: "string" },
    { name: "s", type: "string" },
  ]);
  expect(Object.values(objects).join("")).toBe(content + content);
  expect(await machine.run(engine, "SELECT max(n), count(*), max(s) FROM t", [table])).toBe("x,10002,b\n");
});

test("split: an input with corrupt gzip data fails, and the error names its location", async () => {
  const broken = Buffer.concat([gzipSync("a\n").subarray(0, 12), Buffer.from("garbage")]);
  await expect(split([broken])).rejects.toThrow(/^cannot split dag:\/\/inputs\/in-0: its gzip data ends too early$/);
});

test("split: several run concurrently with a select", async () => {
  const one = split(["a\n".repeat(1_000_000)], {
    objectBytes: 100_000,
    inputs: [machine.put("inputs", "one", "a\n".repeat(1_000_000))],
  });
  const two = split(["b\n"], { objectBytes: 100_000, inputs: [machine.put("inputs", "two", "b\n".repeat(1_000_000))] });
  expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
  expect(Object.keys((await one).objects)).toHaveLength(20);
  expect(Object.values((await two).objects).join("")).toBe("b\n".repeat(1_000_000));
});

test("split: a deleted input is InputObjectNotFound", async () => {
  const inputs = [{ bucket: "inputs", key: "gone" }];
  await expect(split([], { inputs })).rejects.toMatchObject({ code: "InputObjectNotFound", field: "inputObjectKeys" });
});

test("split: an unreadable input fails with the system's error and without a path of this machine", async () => {
  const folder = machine.put("inputs", "is-a-folder/x", "");
  const failure = await split([], { inputs: [folder], output: { bucket: "inputs", key: "is-a-folder/x/" } }).catch(
    (error: Error) => error,
  );
  expect(failure).toMatchObject({ message: expect.stringContaining("dag://inputs/is-a-folder/x") });
  expect((failure as Error).message).not.toContain(machine.root);
});

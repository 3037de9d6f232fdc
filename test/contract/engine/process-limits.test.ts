import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bigRows, columns, endless, Machine, Recorder, submission } from "./harness";
import { expectCancel, monstrous, processOf, runs, useEngine } from "./processes";

const shared = useEngine();

describe("limits", () => {
  test("memory: a query beyond the limit ends with the reason, and the engine goes on", async () => {
    await using machine = new Machine();
    const engine = await machine.start({ memoryBytes: 64_000_000 });
    const rows = Array.from({ length: 200_000 }, (_, index) => `${index},${"x".repeat(200)}${index}\n`).join("");
    const wide = machine.table("wide", rows, { columns: columns("n int, s string") });
    const statement = "SELECT collect_list(concat(a.s, b.s)) FROM wide a JOIN wide b ON a.n = b.n";
    await expect(machine.run(engine, statement, [wide])).rejects.toThrow(
      /^the query ran out of memory \(the cluster's limit is 64\.0 MB\)/,
    );
    expect(await machine.run(engine, "SELECT count(*) FROM wide", [wide])).toBe("200000\n");
  });

  test("temp: a sort larger than the memory spills to the cluster's folder", async () => {
    await using machine = new Machine();
    const engine = await machine.start({ memoryBytes: 250_000_000, threads: 1 });
    const rows = Array.from({ length: 600_000 }, (_, index) => `${(index * 7919) % 600_000},${"x".repeat(400)}\n`).join(
      "",
    );
    const wide = machine.table("wide", rows, { columns: columns("n int, s string") });
    const spilled = new Set<string>();
    const temp = join(machine.directory("c1"), "temp");
    const watch = setInterval(() => {
      for (const name of readdirSync(temp, { recursive: true })) {
        if (String(name).endsWith(".tmp")) spilled.add(String(name));
      }
    }, 10);
    const result = await machine
      .run(engine, "SELECT n, s FROM wide ORDER BY n", [wide])
      .finally(() => clearInterval(watch));
    expect(spilled.size).toBeGreaterThan(0);
    const keys = result
      .trimEnd()
      .split("\n")
      .map((line) => Number.parseInt(line, 10));
    expect(keys).toEqual(keys.map((_, index) => index));
  });
});

describe("very large statements", () => {
  test("select: other statements run and are cancelled within a second while one is being translated", async () => {
    const { machine, engine } = shared;
    const big = machine.table("big", bigRows, { columns: columns("n int") });
    const controller = new AbortController();
    const context = new Recorder(controller.signal);
    const slow = machine.run(engine, monstrous, [big], { context });
    let refused: unknown;
    slow.catch((error: unknown) => (refused = error));
    const pid = await processOf(machine, context);
    expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
    expect(refused).toBeUndefined();
    await expectCancel(controller, slow, pid);
  });

  test("checkSelect: refuses a statement that needs too much time or memory, and the engine continues", async () => {
    const { machine, engine } = shared;
    const big = machine.table("big", bigRows, { columns: columns("n int") });
    // Where others use the processors the engine asks to try again later.
    let refused = { code: "ServiceUnavailable", message: "" };
    while (refused.code === "ServiceUnavailable") {
      const checking = engine.checkSelect({ statement: monstrous, tables: [big] }, submission);
      refused = await checking.then(
        () => ({ code: "none", message: "" }),
        (error: unknown) => error as typeof refused,
      );
    }
    expect(refused).toMatchObject({
      code: "InvalidDMLStatement",
      message: expect.stringMatching(/^query 1:1 statement: .*embedded engine/),
    });
    expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
  });
});

test("select: a short query runs beside long queries", async () => {
  const { machine, engine } = shared;
  const big = machine.table("big", bigRows, { columns: columns("n int") });
  const controller = new AbortController();
  const contexts = Array.from({ length: 4 }, () => new Recorder(controller.signal));
  const long = contexts.map((context) => machine.run(engine, endless, [big], { context }));
  for (const running of long) running.catch(() => undefined);
  await Promise.all(long.map((running, index) => runs(contexts[index]!, running)));
  expect(await machine.run(engine, "SELECT count(*) FROM big", [big])).toBe("20000\n");
  controller.abort(new Error("cancelled by the user"));
  const ends = await Promise.allSettled(long);
  expect(ends.map(({ status }) => status)).toEqual(ends.map(() => "rejected"));
  expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
});

test("select: a statement that computes in JavaScript is cancelled within a second too", async () => {
  const { machine, engine } = shared;
  const big = machine.table("big", bigRows, { columns: columns("n int") });
  const controller = new AbortController();
  const context = new Recorder(controller.signal);
  const statement =
    "SELECT max(CAST(a.n AS decimal(30,10)) / CAST(b.n + 1 AS decimal(30,10))) FROM big a CROSS JOIN big b";
  const running = machine.run(engine, statement, [big], { context });
  running.catch(() => undefined);
  await runs(context, running);
  const pid = await processOf(machine, context);
  expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
  await expectCancel(controller, running, pid);
  expect(await machine.run(engine, "SELECT 1", [])).toBe("1\n");
});

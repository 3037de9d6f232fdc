import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bigRows, columns, Recorder } from "../../contract/engine/harness";
import { useEngines } from "../harness";

const engines = useEngines("hive");
const { machine } = engines;

/** Runs for about half a minute: a local Tez does not interrupt a task, so the statement has to end by itself there. */
const slow = "SELECT count(*) FROM big a CROSS JOIN big b WHERE a.n * b.n > 0.5";

test("select: a cancellation is answered before the statement ends, and leaves nothing behind", async () => {
  const table = machine.table("big", bigRows, { columns: columns("n int") });
  const output = machine.output();
  const abort = new AbortController();
  const context = new Recorder(abort.signal);
  const job = { queryId: 1, statement: slow, tables: [table], outputFormat: "csv", output } as const;
  const running = engines.remote.select(job, context);
  running.catch(() => undefined);
  await expect.poll(() => context.jobIds, { timeout: 60_000 }).toHaveLength(1);
  abort.abort(new Error("cancelled by the test"));
  await expect(running).rejects.toThrow("cancelled by the test");
  // Other statements do not wait for the cancelled one.
  const small = machine.tableOf(["1\n"], { columns: columns("n int") });
  expect(await machine.run(engines.remote, "SELECT sum(n) FROM t", [small])).toBe("1\n");
  const bucket = join(machine.buckets, "out");
  const attempts = () => readdirSync(bucket).filter((name) => name.includes("attempt"));
  expect(readdirSync(machine.storage.path(output))).toEqual([]);
  await expect.poll(attempts, { timeout: 200_000, interval: 500 }).toEqual([]);
});

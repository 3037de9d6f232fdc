import { expect, test } from "vitest";
import { frontEnds } from "../programs/front-ends";
import { startService, TestStack } from "./harness";

const count = 30;

test.each(frontEnds)("progress: without a terminal, $name prints three lines for a short query", async ({ query }) => {
  await using service = await startService({ buckets: ["results"] });
  await using stack = await TestStack.create(service);
  await stack.stack.removeConfig("dag:progressInterval");
  stack.program = () => {
    for (let n = 0; n < count; n += 1) {
      query(`q${n}`, {
        clusterName: "demo",
        query: `SELECT ${n} AS n`,
        outputResourcePath: `dag://results/q${n}/`,
      });
    }
  };
  const run = await stack.up();
  expect(run.ok, run.text).toBe(true);
  const lines = run.text.split("\n").filter((line) => /SelectQuery q\d+ /.test(line));
  // The engine's two, and the last word.
  expect(lines.length, run.text).toBeLessThanOrEqual(3 * count);
  expect(lines.filter((line) => /created .* finished · query \d+$/.test(line))).toHaveLength(count);
});

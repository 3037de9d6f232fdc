/** A deployment by the real engine, whose queries a receiver of OpenLineage sees as parts of the stack's update. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { useServiceFolder } from "../../contract/service/service-process";
import { startReceiver } from "../../unit/service/core/openlineage/receiver";
import { dag, TestStack } from "./harness";

const folder = useServiceFolder();

test("openlineage: pulumi up sends a table and its query, with the stack as parent; a second one sends nothing", async () => {
  await using receiver = await startReceiver();
  folder.fill();
  folder.write("dag://raw/cut.csv", "1,x\n2,y\n");
  const openlineage = JSON.stringify({ url: receiver.url, namespace: "dag://test" });
  const service = await folder.start([], { DAG_SERVICE_OPENLINEAGE: openlineage });
  await using stack = await TestStack.create({ ...service, bucketsDirectory: join(folder.path, ".dag/buckets") });
  stack.program = () => {
    const table = new dag.SplitTable("cut", {
      clusterName: "demo",
      inputObjectKeys: ["dag://raw/cut.csv"],
      outputDatabase: "data",
      outputTable: "cut",
      schema: "bigint id, string v",
    });
    new dag.SelectQuery(
      "counts",
      {
        clusterName: "demo",
        query: "SELECT v, count(*) AS n FROM data.cut GROUP BY v",
        outputResourcePath: "dag://out/counts/",
      },
      { dependsOn: table },
    );
  };
  const first = await stack.up();
  expect([first.ok, first.text]).toEqual([true, expect.any(String)]);
  await receiver.taken(4);
  expect(receiver.problems).toEqual([]);
  const seen = receiver.events.map(({ eventType, inputs, outputs }) => [
    eventType,
    inputs.map(({ name }) => name),
    outputs.map(({ name }) => name),
  ]);
  expect(seen.filter(([type]) => type === "COMPLETE")).toEqual([
    ["COMPLETE", [expect.stringContaining("raw")], ["data/cut"]],
    ["COMPLETE", ["data/cut"], ["out/counts"]],
  ]);
  const parents = receiver.events.map(({ run: { facets } }) => facets.parent);
  expect(new Set(parents.map((parent) => `${parent?.job.namespace} ${parent?.job.name}`))).toEqual(
    new Set(["pulumi e2e/dev"]),
  );
  expect(new Set(parents.map((parent) => parent?.run.runId)).size).toBe(1);
  expect((await stack.up()).changes).toEqual({ same: 2 });
  expect(receiver.events).toHaveLength(4);
});

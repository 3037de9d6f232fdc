import * as pulumi from "@pulumi/pulumi";
import { dagMocks } from "pulumi-dag/testing";
import { expect, test } from "vitest";

/** Resolves with the value of an output. */
const valueOf = <Value>(output: pulumi.Output<Value>) => new Promise<Value>((resolve) => void output.apply(resolve));

test("the best region is that of the first row, and the query reads the table of the program", async () => {
  const rows = [
    ["north", "12.5"],
    ["south", "1.0"],
  ];
  const mocks = dagMocks({
    outputs: { regions: { result: { objects: [], rows } } },
    functions: { getCluster: { status: "ptfailed" } },
  });
  await pulumi.runtime.setMocks(mocks);
  // Imported after the mocks are set, because the program runs when it is imported.
  const program = await import("./index.js");

  expect(await valueOf(program.bestRegion)).toBe("north");
  expect(await valueOf(program.clusterStatus)).toBe("ptfailed");
  expect(mocks.resources.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "SplitTable orders",
    "SelectQuery regions",
  ]);
  expect(mocks.resources[1]!.inputs["query"]).toContain("FROM shop.orders ");
});

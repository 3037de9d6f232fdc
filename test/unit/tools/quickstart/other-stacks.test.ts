import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { otherStacks } from "../../../../tools/quickstart/other-stacks.mts";

test("otherStacks: names the stacks of the user that have resources, and not the quickstart's own", () => {
  const state = mkdtempSync(join(tmpdir(), "dag-stacks-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const own = "dag-quickstart/quickstart";
  expect(otherStacks(state, own)).toEqual([]);
  const put = (stack: string, content: string) => {
    const folder = join(state, ".pulumi/stacks", stack.split("/")[0]!);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(state, ".pulumi/stacks", `${stack}.json`), content);
  };
  const withResources = (...types: string[]) =>
    JSON.stringify({ version: 3, checkpoint: { latest: { resources: types.map((type) => ({ type })) } } });
  const every = ["pulumi:pulumi:Stack", "pulumi:providers:dag"];
  put(own, withResources(...every, "dag:index:SplitTable"));
  put("first-stack/destroyed", withResources(...every));
  put("first-stack/new", JSON.stringify({ version: 3, checkpoint: {} }));
  expect(otherStacks(state, own)).toEqual([]);
  put("first-stack/dev", withResources(...every, "pulumi-nodejs:dynamic/dag:SelectQuery"));
  put("broken/dev", "{");
  expect(otherStacks(state, own).toSorted()).toEqual(["broken/dev", "first-stack/dev"]);
});

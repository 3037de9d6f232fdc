import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeProblem, oldestNode } from "../../../contract/node-version";

test.each(["package.json", "service/package.json", "hiveql/package.json"])(
  "%s: its engines name the oldest Node.js that the check accepts",
  (file) => {
    const { engines } = JSON.parse(readFileSync(join(__dirname, "../../..", file), "utf8")) as {
      readonly engines: { readonly node: string };
    };
    expect(engines.node).toBe(`>=${oldestNode.join(".")}`);
  },
);

test("nodeProblem: names the program, both versions and what to do, in one line", () => {
  for (const version of ["22.19.0", "22.20.1", "24.11.0", "30.0.0"]) {
    expect(nodeProblem("dag-service", version)).toBeUndefined();
  }
  for (const version of ["22.18.9", "20.20.2", "18.0.0"]) {
    const problem = nodeProblem("dag-service", version)!;
    expect(problem).toMatch(/^dag-service needs Node\.js 22\.19 or later, but this is Node\.js /);
    expect(problem).toContain(`${version}: install a newer one`);
    expect(problem).not.toContain("\n");
  }
  expect(nodeProblem("dag-service", "23.11.1")).toMatch(
    /^dag-service needs Node\.js 22\.19 or later, and not 23, but this is Node\.js 23\.11\.1: install a newer one/,
  );
});

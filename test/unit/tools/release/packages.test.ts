import { expect, test } from "vitest";
import { Checks } from "../../../../tools/release/rehearsal/checks.mjs";
import { npmTag, pythonVersion, tarballName } from "../../../../tools/release/packages.mjs";

test.each([
  ["1.0.0", "latest", "1.0.0"],
  ["1.0.0-rc.1", "next", "1.0.0rc1"],
  ["2.1.0-beta.12", "next", "2.1.0b12"],
])("%s: npm's tag is %s, Python's version %s", (version, tag, python) => {
  expect([npmTag(version), pythonVersion(version)]).toEqual([tag, python]);
});

test("tarballName: the scope becomes part of the name", () => {
  expect(tarballName("@pulumi-dag/service", "1.0.0")).toBe("pulumi-dag-service-1.0.0.tgz");
});

test("Checks: what was not done counts as neither passed nor failed", async () => {
  const checks = new Checks();
  await checks.check("holds", () => {});
  await checks.check("fails", () => {
    throw new Error("reason");
  });
  checks.leave("Java", "there is no toolchain");
  expect(checks.summary("1.0.0")).toBe("rehearsed 1.0.0: 1 checks passed, 1 failed");
});

import { describe, expect, test } from "vitest";
import { errorLines, installationMatches, packagesHash } from "../../../../tools/setup/packages.mjs";

const wanted = {
  packages: {
    "": {},
    service: { version: "0.1.0" },
    "node_modules/zod": { version: "4.6.7" },
    "node_modules/dag-service": { link: true },
    "node_modules/@esbuild/aix-ppc64": { version: "0.28.2", optional: true },
  },
};
const installed = (changes: object = {}) => ({
  packages: { "node_modules/zod": { version: "4.6.7" }, "node_modules/dag-service": { link: true }, ...changes },
});

describe("installationMatches", () => {
  test("is true when all packages are installed, except optional ones of other platforms", () => {
    expect(installationMatches(wanted, installed())).toBe(true);
  });

  test("is false when a package is missing", () => {
    expect(installationMatches(wanted, { packages: { "node_modules/dag-service": { link: true } } })).toBe(false);
  });

  test("is false when a package has another version", () => {
    expect(installationMatches(wanted, installed({ "node_modules/zod": { version: "4.6.6" } }))).toBe(false);
  });

  test("is false when an optional package has another version", () => {
    const changes = { "node_modules/@esbuild/aix-ppc64": { version: "0.28.1" } };
    expect(installationMatches(wanted, installed(changes))).toBe(false);
  });

  test("is false when a workspace is a copy instead of a link", () => {
    expect(installationMatches(wanted, installed({ "node_modules/dag-service": { version: "0.1.0" } }))).toBe(false);
  });
});

describe("packagesHash", () => {
  test("is the same for the same files", () => {
    expect(packagesHash()).toBe(packagesHash());
    expect(packagesHash()).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("errorLines", () => {
  test("shows what is wrong, and not npm's general help after it", () => {
    const help = Array.from({ length: 40 }, (_, index) => `npm error   --option-${index}`);
    const output = ["npm warn old", "npm error code EUSAGE", "npm error Missing: zod@4 from lock file", ...help].join(
      "\n",
    );
    expect(errorLines(output)).toMatch(/^npm error code EUSAGE\nnpm error Missing: zod@4/);
    expect(errorLines(output).split("\n")).toHaveLength(15);
  });

  test("shows the last lines of an output without an error", () => {
    expect(errorLines("killed\nby the system\n")).toBe("killed\nby the system");
  });
});

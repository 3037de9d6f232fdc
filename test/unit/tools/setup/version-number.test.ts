import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions, isAtLeast, parseVersion } from "../../../../tools/setup/version-number.mjs";

const version = fc.tuple(fc.nat(999), fc.nat(999), fc.nat(999));

describe("parseVersion", () => {
  test("parses the versions that programs print", () => {
    expect(parseVersion("v24.21.0\n")).toEqual([24, 21, 0]);
    expect(parseVersion("3.259.0")).toEqual([3, 259, 0]);
    expect(parseVersion("v3.260.0-dev.1718+abc")).toEqual([3, 260, 0]);
  });

  test("returns undefined for text that is not a version", () => {
    for (const text of ["", "3", "3.259", "go1.26.8", "3.259.0 (built from source)", "latest"]) {
      expect(parseVersion(text), text).toBeUndefined();
    }
  });
});

describe("compareVersions", () => {
  test("compares numerically, not as text", () => {
    const sorted = ["3.9.0", "3.259.0", "3.30.1", "3.30.0"].toSorted(compareVersions);
    expect(sorted).toEqual(["3.9.0", "3.30.0", "3.30.1", "3.259.0"]);
  });

  test("agrees with the order of the parts", () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const parts = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
        expect(Math.sign(compareVersions(a.join("."), `v${b.join(".")}`))).toBe(Math.sign(parts));
      }),
    );
  });

  test("puts text that is not a version below every version", () => {
    expect(compareVersions("unknown", "0.0.0")).toBeLessThan(0);
  });
});

describe("isAtLeast", () => {
  test("is true for the minimum and later versions", () => {
    expect(isAtLeast("22.19.0", "22.19.0")).toBe(true);
    expect(isAtLeast("24.0.0", "22.19.0")).toBe(true);
    expect(isAtLeast("22.18.9", "22.19.0")).toBe(false);
    expect(isAtLeast("20.20.2", "22.19.0")).toBe(false);
  });

  test("is false for text that is not a version", () => {
    expect(isAtLeast("command not found", "0.0.0")).toBe(false);
  });
});

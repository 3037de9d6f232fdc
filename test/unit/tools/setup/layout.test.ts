import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { pathWithoutPackages, packagePrograms, readJson, withPath } from "../../../../tools/setup/layout.mjs";
import { oldestNode } from "../../../../tools/setup/layout.mjs";
import { oldestCli } from "../../../../tools/setup/pulumi-cli.mjs";

describe("pathWithoutPackages", () => {
  test("omits the programs of the npm packages", () => {
    const path = ["/usr/bin", packagePrograms, "", "/bin"].join(delimiter);
    expect(pathWithoutPackages(path).split(delimiter)).not.toContain(packagePrograms);
    expect(pathWithoutPackages(path).split(delimiter).slice(0, 2)).toEqual(["/usr/bin", "/bin"]);
  });

  test("has a Node.js that is not from the npm packages", () => {
    const own = dirname(process.execPath);
    const isPackaged = own.startsWith(join(packagePrograms, "..", ".."));
    expect(pathWithoutPackages("/usr/bin").split(delimiter).includes(own)).toBe(!isPackaged);
  });
});

describe("withPath", () => {
  test("puts folders first, once", () => {
    const path = ["/usr/bin", "/b", "/bin"].join(delimiter);
    expect(withPath(["/a", "/b"], { PATH: path })["PATH"]).toBe(["/a", "/b", "/usr/bin", "/bin"].join(delimiter));
  });

  test("keeps the spelling of the variable's name", () => {
    expect(withPath(["C:\\a"], { Path: "C:\\b", HOME: "x" })).toEqual({ Path: `C:\\a${delimiter}C:\\b`, HOME: "x" });
  });
});

describe("minimum versions", () => {
  test("are those of package.json", () => {
    const manifest = readJson("package.json");
    expect(manifest.engines.node).toBe(`>=${oldestNode.replace(/\.0$/, "")}`);
    expect(manifest.peerDependencies["@pulumi/pulumi"]).toBe(`^${oldestCli}`);
  });
});

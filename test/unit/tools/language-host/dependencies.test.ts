import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dependenciesOf, requiredPlugins } from "../../../../tools/language-host/dependencies";
import { nodeForPrograms, resolveFrom } from "../../../../tools/language-host/node-program";
import { readRuntimeOptions } from "../../../../tools/language-host/runtime-options";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "language-host-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, content: object | string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

describe("readRuntimeOptions", () => {
  test("compiles TypeScript and installs with npm by default", () => {
    expect(readRuntimeOptions(undefined)).toEqual({ typescript: true, nodeArguments: [], packageManager: "npm" });
  });

  test("reads the options of Pulumi.yaml", () => {
    const options = Struct.fromJavaScript({
      typescript: false,
      tsconfig: "tsconfig.pulumi.json",
      nodeargs: `--max-old-space-size=4096 --import "./a b.mjs"`,
      packagemanager: "pnpm",
    });
    expect(readRuntimeOptions(options)).toEqual({
      typescript: false,
      tsconfig: "tsconfig.pulumi.json",
      nodeArguments: ["--max-old-space-size=4096", "--import", "./a b.mjs"],
      packageManager: "pnpm",
    });
  });
});

describe("requiredPlugins", () => {
  test("finds packages that need a resource plugin, also scoped packages and packages of parent folders", () => {
    write("node_modules/plain/package.json", { name: "plain", version: "1.0.0" });
    write("node_modules/@pulumi/aws/package.json", {
      name: "@pulumi/aws",
      version: "7.1.0",
      pulumi: { resource: true },
    });
    write("program/node_modules/mine/package.json", {
      name: "mine",
      version: "0.1.0",
      pulumi: { resource: true, name: "other", version: "2.0.0", server: "https://plugins.example" },
    });
    expect(requiredPlugins(join(folder, "program"))).toEqual([
      { name: "other", version: "v2.0.0", server: "https://plugins.example" },
      { name: "aws", version: "v7.1.0", server: "" },
    ]);
  });

  test("uses the nearest of two packages with the same name", () => {
    const manifest = (version: string) => ({ name: "p", version, pulumi: { resource: true } });
    write("node_modules/p/package.json", manifest("1.0.0"));
    write("program/node_modules/p/package.json", manifest("2.0.0"));
    expect(requiredPlugins(join(folder, "program")).map(({ version }) => version)).toEqual(["v2.0.0"]);
  });

  test("ignores an invalid package.json", () => {
    write("node_modules/broken/package.json", "{");
    expect(requiredPlugins(folder)).toEqual([]);
  });
});

describe("dependenciesOf", () => {
  beforeEach(() => {
    write("package.json", { dependencies: { a: "*" }, devDependencies: { missing: "*" } });
    write("node_modules/a/package.json", { version: "1.0.0", dependencies: { b: "*" } });
    write("node_modules/b/package.json", { version: "2.0.0", dependencies: { a: "*" } });
  });

  test("lists the program's dependencies with their installed versions", () => {
    expect(dependenciesOf(folder, false)).toEqual([{ name: "a", version: "1.0.0" }]);
  });

  test("lists transitive dependencies once, also in a cycle", () => {
    expect(dependenciesOf(folder, true)).toEqual([
      { name: "a", version: "1.0.0" },
      { name: "b", version: "2.0.0" },
    ]);
  });
});

describe("nodeForPrograms", () => {
  test("returns the running Node.js when it is new enough", () => {
    const provided = write("node", "");
    for (const version of ["22.19.0", "24.0.0", "26.1.2"])
      expect(nodeForPrograms(version, provided)).toBe(process.execPath);
  });

  test("returns the provided Node.js when the running one is too old", () => {
    const provided = write("node", "");
    for (const version of ["20.20.2", "22.18.0"]) expect(nodeForPrograms(version, provided)).toBe(provided);
  });

  test("returns the running Node.js when none is provided", () => {
    expect(nodeForPrograms("20.20.2", join(folder, "missing"))).toBe(process.execPath);
  });
});

describe("resolveFrom", () => {
  test("finds the SDK of the program's folder", () => {
    write("node_modules/@pulumi/pulumi/package.json", { name: "@pulumi/pulumi", version: "3.250.0" });
    const runner = write("node_modules/@pulumi/pulumi/cmd/run/index.js", "");
    expect(resolveFrom(join(folder, "program"), "@pulumi/pulumi/cmd/run")).toBe(runner);
  });

  test("returns undefined when no SDK is installed", () => {
    expect(resolveFrom(folder, "@pulumi/pulumi/cmd/run")).toBeUndefined();
  });
});

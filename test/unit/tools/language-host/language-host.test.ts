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

describe("readOptions", () => {
  test("compiles TypeScript and installs with npm unless told otherwise", () => {
    expect(readRuntimeOptions(undefined)).toEqual({ typescript: true, nodeArguments: [], packageManager: "npm" });
  });

  test("reads what Pulumi.yaml says", () => {
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
  test("finds packages that stand for a resource plugin, scoped ones and those of outer folders too", () => {
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

  test("takes the nearest of two", () => {
    const manifest = (version: string) => ({ name: "p", version, pulumi: { resource: true } });
    write("node_modules/p/package.json", manifest("1.0.0"));
    write("program/node_modules/p/package.json", manifest("2.0.0"));
    expect(requiredPlugins(join(folder, "program")).map(({ version }) => version)).toEqual(["v2.0.0"]);
  });

  test("passes over a package.json that cannot be read", () => {
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

  test("lists what the program names, with the versions installed", () => {
    expect(dependenciesOf(folder, false)).toEqual([{ name: "a", version: "1.0.0" }]);
  });

  test("lists what those need in turn, once, in cycles too", () => {
    expect(dependenciesOf(folder, true)).toEqual([
      { name: "a", version: "1.0.0" },
      { name: "b", version: "2.0.0" },
    ]);
  });
});

describe("nodeForPrograms", () => {
  test("is the running Node where that is new enough", () => {
    const provided = write("node", "");
    for (const version of ["22.19.0", "24.0.0", "26.1.2"])
      expect(nodeForPrograms(version, provided)).toBe(process.execPath);
  });

  test("is the provided one where the running Node is too old", () => {
    const provided = write("node", "");
    for (const version of ["20.20.2", "22.18.0"]) expect(nodeForPrograms(version, provided)).toBe(provided);
  });

  test("is the running Node where none is provided", () => {
    expect(nodeForPrograms("20.20.2", join(folder, "missing"))).toBe(process.execPath);
  });
});

describe("resolveFrom", () => {
  test("finds the SDK that the program's own folder has", () => {
    write("node_modules/@pulumi/pulumi/package.json", { name: "@pulumi/pulumi", version: "3.250.0" });
    const runner = write("node_modules/@pulumi/pulumi/cmd/run/index.js", "");
    expect(resolveFrom(join(folder, "program"), "@pulumi/pulumi/cmd/run")).toBe(runner);
  });

  test("is undefined where no SDK is installed", () => {
    expect(resolveFrom(folder, "@pulumi/pulumi/cmd/run")).toBeUndefined();
  });
});

/** Every entry of the packages in a Node.js that is too old. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(__dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "dag-old-node-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An installed Node.js that is older than the packages require; undefined if there is none. */
const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find(
  (file) => existsSync(file) && /^v(1\d|20)\./.test(execFileSync(file, ["--version"], { encoding: "utf8" })),
);
if (oldNode === undefined) console.log("skipped: the entries in an old Node.js: this machine has none");

const required = (file: string) => ["-e", `require(${JSON.stringify(join(root, file))})`];
const imported = (file: string) => ["--input-type=module", "-e", `await import(${JSON.stringify(join(root, file))})`];

test.runIf(oldNode).each<[entry: string, program: string, args: readonly string[]]>([
  ["the service", "dag-service", [join(root, "service/dist/service/main.js"), "--help"]],
  ["dag-service/testing", "dag-service", required("service/dist/service/testing/index.js")],
  ["pulumi-dag", "pulumi-dag", required("dist/provider/index.js")],
  ["pulumi-dag as an ES module", "pulumi-dag", imported("dist/provider/index.js")],
  ["pulumi-dag/client", "pulumi-dag", required("dist/provider/client/index.js")],
  ["pulumi-dag/dynamic/handlers", "pulumi-dag", required("dist/provider/dynamic/handlers.js")],
  ["hiveql-duckdb", "hiveql-duckdb", required("hiveql/dist/index.js")],
  ["hiveql-duckdb/syntax", "hiveql-duckdb", required("hiveql/dist/syntax/index.js")],
  ["the plugin's main.js", "pulumi-dag", [join(root, "dist/provider/plugin/main.js"), "127.0.0.1:1"]],
])("%s: prints one line with what to do, and ends with code 1", (_entry, program, args) => {
  const { status, stdout, stderr } = spawnSync(oldNode!, [...args], { encoding: "utf8", timeout: 20_000 });
  expect(stderr).toMatch(
    new RegExp(`^${program} needs Node\\.js 22\\.19 or later, but this is Node\\.js \\S+: install a newer one, .*\\n$`),
  );
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});

test("pulumi-resource-dag: --version and --help answer, also in an old Node.js", () => {
  // Without a newer Node.js above the package, on PATH or at home.
  mkdirSync(join(folder, "package"));
  for (const name of ["bin", "package.json"])
    cpSync(join(root, name), join(folder, "package", name), { recursive: true });
  const start = join(folder, "package/bin/pulumi-resource-dag");
  const run = (node: string, ...args: string[]) =>
    spawnSync(node, [start, ...args], { encoding: "utf8", env: { HOME: folder, PATH: folder }, timeout: 20_000 });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  for (const node of [process.execPath, ...(oldNode === undefined ? [] : [oldNode])]) {
    expect(run(node, "--version")).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
    expect(run(node, "--help")).toMatchObject({ status: 0, stderr: "" });
    expect(run(node, "--help").stdout).toContain("Usage: pulumi-resource-dag");
  }
  const old = oldNode === undefined ? undefined : run(oldNode, "127.0.0.1:1");
  expect([undefined, 1]).toContain(old?.status);
  expect(old?.stderr ?? "").toMatch(/^(pulumi-resource-dag needs Node\.js 22\.19 or later, .*\n)?$/);
});

/** The declarations of the packed packages, under the compiler settings that programs have. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(__dirname, "../../..");
/** Folders of the newest and oldest TypeScript and SDK. */
const newest = join(root, "node_modules");
const oldest = join(root, "test/oldest/node_modules");
const folder = mkdtempSync(join(tmpdir(), "dag-types-"));
const packed = { "pulumi-dag": ".", "dag-service": "service", "hiveql-duckdb": "hiveql" };

/** Uses each entry of each package, and fails to compile where a type is `any`. */
const program = `import * as pulumi from "@pulumi/pulumi";
import * as dag from "pulumi-dag";
import { type Client, errors, waitUntil, type OperationRequest } from "pulumi-dag/client";
import { dagMocks } from "pulumi-dag/testing";
import { startService, type TestService } from "dag-service/testing";
import { translate } from "hiveql-duckdb";
import { checkStatement } from "hiveql-duckdb/syntax";

const clusterName = "demo";
const table = new dag.SplitTable("t", { clusterName, inputObjectKeys: ["dag://in/a.csv"], outputDatabase: "shop" });
const query = new dag.SelectQuery("q", {
  clusterName,
  query: pulumi.interpolate\`SELECT * FROM \${table.qualifiedName}\`,
  outputResourcePath: "dag://out/q/",
  expect: { rows: { min: 1 } },
});
export const cell: pulumi.Output<string | null | undefined> = query.result.apply((result) => result?.rows?.[0]?.[0]);
export const status: pulumi.Output<string> = dag.getCluster({ clusterName }).status;
export const names: pulumi.Output<string[]> = dag
  .getClusters({ status: ["norm"] })
  .clusters.apply((all) => all.map(({ name }) => name));
const request: OperationRequest<"submitSelect"> = { clusterName, query: "SELECT 1", outputResourcePath: "dag://out/a/" };
export async function run(client: Client): Promise<number> {
  try {
    const { queryId } = await client.submitSelect(request);
    const record = await client.waitForQuery({ queryId, clusterName });
    return record.type === "select" ? record.stage : record.inputObjectKeys.length;
  } catch (error) {
    if (error instanceof errors.TooManyQueries) return error.status;
    throw error;
  }
}
export async function test(): Promise<void> {
  const mocks = dagMocks({ outputs: { q: { status: "error" } }, functions: { getCluster: { status: "norm" } } });
  await pulumi.runtime.setMocks(mocks);
  const clusters = [{ name: clusterName, instances: [{ grade: "small", quantity: 3 }] }];
  const service: TestService = await startService({ clusters, faults: [{ operation: "*", probability: 1 }] });
  await service.close();
}
export const others = [waitUntil, translate, checkStatement];

// @ts-expect-error a query needs a statement
new dag.SelectQuery("q", { clusterName, outputResourcePath: "dag://out/q/" });
// @ts-expect-error no such status
export const wrong: pulumi.Output<"gone"> = dag.getCluster({ clusterName }).status;
// @ts-expect-error a query's id is a number
void ((client: Client) => client.getQuery({ queryId: "1" }));
// @ts-expect-error no such status
dagMocks({ functions: { getCluster: { status: "gone" } } });
// @ts-expect-error no such operation
void startService({ faults: [{ operation: "all", probability: 1 }] });
`;

/** An empty folder with the packed packages, and the packages that npm would install with them. */
function install(place: string, packages: string): void {
  const target = join(folder, place);
  const modules = join(target, "node_modules");
  mkdirSync(modules, { recursive: true });
  for (const [name, from] of Object.entries(packed)) {
    execFileSync("tar", ["-xzf", tarballs[name]!, "-C", target]);
    renameSync(join(target, "package"), join(modules, name));
    // Not the tools of this repository.
    const { dependencies } = manifest(from);
    for (const dependency of [...Object.keys(dependencies), "@types/node", "undici-types"]) {
      const path = join(modules, dependency);
      if (existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(installed(from, dependency), path);
    }
  }
  mkdirSync(join(modules, "@pulumi"));
  symlinkSync(join(packages, "@pulumi/pulumi"), join(modules, "@pulumi/pulumi"));
  writeFileSync(join(target, "package.json"), '{ "private": true }');
  writeFileSync(join(target, "program.ts"), program);
}

const tarballs: Record<string, string> = {};

function manifest(from: string) {
  return JSON.parse(readFileSync(join(root, from, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
}

function installed(from: string, dependency: string): string {
  const own = join(root, from, "node_modules", dependency);
  return existsSync(own) ? own : join(root, "node_modules", dependency);
}

beforeAll(() => {
  for (const [name, from] of Object.entries(packed)) {
    const into = join(folder, "tarballs", name);
    mkdirSync(into, { recursive: true });
    execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", into], {
      cwd: join(root, from),
      stdio: "ignore",
    });
    tarballs[name] = join(into, readdirSync(into)[0]!);
  }
  install("newest", newest);
  install("oldest", oldest);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function compile(place: string, typescript: string, flags: readonly string[]): string {
  const tsc = join(typescript, "typescript/bin/tsc");
  const all = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--types",
    "node",
    "--pretty",
    "false",
    ...flags,
    "program.ts",
  ];
  return spawnSync(process.execPath, [tsc, ...all], { cwd: join(folder, place), encoding: "utf8" }).stdout;
}

const node10 = ["--module", "commonjs", "--moduleResolution", "node"];
/** TypeScript 6 warns of settings that TypeScript 7 will not have. */
const ignore = ["--ignoreDeprecations", "6.0"];
const strictest = ["--skipLibCheck", "false", "--esModuleInterop", "false"];

test.each<[name: string, place: string, typescript: string, flags: readonly string[]]>([
  ["oldest TypeScript and SDK, moduleResolution node", "oldest", oldest, [...node10, ...strictest]],
  ["oldest TypeScript, moduleResolution node16", "newest", oldest, ["--module", "node16", ...strictest]],
  ["newest TypeScript, moduleResolution nodenext", "newest", newest, ["--module", "nodenext", ...ignore, ...strictest]],
  [
    "newest TypeScript and oldest SDK, moduleResolution node",
    "oldest",
    newest,
    [...node10, ...ignore, "--skipLibCheck", "false"],
  ],
  [
    "newest TypeScript, moduleResolution bundler",
    "newest",
    newest,
    ["--module", "esnext", "--moduleResolution", "bundler", "--skipLibCheck", "false"],
  ],
])("declarations: compile with the %s", (_name, place, typescript, flags) => {
  expect(compile(place, typescript, flags)).toBe("");
});

test("declarations: none that a program reaches is of zod or of a package that is not installed", () => {
  const files = compile("newest", newest, ["--module", "nodenext", "--listFiles"]).split("\n");
  expect(files.some((file) => file.includes("pulumi-dag/dist/provider/index.d.ts"))).toBe(true);
  expect(files.filter((file) => /node_modules\/(zod|dt-sql-parser|antlr4ng|pino)\//.test(file))).toEqual([]);
});

test("peer dependencies: name the oldest SDK and TypeScript that are tested, and no TypeScript that the SDK refuses", () => {
  const { dependencies } = manifest("test/oldest");
  const { peerDependencies } = manifest(".");
  const sdk = manifest("node_modules/@pulumi/pulumi");
  const [refused] = /\d+$/.exec(sdk.peerDependencies!["typescript"]!)!;
  expect(peerDependencies).toEqual({
    "@pulumi/pulumi": `^${dependencies["@pulumi/pulumi"]}`,
    typescript: `>=${dependencies["typescript"]!.replace(/\.\d+$/, "")} <${refused}`,
  });
});

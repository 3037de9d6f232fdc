import { execFile, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, startService, TestStack } from "../provider/harness";

const execute = promisify(execFile);
const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as {
  readonly resources: Readonly<Record<string, { readonly description: string }>>;
};
/** The SDK generators are Go packages, so these tests require Go. */
const hasGo = spawnSync("go", ["version"]).status === 0;
if (!hasGo) console.warn("skipped: the SDKs, since there is no `go` on PATH to make them with");

/** The examples in the resources' descriptions, in one language. */
function examplesIn(language: string): string[] {
  return Object.values(schema.resources).map(
    ({ description }) => new RegExp(`\`\`\`${language}\\n([^]*?)\\n\`\`\``).exec(description)![1]!,
  );
}

test("schema.json: has an example of each resource in each language", () => {
  for (const language of ["typescript", "python", "go", "yaml"]) expect(examplesIn(language)).toHaveLength(4);
});

describe.runIf(hasGo)("the SDKs that Pulumi's generators make of schema.json", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "dag-sdks-"));
    await execute(process.execPath, [join(root, "tools/release/sdks.mjs"), folder]);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  test("nodejs: compiles, with the examples", async () => {
    const sdk = join(folder, "nodejs");
    mkdirSync(join(sdk, "node_modules"));
    for (const name of ["@pulumi", "@types"])
      symlinkSync(join(root, "node_modules", name), join(sdk, "node_modules", name));
    examplesIn("typescript").forEach((text, index) => {
      writeFileSync(join(sdk, `example${index}.ts`), text.replace('"pulumi-dag"', '"./index"'));
    });
    const config = JSON.parse(readFileSync(join(sdk, "tsconfig.json"), "utf8").replace(/^\s*\/\/.*$/gm, "")) as {
      readonly files: string[];
    };
    config.files.push(...examplesIn("typescript").map((_text, index) => `example${index}.ts`));
    writeFileSync(join(sdk, "tsconfig.json"), JSON.stringify(config));
    await execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", sdk]);
    expect(existsSync(join(sdk, "bin/selectQuery.js"))).toBe(true);
  });

  test("nodejs: deploys through the plugin, and its defaults do not enlarge the state", async () => {
    // Compiled, as it is published.
    copyFileSync(join(folder, "nodejs/package.json"), join(folder, "nodejs/bin/package.json"));
    const sdk = createRequire(__filename)(join(folder, "nodejs/bin/index.js")) as {
      readonly SelectQuery: new (name: string, args: object) => { readonly outputFormat: unknown };
      readonly getCluster: (args: object) => Promise<{ readonly status: string }>;
    };
    await using service = await startService({ buckets: ["results"] });
    await using stack = await TestStack.create(service);
    stack.program = async () => {
      const query = new sdk.SelectQuery("one", {
        clusterName: "demo",
        query: "SELECT 1 AS one",
        outputResourcePath: "dag://results/one/",
      });
      return { format: query.outputFormat, cluster: (await sdk.getCluster({ clusterName: "demo" })).status };
    };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    expect(run.outputs).toEqual({ format: "csv", cluster: "norm" });
    const { inputs } = await stack.resource("one");
    // `__gen` holds the generation of the resource, by which those that read its result notice that it was rebuilt.
    expect(Object.keys(inputs).toSorted()).toEqual(["__gen", "clusterName", "outputResourcePath", "query"]);
    expect((await stack.up()).changes).toEqual({ same: 1 });
  });

  test("python: every file and example compiles", async () => {
    const sdk = join(folder, "python");
    examplesIn("python").forEach((text, index) => writeFileSync(join(sdk, `example${index}.py`), text));
    const { stdout } = await execute("python3", ["-m", "compileall", "-q", sdk]);
    expect(stdout).toBe("");
    expect(readFileSync(join(sdk, "pulumi_dag/select_query.py"), "utf8")).toContain("output_resource_path");
  });

  test("go: every file and example is Go as gofmt writes it", async () => {
    const sdk = join(folder, "go");
    examplesIn("go").forEach((text, index) => {
      mkdirSync(join(sdk, `example${index}`));
      writeFileSync(join(sdk, `example${index}/main.go`), `${text}\n`);
    });
    const { stdout } = await execute("gofmt", ["-l", sdk]);
    expect(stdout).toBe("");
  });
});

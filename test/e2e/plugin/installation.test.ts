import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PluginProcess } from "../../contract/plugin/plugin-process";
import { pulumiRoot, root } from "../provider/harness";

const execute = promisify(execFile);
const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as { readonly name: string };
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };

/** An installed Node.js that is older than the plugin requires; undefined if there is none. */
const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find(
  (file) => existsSync(file) && /^v(1\d|20)\./.test(execFileSync(file, ["--version"], { encoding: "utf8" })),
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dag-installation-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Runs the CLI with its own home directory and a restricted PATH. */
function pulumi(args: readonly string[], path = "") {
  const env = {
    HOME: folder,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PATH: [path, "/usr/bin", "/bin"].filter(Boolean).join(delimiter),
  };
  return execute(join(pulumiRoot(), "bin/pulumi"), [...args], { cwd: folder, env, maxBuffer: 1e8 });
}

async function schemaOf(plugin: string, path?: string): Promise<unknown> {
  return JSON.parse((await pulumi(["package", "get-schema", plugin], path)).stdout);
}

describe("the archive", () => {
  let file: string;

  beforeAll(async () => {
    await execute(process.execPath, [join(root, "tools/release/archive.mjs"), join(folder, "archives")]);
    // The archive's bill of materials is beside it.
    file = join(
      folder,
      "archives",
      readdirSync(join(folder, "archives")).find((name) => name.endsWith(".tar.gz"))!,
    );
  });

  test("has the file name that Pulumi expects", () => {
    expect(file).toMatch(
      new RegExp(`/pulumi-resource-dag-v${version}-(linux|darwin|windows)-(amd64|arm64)\\.tar\\.gz$`),
    );
  });

  test("pulumi plugin install: installs it, and it runs without Node.js on PATH", async () => {
    await pulumi(["plugin", "install", "resource", "dag", version, "--file", file]);
    const installed = join(folder, "home/plugins", `resource-dag-v${version}`, "pulumi-resource-dag");
    expect(await schemaOf(installed)).toEqual(schema);
  });
});

describe("the npm package", () => {
  let installed: string;

  beforeAll(async () => {
    await execute("npm", ["pack", "--pack-destination", folder, "--loglevel=error"], { cwd: root });
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))!;
    await execute("tar", ["-xzf", tarball, "-C", folder], { cwd: folder });
    installed = join(folder, "node_modules/pulumi-dag");
    mkdirSync(dirname(installed));
    cpSync(join(folder, "package"), installed, { recursive: true });
    // The dependencies that npm would install.
    for (const name of readdirSync(join(root, "node_modules"))) {
      const own = join(folder, "node_modules", name);
      if (!existsSync(own)) symlinkSync(join(root, "node_modules", name), own);
    }
  });

  test("its executable and the folder that contains it are plugins", async () => {
    const nodes = dirname(process.execPath);
    expect(await schemaOf(join(installed, "bin/pulumi-resource-dag"), nodes)).toEqual(schema);
  });

  test.runIf(oldNode)("an older Node.js starts a newer one", async () => {
    await using plugin = await PluginProcess.start({}, [oldNode!, join(installed, "bin/pulumi-resource-dag")]);
    expect(JSON.parse(await plugin.schema())).toEqual(schema);
    // A killed process leaves no other processes running.
    plugin.child.kill("SIGKILL");
    await expect.poll(() => plugin.schema().then(String, () => "gone"), { timeout: 10_000 }).toBe("gone");
  });

  test("PulumiPlugin.yaml: the folder runs as Pulumi's Node.js host runs plugins", async () => {
    const runPlugin = join(root, "node_modules/@pulumi/pulumi/cmd/run-plugin");
    expect(readFileSync(join(installed, "bin/PulumiPlugin.yaml"), "utf8")).toContain("runtime: nodejs");
    await using plugin = await PluginProcess.start({}, [process.execPath, runPlugin, join(installed, "bin")]);
    expect(JSON.parse(await plugin.schema())).toEqual(schema);
  });
});

test("pulumi schema check: reports no problems in schema.json", async () => {
  const { stdout, stderr } = await pulumi(["schema", "check", join(root, "schema.json")]);
  expect(`${stdout}${stderr}`.toLowerCase()).not.toMatch(/error|warning/);
});

/**
 * `sdks.mjs FOLDER` generates the SDKs for Node.js, Python and Go from schema.json with Pulumi's generators. It needs
 * Go and a Go module proxy. `pulumi package gen-sdk` does the same, but needs a Pulumi CLI with language hosts.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { goModule } from "../setup/go-build.mjs";
import { root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";

/** The Pulumi release of the generators. */
const pulumiVersion = "3.259.0";
const cliModule = `github.com/pulumi/pulumi/pkg/v3@v${pulumiVersion}`;

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error("usage: sdks.mjs FOLDER");
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), "pulumi-dag-sdks-"));
try {
  copyFileSync(join(root, "tools/release/sdks.go"), join(work, "main.go"));
  writeFileSync(join(work, "go.mod"), "module build\n");
  const { GoMod } = jsonIn(await go("mod", "download", "-json", cliModule));
  writeFileSync(join(work, "go.mod"), goModule(pulumiVersion, jsonIn(await go("mod", "edit", "-json", GoMod))));
  process.stdout.write(await go("run", ".", join(root, "schema.json"), resolve(target)));
} finally {
  rmSync(work, { recursive: true, force: true });
}

/**
 * @param {string[]} args
 * @returns {Promise<string>} the command's output
 */
async function go(...args) {
  const env = { ...process.env, GOFLAGS: "-mod=mod -modcacherw -buildvcs=false", GOWORK: "off", CGO_ENABLED: "0" };
  const { code, output } = await run("go", args, { cwd: work, env });
  if (code !== 0) throw new Error(`go ${args[0]} failed with exit code ${code}:\n${output}`);
  return output;
}

/**
 * @param {string} output of a go command: JSON, possibly after progress lines
 * @returns {any}
 */
function jsonIn(output) {
  return JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1));
}

/** Builds the Pulumi CLI from its Go module, for networks that reach a Go module proxy but not Pulumi's downloads. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findGo } from "./go.mjs";
import { run, tail } from "./process.mjs";

const cliModule = "github.com/pulumi/pulumi/pkg/v3";
const sdkModule = "github.com/pulumi/pulumi/sdk/v3";

/** Thrown when a release of the Pulumi CLI cannot be built on this machine. */
export class GoBuildError extends Error {
  /**
   * @param {string} message
   * @param {boolean} [concernsAllReleases] true when every release would fail for this reason
   */
  constructor(message, concernsAllReleases = false) {
    super(message);
    this.concernsAllReleases = concernsAllReleases;
  }
}

/**
 * Builds one release of the Pulumi CLI.
 *
 * @param {string} version without a leading v
 * @param {string} output path of the executable
 * @param {(detail: string) => void} say reports progress
 * @throws {GoBuildError} when the build fails
 */
export async function buildFromGoProxy(version, output, say) {
  const go = findGo();
  if (go === undefined)
    throw new GoBuildError("Go is not installed (no `go` on PATH); the build needs Go 1.25 or later", true);
  const work = mkdtempSync(join(tmpdir(), "pulumi-build-"));
  const call = async (/** @type {string[]} */ args, /** @type {(line: string) => void} */ onLine = () => {}) => {
    const ended = await run(go, args, { cwd: work, env: goEnvironment(), onLine });
    if (ended.code !== 0) throw new GoBuildError(reasonOf(ended.output) || `go ${args[0]} failed (exit ${ended.code})`);
    return ended.output;
  };
  try {
    say("downloading the Go module");
    writeFileSync(join(work, "go.mod"), "module build\n");
    const module = parseDownload(await call(["mod", "download", "-json", `${cliModule}@v${version}`]));
    writeFileSync(
      join(work, "go.mod"),
      goModule(version, JSON.parse(await call(["mod", "edit", "-json", module.GoMod]))),
    );
    say("downloading its dependencies");
    const packages = (await call(["list", "-deps", `${cliModule}/cmd/pulumi`])).split("\n").length;
    let compiled = 0;
    await call(["build", "-v", "-o", output, "-ldflags", linkerFlags(version), `${cliModule}/cmd/pulumi`], () =>
      say(`compiled ${++compiled} of up to ${packages} packages`),
    );
    const { output: printed } = await run(output, ["version"], {
      env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
    if (!printed.includes(version))
      throw new GoBuildError(`\`pulumi version\` of the built CLI prints "${printed.trim()}" instead of ${version}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Returns the go.mod of a module that builds the CLI. Go ignores `replace` directives outside the main module, so this
 * go.mod repeats the CLI's, except those that point to folders of Pulumi's repository.
 *
 * @param {string} version
 * @param {{ Go?: string, Replace?: { Old: GoModule, New: GoModule }[] | null }} manifest the CLI module's go.mod
 * @returns {string} the text of the go.mod
 */
export function goModule(version, { Go, Replace }) {
  const named = (/** @type {GoModule} */ { Path, Version }) => (Version ? `${Path} ${Version}` : Path);
  return [
    "module build",
    ...(Go ? [`go ${Go}`] : []),
    `require ${cliModule} v${version}`,
    `require ${sdkModule} v${version}`,
    ...(Replace ?? []).filter(({ New }) => New.Version).map(({ Old, New }) => `replace ${named(Old)} => ${named(New)}`),
    "",
  ].join("\n");
}

/** @typedef {{ Path: string, Version?: string }} GoModule */

/** Returns the user's environment without settings for another platform, vendored modules or a Go workspace. */
function goEnvironment() {
  const { GOOS, GOARCH, GO111MODULE, GOEXPERIMENT, ...env } = process.env;
  return {
    ...env,
    // Lets an older Go download the Go version that the module requires, from the same proxy.
    GOTOOLCHAIN: "auto",
    GOFLAGS: "-mod=mod -modcacherw -buildvcs=false",
    GOWORK: "off",
    CGO_ENABLED: "0",
  };
}

/** @param {string} version */
function linkerFlags(version) {
  return `-s -w -X ${sdkModule}/go/common/version.Version=${version}`;
}

/** @param {string} output of a failed go command */
function reasonOf(output) {
  try {
    return JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1)).Error;
  } catch {
    return tail(output, 6);
  }
}

/**
 * @param {string} output of go mod download -json, after progress lines
 * @returns {{ GoMod: string }}
 */
function parseDownload(output) {
  return JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1));
}

/** Builds the Pulumi CLI from the Go module proxy, for networks where nothing else of Pulumi's can be reached. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findGo } from "./go.mjs";
import { run, tail } from "./process.mjs";

const cliModule = "github.com/pulumi/pulumi/pkg/v3";
const sdkModule = "github.com/pulumi/pulumi/sdk/v3";

/** Why a release cannot be built here. */
export class GoBuildError extends Error {
  /**
   * @param {string} message
   * @param {boolean} [concernsAllReleases] true where another release would fail in the same way
   */
  constructor(message, concernsAllReleases = false) {
    super(message);
    this.concernsAllReleases = concernsAllReleases;
  }
}

/**
 * Builds one release.
 *
 * @param {string} version without a leading v
 * @param {string} output the program's path
 * @param {(detail: string) => void} say
 * @throws {GoBuildError} where it cannot be built
 */
export async function buildFromGoProxy(version, output, say) {
  const go = findGo();
  if (go === undefined) throw new GoBuildError("there is no `go` on PATH (Go 1.25 or later builds it)", true);
  const work = mkdtempSync(join(tmpdir(), "pulumi-build-"));
  const call = async (/** @type {string[]} */ args, /** @type {(line: string) => void} */ onLine = () => {}) => {
    const ended = await run(go, args, { cwd: work, env: goEnvironment(), onLine });
    if (ended.code !== 0) throw new GoBuildError(reasonOf(ended.output) || `go ${args[0]} ended with ${ended.code}`);
    return ended.output;
  };
  try {
    say("downloading the module");
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
    if (!printed.includes(version)) throw new GoBuildError(`the built CLI calls itself ${printed.trim()}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The module that builds the CLI: a module's own replacements count only when it is the main module, so they are
 * taken over, except those that point to folders of Pulumi's repository.
 *
 * @param {string} version
 * @param {{ Go?: string, Replace?: { Old: GoModule, New: GoModule }[] | null }} manifest the CLI module's go.mod
 * @returns {string} a go.mod
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

/** The user's, without what would build something else: another platform, vendored modules, a workspace. */
function goEnvironment() {
  const { GOOS, GOARCH, GO111MODULE, GOEXPERIMENT, ...env } = process.env;
  return {
    ...env,
    // An older Go then fetches the one that the module asks for, from the same proxy.
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

/** @param {string} output of a go command that failed */
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

/** Builds Pulumi's language hosts that a CLI built from its Go module lacks, from their own Go modules. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { must } from "../step.mjs";

const yamlModule = "github.com/pulumi/pulumi-yaml";
const yamlVersion = "1.25.0";

/**
 * Returns a folder for PATH that has `pulumi-language-yaml`.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder of the rehearsal
 * @returns {Promise<string>}
 */
export async function ensureYamlHost(env, folder) {
  const program = `pulumi-language-yaml${process.platform === "win32" ? ".exe" : ""}`;
  const there = String(env["PATH"])
    .split(delimiter)
    .find((each) => existsSync(join(each, program)));
  if (there !== undefined) return there;
  const work = join(folder, "yaml-host");
  mkdirSync(work);
  const go = (/** @type {string[]} */ ...args) => must("go", args, { cwd: work, env: goEnvironment });
  // The Pulumi of the host's own go.mod: newer ones have other functions.
  writeFileSync(join(work, "go.mod"), `module build\nrequire ${yamlModule} v${yamlVersion}\n`);
  await go("build", "-o", join(work, program), `${yamlModule}/cmd/pulumi-language-yaml`);
  return work;
}

const goEnvironment = {
  ...process.env,
  GOFLAGS: "-mod=mod -modcacherw -buildvcs=false",
  GOWORK: "off",
  CGO_ENABLED: "0",
};

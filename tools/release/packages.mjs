/** The one place of what a release has: the names on the registries and the folders that they come from. */
import { readJson } from "../setup/layout.mjs";

/** @typedef {{ name: string, folder: string }} NpmPackage a package and its folder in the repository */

/** @type {readonly NpmPackage[]} the packages for npm that are packed from the repository */
export const npmPackages = [
  { name: "hiveql-duckdb", folder: "hiveql" },
  { name: "dag-service", folder: "service" },
  { name: "pulumi-dag", folder: "." },
];

/** The SDKs that Pulumi's generators make of schema.json. */
export const sdks = {
  nodejs: { name: "@pulumi-dag/dag" },
  python: { name: "pulumi_dag" },
  go: { module: "github.com/pulumi-dag/pulumi-dag/sdk/go", folder: "sdk/go" },
};

/** The plugin's name in Pulumi: its archives are `pulumi-resource-dag-v<version>-<os>-<arch>.tar.gz`. */
export const plugin = "dag";

/** Platforms of the plugin's archives, in Pulumi's names. */
export const platforms = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64"];

/** @returns {string} the version of all packages */
export function releaseVersion() {
  return String(readJson("package.json").version);
}

/**
 * @param {string} version
 * @returns {string} npm's tag: an install without a version takes `latest`, never a version before its release
 */
export function npmTag(version) {
  return version.includes("-") ? "next" : "latest";
}

/**
 * @param {string} version
 * @returns {string} the version in Python's form, such as 1.0.0rc1
 */
export function pythonVersion(version) {
  return version.replace(/-(?:(rc)|alpha|beta)\.(\d+)$/, (stage, rc, count) => `${rc ?? stage.charAt(1)}${count}`);
}

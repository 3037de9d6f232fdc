/** The one place of what a release has: the names on the registries and the folders that they come from. */
import { readJson } from "../setup/layout.mjs";

/**
 * @typedef {{ name: string, folder: string, published: string }} NpmPackage a package, its folder in the repository, and
 *   its name on the registry
 */

/**
 * The packages for npm that are packed from the repository. `dag-service` belongs to another owner on the registry, so
 * ours is published with a scope; users install it under its own name by an alias.
 *
 * @type {readonly NpmPackage[]}
 */
export const npmPackages = [
  { name: "hiveql-duckdb", folder: "hiveql", published: "hiveql-duckdb" },
  { name: "dag-service", folder: "service", published: "@pulumi-dag/service" },
  { name: "pulumi-dag", folder: ".", published: "pulumi-dag" },
];

/** The SDKs that Pulumi's generators make of schema.json. */
export const sdks = {
  nodejs: { name: "@pulumi-dag/dag" },
  python: { name: "pulumi_dag" },
  go: { module: "github.com/pulumi-dag/pulumi-dag/sdk/go", folder: "sdk/go" },
  java: { group: "io.github.pulumi-dag", artifact: "dag" },
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

/**
 * @param {string} name of a package on npm
 * @param {string} version
 * @returns {string} the file name that `npm pack` gives it
 */
export function tarballName(name, version) {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/**
 * @param {string} version
 * @returns {string} the folder of the Java SDK in a release, laid out as Maven's repositories are
 */
export function mavenFolder(version) {
  const { group, artifact } = sdks.java;
  return `maven/${group.replaceAll(".", "/")}/${artifact}/${version}`;
}

/**
 * @param {string} file name of a package or archive
 * @returns {string} the name of its bill of materials
 */
export function sbomName(file) {
  return `${file.replace(/\.(?:tgz|tar\.gz|whl)$/, "")}.cdx.json`;
}

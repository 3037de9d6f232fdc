/** Finds the Pulumi CLI. */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathWithoutPackages } from "../../../tools/setup/layout.mjs";

/** Returns the folder of `bin/pulumi`: of the CLI on PATH, or else of the newest CLI that set-up has installed. */
export function pulumiRoot(): string {
  const onPath = pathWithoutPackages()
    .split(delimiter)
    .find((folder) => existsSync(join(folder, "pulumi")));
  if (onPath !== undefined) return dirname(onPath);
  const versions = join(homedir(), ".pulumi/versions");
  const found = existsSync(versions) ? readdirSync(versions).filter((name) => /^\d/.test(name)) : [];
  const newest = found.toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true })).at(-1);
  if (newest === undefined)
    throw new Error(`found no Pulumi CLI on PATH or in ${versions}: run \`npm run quickstart\` first`);
  return join(versions, newest);
}

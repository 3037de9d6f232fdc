/** Which servers the tests in the folders of `test/scale` need. */
import type { ComponentName } from "./components.mts";

const groups: Readonly<Record<string, readonly ComponentName[]>> = {
  hive: ["hive", "s3"],
  spark: ["spark", "s3"],
  several: ["hive", "spark", "s3", "postgres"],
};

/** The folders. */
export const testGroups: readonly string[] = Object.keys(groups);

/** Returns the servers that the test files of a run need. */
export function componentsFor(filters: readonly string[]): ComponentName[] {
  const named = testGroups.filter((folder) => filters.some((filter) => filter.includes(folder)));
  const folders = named.length > 0 ? named : testGroups;
  return [...new Set(folders.flatMap((folder) => groups[folder] ?? []))];
}

/** Returns the folders whose tests cannot run. */
export function skippedTests(missing: ReadonlyMap<ComponentName, string>): string[] {
  return testGroups.filter((folder) => groups[folder]?.some((name) => missing.has(name)));
}

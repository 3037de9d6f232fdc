/** The provider's configuration: `dag:*` of the stack, or the arguments of an explicit provider. */
import { configurationKeys, configurationProblems, type ConfigurationName } from "../lifecycles/configuration";
import { hasUnknown, unknown, type CheckFailure, type DiffResult } from "../lifecycles";
import type { Values } from "./values";

/** Names of keys that are secret however they were given. */
export const secretKeys: ReadonlySet<string> = new Set(
  Object.entries(configurationKeys).flatMap(([name, key]) => ("secret" in key ? [name] : [])),
);

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys that every provider may have besides its own. */
const foreignKeys: ReadonlySet<string> = new Set(["version", "pluginDownloadURL"]);
/** The same service under another key is the same: a rotated key is no difference. */
const credentialKeys: ReadonlySet<string> = new Set(["accessKeyId", "secretAccessKey"]);

/** Everything that is wrong with the configuration. What a preview does not know yet passes. */
export function checkConfiguration(values: Values, environment: Environment): CheckFailure[] {
  const known = Object.keys(configurationKeys);
  const strangers = Object.keys(values).filter((name) => !known.includes(name) && !foreignKeys.has(name));
  const problems = configurationProblems((name) => textOf(values[name]), environment);
  return [
    ...strangers.map((property) => ({
      property,
      reason: `dag:${property} is not a key of the configuration; it has ${known.join(", ")}`,
    })),
    ...problems.filter(({ property }) => !hasUnknown(values[property])),
  ];
}

/** Compares two configurations: no difference needs the resources made anew. */
export function diffConfiguration(olds: Values, news: Values): DiffResult {
  const names = Object.keys(configurationKeys).filter((name) => !credentialKeys.has(name));
  const changed = names.filter((name) => news[name] === unknown || textOf(olds[name]) !== textOf(news[name]));
  const kindOf = (name: string) =>
    textOf(olds[name]) === undefined ? "add" : (news[name] ?? undefined) === undefined ? "delete" : "update";
  return {
    changes: changed.length > 0,
    replaces: [],
    deleteBeforeReplace: false,
    detailedDiff: Object.fromEntries(changed.map((name) => [name, { kind: kindOf(name), replace: false }])),
  };
}

/** A key's value as text, as {@link readConfiguration} takes it. */
export function lookupIn(values: Values): (name: ConfigurationName) => string | undefined {
  return (name) => textOf(values[name]);
}

/** SDKs send numbers and truth values as they are or as their JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === unknown) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

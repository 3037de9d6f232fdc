/** The provider's configuration: `dag:*` of the stack, or the arguments of an explicit provider. */
import {
  configurationKeys,
  configurationProblems,
  type ConfigurationName,
  type ConfigurationProblem,
} from "../lifecycles/configuration";
import { openStorage, StorageSpecificationError } from "../../storage";
import { hasUnknown, unknown, type CheckFailure } from "../lifecycles";
import type { Difference } from "./differences";
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

/**
 * Everything that is wrong with the configuration. What a preview does not know yet passes.
 * @param secrets keys whose values are secret: reasons quote none of them.
 */
export function checkConfiguration(
  values: Values,
  environment: Environment,
  secrets: ReadonlySet<string>,
): CheckFailure[] {
  const known = Object.keys(configurationKeys);
  const unknownInputs = Object.keys(values).filter((name) => !known.includes(name) && !isForeign(name));
  const problems = configurationProblems((name) => textOf(values[name]), environment);
  return [
    ...unknownInputs.map((property) => ({
      property,
      reason: `dag:${property} is not a key of the configuration; it has ${known.join(", ")}`,
    })),
    ...[...problems, ...storageProblems(lookupIn(values)("storage") || environment["DAG_STORAGE"])]
      .filter(({ property }) => !hasUnknown(values[property]))
      .map(({ property, reason }) => {
        const quotes = secrets.has(property) && textOf(values[property]);
        return { property, reason: quotes ? `${keyName(property)} cannot be used; ${notShown}` : reason };
      }),
  ];
}

const notShown = "why is not shown, since it is secret";

/** A key, and the variable that stands for it. */
function keyName(name: ConfigurationName): string {
  return `dag:${name} (or ${configurationKeys[name].environment})`;
}

function storageProblems(specification: string | undefined): ConfigurationProblem[] {
  if (!specification) return [];
  try {
    openStorage(specification);
    return [];
  } catch (error) {
    if (!(error instanceof StorageSpecificationError)) throw error;
    return [{ property: "storage", reason: `${keyName("storage")}: ${error.message}` }];
  }
}

/** The engine keeps what is its own under keys that begin with two underscores. */
function isForeign(name: string): boolean {
  return foreignKeys.has(name) || name.startsWith("__");
}

/** Compares two configurations: no difference needs the resources made anew. */
export function diffConfiguration(olds: Values, news: Values): Difference {
  const names = Object.keys(configurationKeys).filter((name) => !credentialKeys.has(name));
  const changed = names.filter((name) => news[name] === unknown || textOf(olds[name]) !== textOf(news[name]));
  const kindOf = (name: string) =>
    textOf(olds[name]) === undefined ? "add" : (news[name] ?? undefined) === undefined ? "delete" : "update";
  return {
    changes: changed.length > 0,
    replaces: [],
    deleteBeforeReplace: false,
    detailedDiff: Object.fromEntries(changed.map((name) => [name, { kind: kindOf(name), replace: false }])),
    inputNames: new Set(names),
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

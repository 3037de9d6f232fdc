/** Checks and compares the provider's configuration: `dag:*` of the stack, or the arguments of an explicit provider. */
import {
  configurationKeys,
  configurationProblems,
  keyName,
  unknownKeys,
  type ConfigurationName,
  type ConfigurationProblem,
} from "../lifecycles/configuration";
import { openStorage, StorageSpecificationError } from "../../storage";
import { hasUnknown, unknown, type CheckFailure } from "../lifecycles";
import type { Difference } from "./differences";
import type { Values } from "./struct-values";

/** Keys whose values are always secret. */
export const secretKeys: ReadonlySet<string> = new Set(
  Object.entries(configurationKeys).flatMap(([name, key]) => ("secret" in key ? [name] : [])),
);

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys that Pulumi allows for every provider. */
const engineKeys: ReadonlySet<string> = new Set(["version", "pluginDownloadURL"]);

/**
 * Returns all problems of the configuration. Values that are unknown during preview pass.
 * @param secrets keys with secret values, which reasons do not quote.
 */
export function checkConfiguration(
  values: Values,
  environment: Environment,
  secrets: ReadonlySet<string>,
): CheckFailure[] {
  const problems = configurationProblems((name) => textOf(values[name]), environment);
  return [
    ...unknownKeys(Object.keys(values).filter((name) => !isEngineKey(name))),
    ...[...problems, ...storageProblems(lookupIn(values)("storage") || environment["DAG_STORAGE"])]
      .filter(({ property }) => !hasUnknown(values[property]))
      .map(({ property, reason }) => {
        const quotes = secrets.has(property) && textOf(values[property]);
        return { property, reason: quotes ? `${keyName(property)} is not valid; ${reasonIsSecret}` : reason };
      }),
  ];
}

const reasonIsSecret = "the reason is not shown, because the value is secret";

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

/** Returns true for keys of the engine: keys of every provider and keys with two leading underscores. */
function isEngineKey(name: string): boolean {
  return engineKeys.has(name) || name.startsWith("__");
}

/** Compares two configurations. No difference requires a replacement of resources. */
export function diffConfiguration(olds: Values, news: Values): Difference {
  const names = Object.keys(configurationKeys);
  const changed = names.filter((name) => news[name] === unknown || textOf(olds[name]) !== textOf(news[name]));
  const kindOf = (name: string) =>
    textOf(olds[name]) === undefined ? "add" : (news[name] ?? undefined) === undefined ? "delete" : "update";
  return {
    changes: changed.length > 0,
    replaces: [],
    deleteBeforeReplace: false,
    reasons: [],
    detailedDiff: Object.fromEntries(changed.map((name) => [name, { kind: kindOf(name), replace: false }])),
    inputNames: new Set(names),
  };
}

/** Returns the lookup function for {@link readConfiguration}. */
export function lookupIn(values: Values): (name: ConfigurationName) => string | undefined {
  return (name) => textOf(values[name]);
}

/** Returns a value as text. SDKs send numbers and booleans either as values or as JSON text. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === unknown) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

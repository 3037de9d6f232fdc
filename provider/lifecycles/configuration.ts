/** The configuration of every front end: `dag:*` of the stack, or `DAG_*` of the environment. */
import { nearestName } from "../../hiveql/syntax/nearest-name";
import type { ClientOptions } from "../client";
import { InvalidClientOptionError } from "../client/errors";
import { clientSettings, requireBaseUrl } from "../client/options";

/** A complete configuration. */
export interface Configuration {
  readonly client: ClientOptions;
  /** Argument of `openStorage`; absent when storage is not configured. */
  readonly storage?: string;
  /** Minimum time between two lines of progress of a resource, in milliseconds; absent for the default. */
  readonly progressInterval?: number;
  /** True when a token is added to the label of each query, so that a submission with a lost response can be found. */
  readonly submissionToken: boolean;
  /** Base URL of the console, without a trailing `/`; absent when messages do not link to it. */
  readonly consoleUrl?: string;
}

/** The configuration is invalid. The message names the key, the environment variable and the rule. */
class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly code = "InvalidConfiguration";
}

/** A problem with one key: it is missing, or its value is invalid. */
export interface ConfigurationProblem {
  readonly property: ConfigurationName;
  /** Names the key, the environment variable and the rule. */
  readonly reason: string;
}

/** One key of the configuration, for the documentation and schema.json. */
export interface ConfigurationKey {
  readonly environment: `DAG_${string}`;
  readonly description: string;
  readonly type: "string" | "integer" | "boolean";
  readonly required?: true;
  readonly secret?: true;
  readonly example: string;
}

/** All configuration keys, without the prefix `dag:`. */
export const configurationKeys = {
  endpoint: {
    environment: "DAG_ENDPOINT",
    description: "Base URL of the service, such as `http://127.0.0.1:9393`.",
    type: "string",
    required: true,
    example: "http://127.0.0.1:9393",
  },
  accessKeyId: {
    environment: "DAG_ACCESS_KEY_ID",
    description: "Access key identifier that authenticates the caller.",
    type: "string",
    required: true,
    example: "<key id>",
  },
  secretAccessKey: {
    environment: "DAG_SECRET_ACCESS_KEY",
    description: "Secret access key, which signs every request.",
    type: "string",
    required: true,
    secret: true,
    example: "<secret>",
  },
  signatureScheme: {
    environment: "DAG_SIGNATURE_SCHEME",
    description: "Scheme token of the Authorization header. Default `IIJGIO`.",
    type: "string",
    example: "IIJGIO",
  },
  storage: {
    environment: "DAG_STORAGE",
    description:
      "Object storage of the service: `file:<directory that contains the buckets>` (relative to the program's folder) or " +
      "`s3:<endpoint>?region=<region>`. " +
      'Required for `result`, `resultRows`, `expect`, `rerunOnInputChange`, `*` in `inputObjectKeys`, `deletionPolicy: "purge"` and the refusal of a query that would delete the objects of others.',
    type: "string",
    example: "file:./.dag/buckets",
  },
  maxRetries: {
    environment: "DAG_MAX_RETRIES",
    description:
      "Maximum number of retries of a request after transient failures; 0 disables retries. Default 8. A submission is sent again until the timeout of its resource, where the service answers 408, 429, 502, 503 or 504, unless `dag:submissionToken` is false.",
    type: "integer",
    example: "8",
  },
  pollInterval: {
    environment: "DAG_POLL_INTERVAL",
    description: "Maximum interval between two polls of running queries, in milliseconds. Default 5000.",
    type: "integer",
    example: "5000",
  },
  progressInterval: {
    environment: "DAG_PROGRESS_INTERVAL",
    description:
      "Minimum time between two lines of progress of a resource, and before the first one, in milliseconds. Default: 0 " +
      "where `pulumi` shows its progress on a terminal; otherwise, where each line stays, 30000. A line that stays the same " +
      "is repeated, with the time since the operation began.",
    type: "integer",
    example: "30000",
  },
  submissionToken: {
    environment: "DAG_SUBMISSION_TOKEN",
    description:
      "If `true`, `#` and a token are added to each query's label. If the response to a submission is lost, the token " +
      "identifies the query, so that it is not submitted twice. Default `true`.",
    type: "boolean",
    example: "true",
  },
  consoleUrl: {
    environment: "DAG_CONSOLE_URL",
    description:
      "Base URL of the service's console, such as `https://dag.example.com`. The row of a running query and the message " +
      "of a failed one contain the address of its page, `<consoleUrl>/console/queries/<id>`. An empty string turns that " +
      "off. Default: `dag:endpoint`.",
    type: "string",
    example: "https://dag.example.com",
  },
} as const satisfies Record<string, ConfigurationKey>;

export type ConfigurationName = keyof typeof configurationKeys;

/** Returns the stack's value of a key. */
type Lookup = (key: ConfigurationName) => string | undefined;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration.
 * @param lookup returns the stack's value of a key, such as `endpoint` for `dag:endpoint`. It overrides the
 * environment.
 * @throws {ConfigurationError} that names all missing and invalid keys.
 */
export function readConfiguration(lookup: Lookup, environment: Environment): Configuration {
  const problems = configurationProblems(lookup, environment);
  if (problems.length > 0) throw new ConfigurationError(problems.map(({ reason }) => reason).join("\n"));
  const value = (key: ConfigurationName) => valueOf(key, lookup, environment);
  const number = (key: ConfigurationName) => (value(key) === undefined ? undefined : Number(value(key)));
  const storage = value("storage");
  const progressInterval = number("progressInterval");
  const consoleUrl = consoleUrlOf(lookup, environment);
  return {
    client: {
      endpoint: value("endpoint")!,
      accessKeyId: value("accessKeyId")!,
      secretAccessKey: value("secretAccessKey")!,
      signatureScheme: value("signatureScheme"),
      maxRetries: number("maxRetries"),
      pollInterval: number("pollInterval"),
    },
    ...(storage !== undefined && { storage }),
    ...(progressInterval !== undefined && { progressInterval }),
    submissionToken: value("submissionToken") !== "false",
    ...(consoleUrl !== "" && { consoleUrl: consoleUrl.replace(/\/+$/, "") }),
  };
}

/** Returns the URL of the console; empty when it is turned off. */
function consoleUrlOf(lookup: Lookup, environment: Environment): string {
  const { environment: variable } = configurationKeys.consoleUrl;
  return lookup("consoleUrl") ?? environment[variable] ?? valueOf("endpoint", lookup, environment)!;
}

/** Returns all problems of the configuration that can be found without connecting to the service or storage. */
export function configurationProblems(lookup: Lookup, environment: Environment): ConfigurationProblem[] {
  return (Object.keys(configurationKeys) as ConfigurationName[]).flatMap((property) => {
    const value = valueOf(property, lookup, environment);
    const reason = value === undefined ? missingProblem(property) : valueProblem(property, value);
    return reason === undefined ? [] : [{ property, reason }];
  });
}

/** Returns a problem for each name that is not a key of the configuration. It names the keys that exist. */
export function unknownKeys(names: readonly string[]): { readonly property: string; readonly reason: string }[] {
  const keys = Object.keys(configurationKeys);
  return names
    .filter((name) => !keys.includes(name))
    .map((property) => {
      const near = nearestName(property, keys);
      const isArgument = explicitProvider !== undefined;
      const [prefix, kind] = isArgument ? ["", "arguments"] : ["dag:", "keys"];
      const list = near === undefined ? `; the ${kind} are` : `; did you mean ${prefix}${near}? The ${kind} are`;
      const problem = isArgument
        ? `${property} is not an argument of the provider resource "${explicitProvider}"`
        : `dag:${property} is not a configuration key`;
      return { property, reason: `${problem}${list} ${keys.join(", ")}` };
    });
}

/** Name of the explicit provider resource that this process serves: its arguments, not the stack's keys, count. */
let explicitProvider: string | undefined;

/**
 * Makes messages name the arguments of an explicit provider resource in place of the stack's keys. A process serves one.
 * @param urn of the provider resource; undefined where the engine does not tell it, which changes nothing.
 */
export function servesProvider(urn: string | undefined): void {
  if (!urn) return;
  const name = urn.split("::").slice(3).join("::");
  explicitProvider = /^default(_|$)/.test(name) ? undefined : name;
}

/**
 * Returns a key and both ways to set it, such as `dag:endpoint ("pulumi config set dag:endpoint …", or DAG_ENDPOINT)`.
 */
export function settingOf(name: ConfigurationName): string {
  if (explicitProvider !== undefined) return keyName(name);
  return `dag:${name} (${setCommand(name)}, or ${environmentOf(name)})`;
}

/** Returns a key, such as `dag:endpoint`, or the argument of the explicit provider resource that has its place. */
export function settingName(name: ConfigurationName): string {
  return argumentOf(name) ?? `dag:${name}`;
}

/** Returns a key with its environment variable, such as `dag:endpoint (or DAG_ENDPOINT)`. */
export function keyName(name: ConfigurationName): string {
  return `${settingName(name)} (or ${environmentOf(name)})`;
}

/** Returns what a user does to configure the storage, for messages of inputs that need it. */
export function storageRemedy(): string {
  const argument = argumentOf("storage");
  const [directory, s3] = ["file:<directory>", "s3:<endpoint>?region=<region>"];
  return argument === undefined
    ? `set dag:storage ("pulumi config set dag:storage ${directory}" or "${s3}") or DAG_STORAGE`
    : `set ${argument} ("${directory}" or "${s3}") or DAG_STORAGE`;
}

/** Returns the argument of the explicit provider resource for a key; undefined for the default provider. */
function argumentOf(name: ConfigurationName): string | undefined {
  return explicitProvider === undefined ? undefined : `${name} of the provider resource "${explicitProvider}"`;
}

function valueOf(key: ConfigurationName, lookup: Lookup, environment: Environment): string | undefined {
  return lookup(key) || environment[configurationKeys[key].environment] || undefined;
}

function missingProblem(name: ConfigurationName): string | undefined {
  return "required" in configurationKeys[name] ? notSetMessage(name) : undefined;
}

/** Valid options, used to validate one other option at a time. */
const validOptions: ClientOptions = { endpoint: "http://127.0.0.1", accessKeyId: "key", secretAccessKey: "secret" };

function valueProblem(name: ConfigurationName, text: string): string | undefined {
  const { type } = configurationKeys[name];
  if (type === "boolean" && text !== "true" && text !== "false") return invalidMessage(name, text, "true or false");
  const least = name === "pollInterval" ? 1 : 0;
  if (type === "integer" && !(/^\d+$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= least)) {
    return invalidMessage(name, text, `a whole number of at least ${least}`);
  }
  if (name === "storage" || name === "submissionToken" || name === "progressInterval") return undefined;
  try {
    if (name === "consoleUrl") requireBaseUrl(name, text, "such as https://dag.example.com, or empty");
    else clientSettings({ ...validOptions, [name]: type === "integer" ? Number(text) : text });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidClientOptionError) return `${keyName(name)}: ${error.message}`;
    throw error;
  }
}

function notSetMessage(name: ConfigurationName): string {
  const argument = argumentOf(name);
  return argument === undefined
    ? `dag:${name} is not set: run ${setCommand(name)}, or set ${environmentOf(name)}`
    : `${name} is not set: set ${argument}, or ${environmentOf(name)}`;
}

function setCommand(name: ConfigurationName): string {
  const { example, ...rest } = configurationKeys[name];
  return `"pulumi config set ${"secret" in rest ? "--secret " : ""}dag:${name} ${example}"`;
}

function invalidMessage(name: ConfigurationName, text: string, rule: string): string {
  return `${keyName(name)} "${text}" must be ${rule}`;
}

function environmentOf(name: ConfigurationName): string {
  return configurationKeys[name].environment;
}

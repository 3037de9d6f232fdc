/** What every front end is configured with: `dag:*` of the stack, or `DAG_*` of the environment (design §6). */
import type { ClientOptions } from "../client";
import { InvalidClientOptionError } from "../client/errors";
import { clientSettings } from "../client/options";

/** A configuration that is whole. */
export interface Configuration {
  readonly client: ClientOptions;
  /** What `openStorage` takes; absent where the objects cannot be reached. */
  readonly storage?: string;
  /** Whether submissions carry a token by which they are found again. */
  readonly submissionToken: boolean;
}

/** The configuration cannot be used; the message names the key, the environment variable and the rule. */
class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly code = "InvalidConfiguration";
}

/** What is wrong with one key: it is missing, or its value cannot be used. */
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

/** Every key, as it stands behind `dag:`. */
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
    description: "Access key identifier that names the caller (specification §5).",
    type: "string",
    required: true,
    example: "<key id>",
  },
  secretAccessKey: {
    environment: "DAG_SECRET_ACCESS_KEY",
    description: "Secret that signs every request (specification §5).",
    type: "string",
    required: true,
    secret: true,
    example: "<secret>",
  },
  signatureScheme: {
    environment: "DAG_SIGNATURE_SCHEME",
    description: "Scheme token of the Authorization header (specification §5). Default `IIJGIO`.",
    type: "string",
    example: "IIJGIO",
  },
  storage: {
    environment: "DAG_STORAGE",
    description:
      "The object storage behind the service: `file:<directory that holds the buckets>` (a relative one is of the program's folder) or " +
      "`s3:<endpoint>?region=<region>`. " +
      'Needed for `result`, `resultRows`, `deletionPolicy: "purge"` and the warning of objects that a query would delete.',
    type: "string",
    example: "file:./.dag/buckets",
  },
  maxRetries: {
    environment: "DAG_MAX_RETRIES",
    description: "How often a request is repeated after a failure that may pass; 0 for never. Default 8.",
    type: "integer",
    example: "8",
  },
  pollInterval: {
    environment: "DAG_POLL_INTERVAL",
    description: "The longest time between two looks at running queries, in milliseconds. Default 5000.",
    type: "integer",
    example: "5000",
  },
  submissionToken: {
    environment: "DAG_SUBMISSION_TOKEN",
    description:
      "Whether `#` and a token are added to each query's label, so that a query whose answer was lost is found again " +
      "instead of submitted twice. Default `true`.",
    type: "boolean",
    example: "true",
  },
} as const satisfies Record<string, ConfigurationKey>;

export type ConfigurationName = keyof typeof configurationKeys;

/** Where values come from. */
type Lookup = (key: ConfigurationName) => string | undefined;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration.
 * @param lookup the stack's value of a key, such as `endpoint` of `dag:endpoint`; it goes before the environment's.
 * @throws {ConfigurationError} naming everything that is missing or cannot be used.
 */
export function readConfiguration(lookup: Lookup, environment: Environment): Configuration {
  const problems = configurationProblems(lookup, environment);
  if (problems.length > 0) throw new ConfigurationError(problems.map(({ reason }) => reason).join("\n"));
  const value = (key: ConfigurationName) => valueOf(key, lookup, environment);
  const number = (key: ConfigurationName) => (value(key) === undefined ? undefined : Number(value(key)));
  const storage = value("storage");
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
    submissionToken: value("submissionToken") !== "false",
  };
}

/** Everything that is wrong with the configuration, but for what only its use can tell. */
export function configurationProblems(lookup: Lookup, environment: Environment): ConfigurationProblem[] {
  return (Object.keys(configurationKeys) as ConfigurationName[]).flatMap((property) => {
    const value = valueOf(property, lookup, environment);
    const reason = value === undefined ? missing(property) : unusable(property, value);
    return reason === undefined ? [] : [{ property, reason }];
  });
}

/** A key and both ways to set it, such as `dag:endpoint ("pulumi config set dag:endpoint …", or DAG_ENDPOINT)`. */
export function settingOf(name: ConfigurationName): string {
  return `dag:${name} (${setting(name)}, or ${environmentOf(name)})`;
}

function valueOf(key: ConfigurationName, lookup: Lookup, environment: Environment): string | undefined {
  return lookup(key) || environment[configurationKeys[key].environment] || undefined;
}

function missing(name: ConfigurationName): string | undefined {
  return "required" in configurationKeys[name] ? remedy(name) : undefined;
}

/** Options with which a client can be made, to try another one among them. */
const usable: ClientOptions = { endpoint: "http://127.0.0.1", accessKeyId: "key", secretAccessKey: "secret" };

function unusable(name: ConfigurationName, text: string): string | undefined {
  const { type } = configurationKeys[name];
  if (type === "boolean" && text !== "true" && text !== "false") return invalid(name, text, "true or false");
  const least = name === "pollInterval" ? 1 : 0;
  if (type === "integer" && !(/^\d+$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= least)) {
    return invalid(name, text, `a whole number of at least ${least}`);
  }
  if (name === "storage" || name === "submissionToken") return undefined;
  try {
    clientSettings({ ...usable, [name]: type === "integer" ? Number(text) : text });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidClientOptionError) return `dag:${name} (or ${environmentOf(name)}): ${error.message}`;
    throw error;
  }
}

function remedy(name: ConfigurationName): string {
  return `dag:${name} is not set: run ${setting(name)}, or set ${environmentOf(name)}`;
}

function setting(name: ConfigurationName): string {
  const { example, ...rest } = configurationKeys[name];
  return `"pulumi config set ${"secret" in rest ? "--secret " : ""}dag:${name} ${example}"`;
}

function invalid(name: ConfigurationName, text: string, rule: string): string {
  return `dag:${name} (or ${environmentOf(name)}) "${text}" must be ${rule}`;
}

function environmentOf(name: ConfigurationName): string {
  return configurationKeys[name].environment;
}

/** What every front end is configured with: `dag:*` of the stack, or `DAG_*` of the environment (design §6). */
import type { ClientOptions } from "../client";

/** A configuration that is whole. */
export interface Configuration {
  readonly client: ClientOptions;
  /** What `openStorage` takes; absent where the objects cannot be reached. */
  readonly storage?: string;
  /** Whether submissions carry a token by which they are found again. */
  readonly submissionToken: boolean;
}

/** The configuration cannot be used; the message names the key, the environment variable and the rule. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly code = "InvalidConfiguration";
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
      "The object storage behind the service: `file:<directory that holds the buckets>` or `s3:<endpoint>?region=<region>`. " +
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

/**
 * Reads the configuration.
 * @param lookup the stack's value of a key, such as `endpoint` of `dag:endpoint`; it goes before the environment's.
 * @throws {ConfigurationError} naming everything that is missing, or the first value that cannot be used.
 */
export function readConfiguration(
  lookup: (key: ConfigurationName) => string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Configuration {
  const value = (key: ConfigurationName) => lookup(key) || environment[configurationKeys[key].environment] || undefined;
  const names = Object.keys(configurationKeys) as ConfigurationName[];
  const missing = names.filter((name) => isRequired(name) && value(name) === undefined);
  if (missing.length > 0) throw new ConfigurationError(missing.map(remedy).join("\n"));
  const storage = value("storage");
  return {
    client: {
      endpoint: value("endpoint")!,
      accessKeyId: value("accessKeyId")!,
      secretAccessKey: value("secretAccessKey")!,
      signatureScheme: value("signatureScheme"),
      maxRetries: wholeNumber("maxRetries", value("maxRetries"), 0),
      pollInterval: wholeNumber("pollInterval", value("pollInterval"), 1),
    },
    ...(storage !== undefined && { storage }),
    submissionToken: truth("submissionToken", value("submissionToken")) ?? true,
  };
}

function isRequired(name: ConfigurationName): boolean {
  return "required" in configurationKeys[name];
}

function remedy(name: ConfigurationName): string {
  const { environment, example, ...rest } = configurationKeys[name];
  const secret = "secret" in rest ? "--secret " : "";
  return `dag:${name} is not set: run "pulumi config set ${secret}dag:${name} ${example}", or set ${environment}`;
}

function wholeNumber(name: ConfigurationName, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw invalid(name, text, `a whole number of at least ${least}`);
}

function truth(name: ConfigurationName, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw invalid(name, text, "true or false");
}

function invalid(name: ConfigurationName, text: string, rule: string): ConfigurationError {
  return new ConfigurationError(`dag:${name} (or ${configurationKeys[name].environment}) "${text}" must be ${rule}`);
}

/** Loads the config. Precedence: flags, `DAG_SERVICE_*` environment variables, the config file, defaults. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { configSchema, type ServiceConfig } from "./schema";
import { messageOf, problemOf } from "./problem";
import { StartError } from "./start-error";

/** A config setting, with its path in the config file and its command line flag. */
export interface Setting {
  /** Path of its field in the config file. */
  readonly path: readonly [string, ...string[]];
  /** Name of its flag, without the dashes. */
  readonly flag: string;
  /** Placeholder of the value in `--help`. */
  readonly value: string;
  /** True when the flag and the environment variable take YAML text, such as `[{name: c1}]`. */
  readonly yaml?: boolean;
  readonly description: string;
}

/** All settings of the config file. `--data` has the environment variable `DAG_SERVICE_DATA`, and so on. */
export const settings: readonly Setting[] = [
  {
    path: ["listen"],
    flag: "listen",
    value: "HOST:PORT",
    description: "address to listen on; port 0 picks a free one (default 127.0.0.1:9393)",
  },
  {
    path: ["data"],
    flag: "data",
    value: "DIR",
    description: "data folder: buckets, state, logs, credentials (default ./.dag)",
  },
  {
    path: ["storage"],
    flag: "storage",
    value: "STORE",
    yaml: true,
    description: "folder of the buckets, file:DIR, or s3:ENDPOINT?region=REGION (default file:<data>/buckets)",
  },
  {
    path: ["httpfs"],
    flag: "httpfs",
    value: "FILE",
    description:
      "DuckDB's extension httpfs, with which duckdb clusters read Parquet objects on S3 by ranges (default: the one in ~/.duckdb/extensions, or else they copy the objects)",
  },
  {
    path: ["state"],
    flag: "state",
    value: "STATE",
    description:
      "record of the queries, sqlite:FILE or, for several service processes, postgres://USER:PASSWORD@HOST:PORT/DATABASE (default sqlite:<data>/state.sqlite)",
  },
  {
    path: ["credentials"],
    flag: "credentials",
    value: "YAML",
    yaml: true,
    description: "key pairs: [{accessKeyId: …, secretAccessKey: …}] (default: one pair, created at the first start)",
  },
  {
    path: ["signature", "scheme"],
    flag: "signature-scheme",
    value: "WORD",
    description: "scheme of the Authorization header (default IIJGIO)",
  },
  {
    path: ["signature", "headerPrefix"],
    flag: "signature-header-prefix",
    value: "PREFIX",
    description: "prefix of the service's own response headers (default x-svc-)",
  },
  {
    path: ["signature", "maxSkewSeconds"],
    flag: "signature-max-skew-seconds",
    value: "N",
    yaml: true,
    description: "greatest difference in seconds between a request's Date and the service's clock (default 900)",
  },
  {
    path: ["clusters"],
    flag: "clusters",
    value: "YAML",
    yaml: true,
    description:
      "clusters: [{name: c1, type: duckdb, instances: [{grade: standard, quantity: 5}]}] (default: one named demo)",
  },
  {
    path: ["engines"],
    flag: "engines",
    value: "YAML",
    yaml: true,
    description: 'engines on other servers: {hive: {dialect: hive, urls: ["hive2://HOST:PORT"]}} (default: none)',
  },
  {
    path: ["tables"],
    flag: "tables",
    value: "YAML",
    yaml: true,
    description:
      'declared tables: [{database: …, table: …, format: csv, schema: "bigint id, …", partitions: "string dt"}]',
  },
  {
    path: ["views"],
    flag: "views",
    value: "YAML",
    yaml: true,
    description: 'views: [{database: …, view: …, query: "SELECT …"}]',
  },
  {
    path: ["retention"],
    flag: "retention",
    value: "YAML",
    yaml: true,
    description:
      "how long queries and their logs are kept: {days: 30, bytes: 10GB} (default 30 days, without a limit of bytes)",
  },
  {
    path: ["openlineage"],
    flag: "openlineage",
    value: "YAML",
    yaml: true,
    description: "server that is sent OpenLineage events: {url: …, namespace: …, apiKey: …} (default: none)",
  },
  {
    path: ["console", "allowedOrigins"],
    flag: "console-allowed-origins",
    value: "YAML",
    yaml: true,
    description:
      "origins of consoles elsewhere that may call this service: [https://HOST] (default: of this machine only)",
  },
  {
    path: ["faults"],
    flag: "faults",
    value: "YAML",
    yaml: true,
    description: "fault injection rules for tests: [{operation: getQuery, probability: 0.1, code: InternalError}]",
  },
];

/** The sources of the config. */
export interface ConfigSources {
  /** Path of the config file; without it no file is read. */
  readonly file?: string | undefined;
  /** Values of flags, by flag name without dashes. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Base folder of relative paths in flags and environment. Paths in the file are relative to the file's folder. */
  readonly directory: string;
}

/**
 * Loads and checks the config.
 * @returns the config with absolute paths.
 * @throws {StartError} naming the invalid setting, its source and the expected value.
 */
export function loadConfig({ file, flags = {}, environment = {}, directory }: ConfigSources): ServiceConfig {
  const values = file === undefined ? {} : readFile(resolve(directory, file));
  const origins = new Map<string, string>();
  if (file !== undefined) resolvePaths(values, dirname(resolve(directory, file)));
  for (const setting of settings) {
    const variable = environmentName(setting);
    const [text, origin] =
      flags[setting.flag] === undefined
        ? [environment[variable], variable]
        : [flags[setting.flag], `--${setting.flag}`];
    if (text === undefined || text === "") continue;
    setAt(values, setting.path, setting.yaml ? parseYaml(text, origin) : text);
    origins.set(setting.path.join("."), origin);
  }
  resolvePaths(values, directory);
  const parsed = configSchema.safeParse(values, { error: messageOf });
  if (parsed.success) return { ...parsed.data, data: resolve(directory, parsed.data.data) };
  const { issues } = parsed.error;
  // A field that is missing often is there under a wrong name.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  throw configError(issue!, origins, file);
}

/** Returns the name of a setting's environment variable. */
export function environmentName({ flag }: Setting): string {
  return `DAG_SERVICE_${flag.replaceAll("-", "_").toUpperCase()}`;
}

type Values = Record<string, unknown>;

function readFile(path: string): Values {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`config file ${path} cannot be read (${code}): check the path given with --config`);
  }
  const values = parseYaml(text, path) ?? {};
  if (typeof values === "object" && !Array.isArray(values)) return values as Values;
  throw new StartError(
    `config file ${path} must hold fields such as "listen: 127.0.0.1:9393", not a list or a single value`,
  );
}

function parseYaml(text: string, origin: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    throw new StartError(`${origin} is not YAML: ${line.replace(/:$/, "")}`);
  }
}

function setAt(values: Values, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) values[name!] = value;
  else {
    const inner = values[name!];
    const target: Values = typeof inner === "object" && inner !== null ? { ...inner } : {};
    setAt(target, rest, value);
    values[name!] = target;
  }
}

function resolvePaths(values: Values, directory: string): void {
  if (typeof values.data === "string" && values.data !== "") values.data = resolve(directory, values.data);
  if (typeof values.httpfs === "string" && values.httpfs !== "") values.httpfs = resolve(directory, values.httpfs);
  if (typeof values.storage === "string" && /^file:./.test(values.storage)) {
    values.storage = `file:${resolve(directory, values.storage.slice("file:".length))}`;
  }
  if (typeof values.state === "string" && /^sqlite:./s.test(values.state)) {
    values.state = `sqlite:${resolve(directory, values.state.slice("sqlite:".length))}`;
  }
  if (typeof values.engines === "object" && values.engines !== null) {
    for (const engine of Object.values(values.engines) as ({ tls?: { ca?: unknown } | null } | null)[]) {
      const tls = engine?.tls;
      if (typeof tls?.ca === "string" && tls.ca !== "") tls.ca = resolve(directory, tls.ca);
    }
  }
}

/** Describes an invalid setting. The message never holds the value, which may be a secret. */
function configError(
  issue: z.core.$ZodIssue,
  origins: ReadonlyMap<string, string>,
  file: string | undefined,
): StartError {
  const { path, message } = problemOf(issue);
  const origin =
    origins.get(path.join(".")) ??
    origins.get(path[0] ?? "") ??
    (file === undefined ? "the config" : `config file ${file}`);
  const field = path.reduce(
    (text, step) => (/^\d+$/.test(step) ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
  return new StartError(`${origin}: ${field === "" ? "" : `${field}: `}${message}`);
}

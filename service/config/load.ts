/** Config from file, environment and flags: a flag wins over `DAG_SERVICE_*`, that over the file, that over the default. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { configSchema, type ServiceConfig } from "./schema";
import { StartError } from "./start-error";

/** What a setting is called outside the file. */
export interface Setting {
  /** Its path in the file. */
  readonly path: readonly [string, ...string[]];
  /** Flag without the dashes. */
  readonly flag: string;
  readonly value: string;
  /** Whether its value is YAML text, such as `[{name: c1}]`. */
  readonly yaml?: boolean;
  readonly description: string;
}

/** Every setting that the file has, as a flag; its environment variable is `DAG_SERVICE_` and the flag in capitals. */
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
    description: "folder for everything the service keeps (default ./.dag)",
  },
  {
    path: ["storage"],
    flag: "storage",
    value: "STORE",
    yaml: true,
    description: "file:DIR (default file:<data>/buckets)",
  },
  {
    path: ["credentials"],
    flag: "credentials",
    value: "YAML",
    yaml: true,
    description: "[{accessKeyId: …, secretAccessKey: …}] (default: a pair made at the first start)",
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
    description: "start of the service's own response headers (default x-svc-)",
  },
  {
    path: ["signature", "maxSkewSeconds"],
    flag: "signature-max-skew-seconds",
    value: "N",
    yaml: true,
    description: "how far a request's Date may be off (default 900)",
  },
  {
    path: ["clusters"],
    flag: "clusters",
    value: "YAML",
    yaml: true,
    description: "[{name: c1, type: duckdb, instances: [{grade: standard, quantity: 5}]}] (default: one named demo)",
  },
  { path: ["engines"], flag: "engines", value: "YAML", yaml: true, description: "{hive: {url: …}}" },
  {
    path: ["tables"],
    flag: "tables",
    value: "YAML",
    yaml: true,
    description: '[{database: …, table: …, format: csv, schema: "bigint id, …"}]',
  },
  {
    path: ["faults"],
    flag: "faults",
    value: "YAML",
    yaml: true,
    description: "[{operation: getQuery, probability: 0.1, code: InternalError}]",
  },
];

/** Where settings come from besides the file. */
export interface ConfigSources {
  /** The file; none is read where left out. */
  readonly file?: string | undefined;
  /** By flag. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths of flags and environment are in; those of the file are in the file's own. */
  readonly directory: string;
}

/**
 * Reads the config.
 * @returns it with every path absolute.
 * @throws {StartError} saying which setting is wrong, where it came from and what it must be.
 */
export function loadConfig({ file, flags = {}, environment = {}, directory }: ConfigSources): ServiceConfig {
  const values = file === undefined ? {} : readFile(resolve(directory, file));
  const origins = new Map<string, string>();
  if (file !== undefined) absolutePaths(values, dirname(resolve(directory, file)));
  for (const setting of settings) {
    const variable = environmentName(setting);
    const [text, origin] =
      flags[setting.flag] === undefined
        ? [environment[variable], variable]
        : [flags[setting.flag], `--${setting.flag}`];
    if (text === undefined || text === "") continue;
    put(values, setting.path, setting.yaml ? parseYaml(text, origin) : text);
    origins.set(setting.path.join("."), origin);
  }
  absolutePaths(values, directory);
  const parsed = configSchema.safeParse(values);
  if (parsed.success) return { ...parsed.data, data: resolve(directory, parsed.data.data) };
  const [issue] = parsed.error.issues;
  throw configError(issue!, origins, file);
}

/** The environment variable of a setting. */
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
  throw new StartError(`config file ${path} must hold fields such as "listen: 127.0.0.1:9393"`);
}

function parseYaml(text: string, origin: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    throw new StartError(`${origin} is not YAML: ${line.replace(/:$/, "")}`);
  }
}

function put(values: Values, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) values[name!] = value;
  else {
    const inner = values[name!];
    const target: Values = typeof inner === "object" && inner !== null ? { ...inner } : {};
    put(target, rest, value);
    values[name!] = target;
  }
}

function absolutePaths(values: Values, directory: string): void {
  if (typeof values.data === "string" && values.data !== "") values.data = resolve(directory, values.data);
  if (typeof values.storage === "string" && /^file:./.test(values.storage)) {
    values.storage = `file:${resolve(directory, values.storage.slice("file:".length))}`;
  }
}

/** Never with the value: it may be a secret. */
function configError(
  issue: z.core.$ZodIssue,
  origins: ReadonlyMap<string, string>,
  file: string | undefined,
): StartError {
  const deepest = issue.code === "invalid_union" ? (issue.errors.flat()[0] ?? issue) : issue;
  const path = [...issue.path, ...(deepest === issue ? [] : deepest.path)].map(String);
  const origin =
    origins.get(path.join(".")) ??
    origins.get(path[0] ?? "") ??
    (file === undefined ? "the config" : `config file ${file}`);
  const field = path.reduce(
    (text, step) => (/^\d+$/.test(step) ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
  return new StartError(`${origin}: ${field === "" ? "" : `${field}: `}${deepest.message}`);
}

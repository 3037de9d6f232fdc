/** Loads the config. Precedence: flags, `DAG_SERVICE_*` environment variables, the config file, defaults. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { configSchema, type ServiceConfig } from "./schema";
import { messageOf, problemOf, shownValue } from "./problem";
import { environmentName, settings } from "./settings";
import { StartError } from "./start-error";

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
  throw configError(issue!, { values, origins, file });
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

/** Returns how a field is written whose name has dots, such as `console.allowedOrigins`; undefined for no such field. */
function nestedField(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code !== "unrecognized_keys" || issue.path.length > 0) return undefined;
  const name = issue.keys.find((key) => key.includes("."));
  if (name === undefined) return undefined;
  const steps = name.split(".");
  // No field takes a symbol, so that the schema names the field if it has it.
  const nested: Values = {};
  setAt(nested, steps, Symbol(name));
  const issues = configSchema.safeParse(nested).error?.issues ?? [];
  if (!issues.some((each) => problemOf(each).path.join(".") === name)) return undefined;
  const lines = steps.map((step) => `"${step}:"`);
  return `a dot means a nested field: write ${lines.join(" and, indented below it, ")} in place of "${name}:"`;
}

interface Invalid {
  readonly values: Values;
  readonly origins: ReadonlyMap<string, string>;
  readonly file: string | undefined;
}

/** Describes an invalid setting. The message has the value, unless that may be a secret. */
function configError(issue: z.core.$ZodIssue, { values, origins, file }: Invalid): StartError {
  const problem = problemOf(issue);
  const { path } = problem;
  const message = nestedField(issue) ?? problem.message + shownValue(values, problem);
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

/** The settings of the service, with their flags and environment variables. */

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

/** Returns the name of a setting's environment variable. */
export function environmentName({ flag }: Setting): string {
  return `DAG_SERVICE_${flag.replaceAll("-", "_").toUpperCase()}`;
}

/** Variables that are no setting: those of flags, and those that Kubernetes sets for a service named `dag-service`. */
const otherVariables = /^DAG_SERVICE_(CONFIG|ALLOW_FAULTS|SERVICE_HOST|SERVICE_PORT.*|PORT|PORT_\d+_.*)$/;

/** Returns the names of `DAG_SERVICE_*` variables that set nothing, such as one that is misspelled. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(settings.map(environmentName));
  return Object.keys(environment).filter(
    (name) => name.startsWith("DAG_SERVICE_") && !known.has(name) && !otherVariables.test(name),
  );
}

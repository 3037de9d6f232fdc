import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../../../service/config/load";
import { environmentName, settings } from "../../../../service/config/settings";
import { loadOrCreateCredentials } from "../../../../service/config/credentials";
import { lockFolder } from "../../../../service/state/lock";
import { configSchema, parseBytes } from "../../../../service/config/schema";
import { StartError } from "../../../../service/config/start-error";
import { clusterMemory, gradeMemory } from "../../../../service/core/clusters/grades";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "dag-config-"))));
afterEach(() => rmSync(directory, { recursive: true }));

const file = (text: string, name = "service.yaml") => {
  writeFileSync(join(directory, name), text);
  return name;
};

test("loadConfig: returns the defaults without any source", () => {
  expect(loadConfig({ directory })).toEqual({
    listen: { host: "127.0.0.1", port: 9393 },
    data: join(directory, ".dag"),
    signature: { scheme: "IIJGIO", headerPrefix: "x-svc-", maxSkewSeconds: 900 },
    clusters: [{ name: "demo", type: "duckdb", debug: false, instances: [{ grade: "standard", quantity: 5 }] }],
    engines: {},
    tables: [],
    views: [],
    retention: { days: 30 },
    console: { allowedOrigins: [] },
    faults: [],
  });
});

test("loadConfig: reads the extension for S3, whose path is relative to the file", () => {
  const found = loadConfig({ file: file("{storage: 's3:', httpfs: lib/httpfs.duckdb_extension}"), directory });
  expect(found.httpfs).toBe(join(directory, "lib/httpfs.duckdb_extension"));
});

test("loadConfig: reads every field of the file", () => {
  const text = `
listen: 0.0.0.0:80
data: ./here
storage: file:objects
credentials: [{accessKeyId: AK, secretAccessKey: SK}]
signature: {scheme: OTHER, headerPrefix: x-other-, maxSkewSeconds: 60}
clusters:
  - {name: c1, type: duckdb, debug: true, memory: 2GB, instances: [{grade: large, quantity: 3}, {grade: tiny, quantity: 1}]}
engines: {hive: {dialect: hive, urls: ["hive2://h:10000", "hive2://[::1]:10001"], auth: {user: u, password: p}, tls: {ca: ca.pem}}}
tables:
  - {database: data, table: t1, format: tsv, schema: "bigint id, decimal(10,2) price"}
  - {database: data, table: t2}
  - {database: data, table: t3, format: parquet, schema: "map<string, array<int>> m", partitions: "string dt, int h"}
views: [{database: data, view: v1, query: "SELECT id FROM data.t1"}]
retention: {days: 7, bytes: 10GB}
faults: [{operation: getQuery, probability: 0.5, code: InternalError, latencyMs: 10, dropConnection: after}]
`;
  const found = loadConfig({ file: file(text), directory });
  expect(found).toMatchObject({
    listen: { host: "0.0.0.0", port: 80 },
    data: join(directory, "here"),
    storage: `file:${join(directory, "objects")}`,
    clusters: [{ name: "c1", memory: 2e9, debug: true }],
    engines: {
      hive: {
        dialect: "hive",
        urls: [
          { host: "h", port: 10_000 },
          { host: "::1", port: 10_001 },
        ],
        auth: { user: "u", password: "p" },
        tls: { ca: join(directory, "ca.pem") },
      },
    },
    retention: { days: 7, bytes: 1e10 },
    views: [{ database: "data", view: "v1", query: "SELECT id FROM data.t1" }],
    tables: [
      {
        database: "data",
        table: "t1",
        format: "tsv",
        columns: [
          { name: "id", type: "bigint" },
          { name: "price", type: "decimal(10,2)" },
        ],
      },
      { database: "data", table: "t2", format: "csv" },
      {
        database: "data",
        table: "t3",
        format: "parquet",
        columns: [{ name: "m", type: "map<string,array<int>>" }],
        partitions: [
          { name: "dt", type: "string" },
          { name: "h", type: "int" },
        ],
      },
    ],
  });
});

test("loadConfig: flags win over the environment and that over the file; paths are relative to their source", () => {
  mkdirSync(join(directory, "sub"));
  const name = file("listen: 127.0.0.1:1\ndata: a\nsignature: {scheme: F, maxSkewSeconds: 5}", "sub/service.yaml");
  const environment = {
    DAG_SERVICE_LISTEN: "127.0.0.1:2",
    DAG_SERVICE_SIGNATURE_SCHEME: "E",
    DAG_SERVICE_CLUSTERS: "[{name: e}]",
    DAG_SERVICE_DATA: "",
  };
  expect(loadConfig({ file: name, environment, flags: { listen: ":3" }, directory })).toMatchObject({
    listen: { host: "127.0.0.1", port: 3 },
    data: join(directory, "sub/a"),
    signature: { scheme: "E", maxSkewSeconds: 5 },
    clusters: [{ name: "e", type: "duckdb" }],
  });
});

test("settings: every field of the config has a flag and an environment variable", () => {
  expect(new Set(settings.map(({ path }) => path[0]))).toEqual(new Set(Object.keys(configSchema.shape)));
  expect(settings.map(environmentName)).toContain("DAG_SERVICE_SIGNATURE_HEADER_PREFIX");
});

test.each([
  ["listen: here", "config file service.yaml: listen: it must be HOST:PORT"],
  ["listen: 127.0.0.1:99999", "listen: it must be HOST:PORT"],
  ["console: {allowedOrigins: [console.example.com]}", "console.allowedOrigins[0]: it must be an origin"],
  ["console: {allowedOrigins: ['https://dag.example.com/x']}", "console.allowedOrigins[0]: it must be an origin"],
  ["storage: {s3: {endpoint: nowhere, accessKeyId: a, secretAccessKey: b}}", "endpoint: it must be a URL, such as"],
  ["openlineage: {url: nowhere}", "openlineage.url: it must be a URL, such as"],
  ["nonsense: 1", 'config file service.yaml: it has no field "nonsense": correct the name, or remove it'],
  ["clusters: []", "clusters"],
  ["clusters: [{name: 'a b'}]", "clusters[0].name"],
  ["clusters: [{name: a, memory: lots}]", "clusters[0].memory: it must be a size such as 2GB"],
  ["clusters: [{name: a, instances: [{grade: x, quantity: 0}]}]", "clusters[0].instances[0].quantity"],
  ["clusters: [{name: a}, {name: a}]", '"a" is listed more than once'],
  ["tables: [{database: d, table: t}]", "tables[0].database"],
  ["tables: [{database: data, table: t, schema: 'nope'}]", "tables[0].schema"],
  ["tables: [{database: data, table: t, format: orc}]", "tables[0].format: ORC cannot be read: convert it to Parquet"],
  [
    "tables: [{database: data, table: t, format: avro}]",
    "tables[0].format: Avro cannot be read: convert it to Parquet",
  ],
  ["tables: [{database: data, table: t, format: xml}]", "it must be one of csv, tsv, json, parquet"],
  ["tables: [{database: data, table: t, schema: 'array<int> a'}]", "tables[0].schema"],
  ["tables: [{database: data, table: t, partitions: dt}]", "tables[0].partitions: partitions cannot be parsed"],
  [
    "tables: [{database: data, table: t, schema: 'int a', partitions: 'string a'}]",
    'tables[0].partitions: it names the column "a", which schema has too',
  ],
  ["views: [{database: data, view: v, query: ' '}]", "views[0].query: it must be a SELECT statement"],
  ["views: [{database: data, view: V, query: x}]", "views[0].view"],
  [
    "tables: [{database: data, table: v}]\nviews: [{database: data, view: v, query: x}]",
    'views: "data.v" is listed more than once',
  ],
  ["tables: [{database: data, table: t, partitions: 'binary b'}]", 'tables[0].partitions: it names the column "b"'],
  ["credentials: [{accessKeyId: 'a:b', secretAccessKey: hunter2}]", "credentials[0].accessKeyId"],
  ["httpfs: x.duckdb_extension", "httpfs: it is for buckets on S3: remove it, or set storage to s3:…"],
  ["storage: here", "storage: it must be file:DIR"],
  ["faults: [{operation: x, probability: 1, code: InternalError}]", "faults[0].operation"],
  [
    "engines: {x: {dialect: hive, urls: ['hive2://h:1'], s3Scheme: s3a}}",
    "engines.x.s3Scheme: it is for buckets on S3",
  ],
  [
    "{storage: 's3:', engines: {x: {dialect: hive, urls: ['hive2://h:1'], s3Scheme: 's3a://'}}}",
    "engines.x.s3Scheme: it must be the scheme of a URL",
  ],
  ["engines: {x: {dialect: presto, urls: ['hive2://h:1']}}", "engines.x.dialect: it must be hive or spark"],
  [
    "engines: {spark: {dialect: spark, urls: ['hive2://h:1'], ui: 'h:4040'}}",
    "engines.spark.ui: it must be http://HOST",
  ],
  [
    "engines: {hive: {dialect: hive, urls: ['hive2://h:1'], ui: 'http://h:1'}}",
    "engines.hive.ui: it is for the dialect spark",
  ],
  ["engines: {hive: {dialect: hive, urls: ['http://h:1']}}", "engines.hive.urls[0]: it must be hive2://HOST:PORT"],
  ["engines: {hive: {dialect: hive, urls: ['hive2://u:hunter2@h:1']}}", "engines.hive.urls[0]: it must be hive2://"],
  ["engines: {duckdb: {dialect: hive, urls: ['hive2://h:1']}}", "duckdb is the embedded engine"],
  ["retention: {days: 0}", "retention.days: it must be a number of days above 0"],
  ["retention: {bytes: lots}", "retention.bytes: it must be a size such as 2GB"],
  ["retention: {weeks: 1}", 'retention: it has no field "weeks"'],
  ["retention: 5", "retention: it must be fields, such as {name: value}"],
  ["clusters: c1", "clusters: it must be a list"],
  ["clusters: [{name: a, debug: 1}]", "clusters[0].debug: it must be true or false"],
  ["clusters: [{name: a, instances: [{grade: x, quantity: 1.5}]}]", "quantity: it must be a whole number"],
  ["clusters: [{name: a, instances: [{grade: x, quantity: 20000}]}]", "quantity: it must be at most 10000"],
  ["clusters: [{name: a, memory: 1KB}]", "clusters[0].memory: it must be at least 64MB"],
  ["clusters: [{name: a, memory: []}]", "clusters[0].memory: it must be a size such as 2GB"],
  ["engines: {x: {dialect: hive}}", "engines.x.urls: it is missing: it must be a list"],
  ["engines: {x: {dialect: hive, urls: []}}", "engines.x.urls: it must not be empty"],
  ["engines: {x: {dialect: hive, urls: ['hive2://h:1'], auth: {pass: hunter2}}}", 'auth: it has no field "pass"'],
  ["engines: {x: {dialect: hive, urls: ['hive2://h:1'], auth: {user: a, password: 5}}}", "password: it must be a text"],
  ["engines: {x: {dialect: hive, url: 'hive2://h:1'}}", 'engines.x: it has no field "url"'],
  ["engines: [x]", "engines: it must be fields"],
  ["storage: 5", "storage: it must be file:DIR, or s3:ENDPOINT?region=REGION"],
  ["storage: {s3: {endpoint: 'http://h', accessKeyId: a}}", "storage.s3.secretAccessKey: it is missing"],
  [
    "storage: {s3: {endpoint: 'ftp://h', accessKeyId: a, secretAccessKey: hunter2}}",
    "storage.s3.endpoint: it must be a URL, such as https://s3.example.com",
  ],
  [
    "storage: {s3: {endpoint: 'http://u:hunter2@h', accessKeyId: a, secretAccessKey: b}}",
    "storage.s3.endpoint: it must not have a user or password: set accessKeyId and secretAccessKey",
  ],
  ["state: 'postgres://dag:hunter2@h/a%zz'", "state: it must be sqlite:FILE or postgres://USER"],
  ["state: 'postgres://dag:hunter2%@h/a'", "with each special character of the password as %XX"],
  ["a: [", "is not YAML"],
  ["- a", "must hold fields"],
])("loadConfig: %j is reported in one line with source and problem", (text, message) => {
  const name = file(text);
  const error = (() => {
    try {
      return loadConfig({ file: name, directory });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(StartError);
  expect((error as StartError).message).toContain(message);
  expect((error as StartError).message).not.toMatch(/\n|hunter2/);
});

test.each([
  [
    "listen: localhost",
    'listen: it must be HOST:PORT, such as 127.0.0.1:9393; port 0 picks a free one (it is "localhost")',
  ],
  ["listen: 127.0.0.1:99999", '(it is "127.0.0.1:99999")'],
  ["retention: {days: -1}", "retention.days: it must be a number of days above 0 and at most 36500 (it is -1)"],
  ["retention: {days: soon}", '36500 (it is "soon")'],
  ["clusters: [{name: a, memory: lots}]", '(it is "lots")'],
  ["clusters: [{name: a, debug: 1}]", "it must be true or false (it is 1)"],
  ["engines: {hive: {dialect: x}}", 'engines.hive.dialect: it must be hive or spark (it is "x")'],
  ["faults: [{operation: nope, probability: 1}]", "faults[0].operation: it must be one of *, submitSelect"],
  ["faults: [{operation: nope, probability: 1}]", '(it is "nope")'],
  ["tables: [{database: data, table: b b}]", '(it is "b b")'],
  ["listen:", "(it is empty)"],
  ["storage: here", '(it is "here")'],
  [`listen: ${"a".repeat(100)}`, `(it is "${"a".repeat(60)}…")`],
  ["console: {allowedOrigins: ['https://dag.example.com/x']}", '(it is "https://dag.example.com/x")'],
])("loadConfig: the message about %j has the value", (text, message) => {
  expect(() => loadConfig({ file: file(text), directory })).toThrow(message);
});

test.each([
  ["state: hunter2"],
  ["credentials: hunter2"],
  ["credentials: [{accessKeyId: 'hunter2:', secretAccessKey: x}]"],
  ["credentials: [{accessKeyId: x, secretAccessKey: 5550199}]"],
  ["engines: {x: {dialect: hive, urls: ['hive2://h:1'], auth: {user: 5550199, password: hunter2}}}"],
  ["engines: {x: {dialect: hive, urls: ['hive2://u:hunter2@h:1']}}"],
  ["openlineage: {url: 'ftp://h/?token=hunter2', namespace: n}"],
  ["openlineage: {url: 'u:hunter2@h', namespace: n}"],
  ["openlineage: {url: 'https://h', namespace: n, apiKey: hunter2 hunter2}"],
  ["storage: 's4:http://u:hunter2@h'"],
  ["storage: {s3: {endpoint: 'http://h', accessKeyId: a, secretAccessKey: 5550199}}"],
])("loadConfig: the message about %j has no value, which may be a secret", (text) => {
  const load = () => loadConfig({ file: file(text), directory });
  expect(load).toThrow(StartError);
  expect(load).not.toThrow(/hunter2|5550199|it is "/);
});

test.each([
  [
    "console.allowedOrigins: ['https://h']",
    '"console:" and, indented below it, "allowedOrigins:" in place of "console.',
  ],
  ["storage.s3.endpoint: http://h", '"storage:" and, indented below it, "s3:" and, indented below it, "endpoint:"'],
  ["retention.days: 3", 'config file service.yaml: a dot means a nested field: write "retention:" and'],
  ["console.origins: []", 'it has no field "console.origins": correct the name, or remove it'],
  ["listen.host: x", 'it has no field "listen.host"'],
])("loadConfig: %j, a field with a dot in its name, is told how it is written if it is one", (text, message) => {
  expect(() => loadConfig({ file: file(text), directory })).toThrow(message);
});

test("loadConfig: names the invalid flag or variable, and a missing file", () => {
  expect(() => loadConfig({ flags: { clusters: "[{name: 1}]" }, directory })).toThrow("--clusters: clusters[0].name");
  expect(() => loadConfig({ environment: { DAG_SERVICE_TABLES: "{" }, directory })).toThrow(
    "DAG_SERVICE_TABLES is not YAML",
  );
  expect(() => loadConfig({ file: "none.yaml", directory })).toThrow(/none\.yaml cannot be read \(ENOENT\)/);
});

test("parseBytes: sizes with and without units", () => {
  expect(["2GB", "512 mb", "1.5GiB", "100", 7, "1TB"].map(parseBytes)).toEqual([
    2e9,
    512e6,
    1.5 * 2 ** 30,
    100,
    7,
    1e12,
  ]);
  expect(["", "GB", "-1GB", "0", "1XB", "1e9", "constructor"].map(parseBytes)).toEqual(Array(7).fill(undefined));
});

test("clusterMemory: sums grades by quantity, unknown ones as standard, up to 80 % of the machine", () => {
  const { small, standard } = gradeMemory as Record<string, number>;
  expect(
    clusterMemory(
      [
        { grade: "small", quantity: 2 },
        { grade: "whatever", quantity: 1 },
      ],
      1e12,
    ),
  ).toBe(2 * small! + standard!);
  expect(clusterMemory([{ grade: "constructor", quantity: 1 }], 1e12)).toBe(standard);
  expect(clusterMemory([{ grade: "xlarge", quantity: 1000 }], 1e10)).toBe(8e9);
});

test("loadOrCreateCredentials: creates the pair once, readable by the owner only", () => {
  const first = loadOrCreateCredentials(directory);
  expect(first.isNew).toBe(true);
  expect(statSync(first.file).mode & 0o777).toBe(0o600);
  expect(loadOrCreateCredentials(directory)).toEqual({ ...first, isNew: false });
  writeFileSync(first.file, "broken");
  expect(() => loadOrCreateCredentials(directory)).toThrow(StartError);
});

test("lockFolder: locks a folder for one service", () => {
  const lock = lockFolder(directory, "--data");
  expect(() => lockFolder(directory, "--data")).toThrow(
    `is in use by another dag-service (process ${process.pid}): stop that one, choose another folder with --data`,
  );
  lock[Symbol.dispose]();
  lockFolder(directory, "--data")[Symbol.dispose]();
});

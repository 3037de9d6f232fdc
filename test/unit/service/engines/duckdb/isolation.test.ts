/** Runs hostile SQL directly on the engine's database, without the translator. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../../../../service/engines/duckdb/process/database";
import { guardStatement } from "../../../../../service/engines/duckdb/statement-guard";

const root = mkdtempSync(join(tmpdir(), "isolation-"));
const data = join(root, "buckets");
const temp = join(root, "temp");
const secret = join(root, "secret.csv");
const other = join(data, "other", "t", "rows.csv");
const written = join(data, "other", "written");
let database: Database;

beforeAll(async () => {
  for (const folder of [join(data, "mine", "t"), join(data, "other", "t"), temp])
    mkdirSync(folder, { recursive: true });
  writeFileSync(secret, "top,secret\n");
  writeFileSync(other, "other,table\n");
  database = await Database.open(
    {
      debug: false,
      memoryBytes: 256_000_000,
      threads: 1,
      tempDirectory: temp,
      tempBytes: 1_000_000,
      resultObjectBytes: 1_000_000,
      dataDirectory: data,
    },
    { macros: async (connection) => void (await connection.run("CREATE TEMP VIEW mine AS SELECT 'x' AS a")) },
  );
});
afterAll(() => rmSync(root, { recursive: true }));

const scope = { relations: new Set(["mine"]) };

/** Runs a statement like the engine: first the guard, then a connection. */
const guarded = async (sql: string) => {
  const connection = database.forSelects;
  await guardStatement(connection, sql, scope);
  return (await connection.runAndReadAll(sql)).getRowsJson();
};

/** Runs a statement without the guard. */
const unguarded = async (sql: string) => (await database.forSelects.runAndReadAll(sql)).getRowsJson();

/** Statements that must fail even without the guard: files outside the buckets, network, settings. */
const outside = [
  `SELECT * FROM read_csv('${secret}')`,
  `SELECT * FROM read_csv_auto('${secret}')`,
  `SELECT * FROM read_text('${secret}')`,
  `SELECT * FROM read_blob('${secret}')`,
  `SELECT * FROM read_json('${secret}')`,
  `SELECT * FROM read_ndjson_objects('${secret}')`,
  `SELECT * FROM read_parquet('${secret}')`,
  `SELECT * FROM parquet_metadata('${secret}')`,
  `SELECT * FROM sniff_csv('${secret}')`,
  `SELECT * FROM '${secret}'`,
  `SELECT * FROM "${secret}"`,
  `SELECT * FROM read_text('${data}/../secret.csv')`,
  `SELECT * FROM read_text('${data}/mine/../../secret.csv')`,
  `SELECT * FROM read_text('/etc/passwd')`,
  `SELECT * FROM read_text('/proc/self/environ')`,
  `SELECT * FROM read_csv('file://${secret}')`,
  `SELECT * FROM read_csv('/dev/stdin')`,
  `SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')`,
  `SELECT * FROM read_csv('https://example.com/x.csv')`,
  `SELECT * FROM read_parquet('s3://bucket/x.parquet')`,
  `SELECT * FROM query('SELECT * FROM read_text(''${secret}'')')`,
  `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''${secret}'')'))`,
  `COPY (SELECT 1) TO '${root}/written.csv'`,
  `COPY mine TO '/tmp/isolation-written.csv'`,
  `COPY (SELECT 1) TO '${data}/../written.csv'`,
  `CREATE TABLE t AS SELECT * FROM read_text('${secret}')`,
  `EXPORT DATABASE '${root}/export'`,
  `IMPORT DATABASE '${root}'`,
  `ATTACH '${root}/x.db'`,
  `ATTACH '${secret}' AS s (TYPE sqlite)`,
  "INSTALL httpfs",
  "LOAD httpfs",
  "LOAD '/tmp/x.duckdb_extension'",
  "FORCE INSTALL spatial FROM community",
  "SET enable_external_access = true",
  "SET allowed_directories = ['/']",
  "SET temp_directory = '/'",
  "SET lock_configuration = false",
  "RESET lock_configuration",
  "PRAGMA threads = 64",
  "SET threads = 64",
  "CREATE SECRET s (TYPE s3)",
  `SET home_directory = '${root}'`,
  "SET log_query_path = '/tmp/isolation.log'",
];

/** Statements that only the guard refuses: files of other tables, engine state, multiple statements. */
const inside = [
  `SELECT * FROM read_csv('${other}')`,
  `SELECT * FROM read_text('${data}/*/*/*')`,
  `SELECT * FROM '${other}'`,
  `SELECT a FROM mine UNION ALL SELECT * FROM '${other}'`,
  `SELECT (SELECT content FROM read_text('${other}')) FROM mine`,
  `SELECT * FROM mine WHERE EXISTS (FROM read_text('${other}'))`,
  `SELECT * FROM mine, LATERAL (SELECT * FROM read_text('${other}'))`,
  `WITH x AS (SELECT * FROM read_text('${other}')) SELECT * FROM x`,
  `WITH RECURSIVE x AS (SELECT 'a' AS a UNION ALL SELECT content FROM read_text('${other}')) SELECT * FROM x`,
  `WITH "${other}" AS (SELECT 1) SELECT 1 UNION ALL SELECT * FROM (SELECT 1) UNION ALL SELECT 1 FROM mine2`,
  `SELECT * FROM (WITH "${other}" AS (SELECT 1) SELECT 1), '${other}'`,
  `SELECT list_transform([1], lambda x: (SELECT content FROM read_text('${other}')))`,
  `SELECT a FROM mine ORDER BY (SELECT content FROM read_text('${other}'))`,
  `SELECT a FROM mine LIMIT (SELECT 1 FROM read_text('${other}'))`,
  `SELECT a FROM mine GROUP BY a HAVING (SELECT true FROM read_text('${other}'))`,
  `SELECT sum(1) FILTER ((SELECT true FROM read_text('${other}'))) FROM mine`,
  `SELECT row_number() OVER (ORDER BY (SELECT content FROM read_text('${other}'))) FROM mine`,
  `VALUES ((SELECT content FROM read_text('${other}')))`,
  `SELECT * FROM glob('${data}/**')`,
  `SELECT * FROM query_table(['mine'])`,
  `SELECT * FROM query('SELECT 1')`,
  `COPY (SELECT 1) TO '${written}'`,
  `COPY (SELECT 1) TO '${written}' (FORMAT parquet)`,
  "PRAGMA enable_object_cache",
  "SET memory_limit = '1TB'",
  "RESET memory_limit",
  "SELECT * FROM duckdb_settings()",
  "SELECT * FROM duckdb_temporary_files()",
  "SELECT * FROM duckdb_secrets()",
  "SELECT * FROM pragma_database_size()",
  "SELECT * FROM information_schema.tables",
  "SELECT * FROM pg_catalog.pg_tables",
  "SELECT * FROM sqlite_master",
  "SELECT * FROM duckdb_views",
  "SELECT current_setting('temp_directory')",
  "SELECT getvariable('x')",
  "SELECT write_log('x')",
  "SELECT sleep_ms(1)",
  "SELECT \"current_setting\"('temp_directory')",
  "SELECT main.current_setting('temp_directory')",
  "SELECT system.main.current_setting('temp_directory')",
  "DESCRIBE SELECT 1",
  "SHOW TABLES",
  "SUMMARIZE mine",
  "EXPLAIN SELECT 1",
  "EXPLAIN ANALYZE SELECT 1",
  "SELECT 1; SELECT 2",
  "SELECT 1; DROP VIEW mine",
  "DROP VIEW mine",
  "CREATE TEMP TABLE t (a int)",
  "CREATE MACRO m() AS 1",
  "INSERT INTO mine VALUES (1)",
  "DELETE FROM mine",
  "PREPARE p AS SELECT 1",
  "EXECUTE p",
  "BEGIN",
  "CHECKPOINT",
  "USE temp",
  "VACUUM",
  "CALL pragma_version()",
  "PIVOT mine ON a USING count(*)",
  "SELECT * FROM temp.main.mine",
  "SELECT * FROM notatable",
  "",
  "--",
];

describe("statements that reach outside the buckets", () => {
  test.each(outside)("run: the configuration alone refuses %s", async (sql) => {
    await expect(unguarded(sql)).rejects.toThrow(/^[A-Z][A-Za-z ]+ Error:|^Failed to/);
  });
  test.each(outside)("guard: refuses %s", async (sql) => {
    await expect(guarded(sql)).rejects.toThrow("the translated statement was refused");
  });
  test("nothing was written or read", () => {
    expect(readdirSync(root).toSorted()).toEqual(["buckets", "secret.csv", "temp"]);
    expect(existsSync("/tmp/isolation-written.csv")).toBe(false);
  });
});

test("guard: an expression that DuckDB refuses for its depth is named as that", async () => {
  const sql = `SELECT ${Array.from({ length: 1200 }, () => "a").join(" || ")} FROM mine`;
  await expect(guarded(sql)).rejects.toThrow(/^an expression has more than 1,000 operators or arguments/);
});

describe("statements that reach other tables, the engine's state or more than one statement", () => {
  test.each(inside)("guard: refuses %j", async (sql) => {
    await expect(guarded(sql)).rejects.toThrow("the translated statement was refused");
  });
  test("nothing was written", () => expect(existsSync(written)).toBe(false));
});

describe("ordinary statements", () => {
  test.each([
    ["SELECT a FROM mine", [["x"]]],
    ["WITH c AS (SELECT a FROM mine), d AS (SELECT * FROM c) SELECT * FROM d JOIN mine USING (a)", [["x"]]],
    ["WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT max(n) FROM r", [[3]]],
    ["SELECT unnest([1, 2])", [[1], [2]]],
    ["SELECT * FROM mine, unnest([1]) AS u(n)", [["x", 1]]],
    ["SELECT count(*) FROM range(3) AS r(i) WHERE i IN (SELECT 1)", [["1"]]],
    ["(SELECT a FROM mine ORDER BY a DESC LIMIT 1) UNION SELECT 'x'", [["x"]]],
    ["SELECT a, count(*) OVER (PARTITION BY a) FROM mine GROUP BY GROUPING SETS ((a))", [["x", "1"]]],
    ["SELECT CASE WHEN a = 'x' THEN CAST(1.5 AS DECIMAL(3,1)) END, {'k': a}, MAP {a: 1}.x FROM mine WHERE false", []],
    ["SELECT list_transform([1], lambda x: x + 1), INTERVAL 1 DAY, DATE '2020-01-01' FROM mine WHERE false", []],
    ["SELECT * FROM (VALUES (1), (2)) AS v(a) TABLESAMPLE reservoir(0 ROWS)", []],
  ])("guard: accepts %s", async (sql, rows) => {
    expect(await guarded(sql)).toEqual(rows);
  });
});

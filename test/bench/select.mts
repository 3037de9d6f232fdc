/**
 * Measures selects over a large table as a caller waits for them, from the POST until `finished`, in turns with DuckDB SQL
 * written by hand over the same files, which this process runs. Then eight at once, with the same eight one after another
 * in one DuckDB.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cluster, finish, openDoor, type Door } from "./support/door.mts";
import { openDuckDB, type Connection } from "./support/duckdb.mts";
import { writeEvents } from "./support/events.mts";
import { secondsOf } from "./support/pairs.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";

const reference = "DuckDB SQL, hand-written";
const eventTypes = ["BIGINT", "TIMESTAMP", "VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE", "VARCHAR"];
const schema = "bigint _c0, timestamp _c1, string _c2, string _c3, string _c4, double _c5, string _c6";

/** How the service knows the table, with the greatest ratio. */
const kinds = [
  { name: "split", text: "written by a split", atMost: 1.2 },
  { name: "declared", text: "columns declared", atMost: 1.4 },
  { name: "found", text: "columns found in the data", atMost: 1.2 },
  { name: "parquet", text: "Parquet", atMost: 1.2 },
] as const;

/** The config's tables. */
const tables = [
  { database: "lake", table: "declared", schema },
  { database: "lake", table: "parquet", format: "parquet" },
  { database: "lake", table: "users", schema: "string _c0, bigint _c1" },
];

interface Statement {
  readonly title: string;
  readonly hive: (events: string) => string;
  readonly sql: (events: string, users: string) => string;
}

const statements: readonly Statement[] = [
  {
    title: "filter and group",
    hive: (events) =>
      `select _c2, count(*), sum(_c0 * 2 + 1), avg(_c5) from ${events} where _c5 > 20 and _c2 <> 'leave' group by _c2`,
    sql: (events) =>
      `SELECT _c2, count(*), sum(_c0 * 2 + 1), avg(_c5) FROM ${events} WHERE _c5 > 20 AND _c2 <> 'leave' GROUP BY _c2`,
  },
  {
    title: "join and aggregate",
    hive: (events) =>
      `select u._c1, count(*), sum(e._c0), max(e._c5) from ${events} e join lake.users u on e._c3 = u._c0 group by u._c1`,
    sql: (events, users) =>
      `SELECT u._c1, count(*), sum(e._c0), max(e._c5) FROM ${events} e JOIN ${users} u ON e._c3 = u._c0 GROUP BY u._c1`,
  },
  {
    title: "window and sort",
    hive: (events) => `select _c3, _c0, _c5 from (select _c3, _c0, _c5, row_number() over (partition by _c2
      order by _c5 desc, _c0) n from ${events}) ranked where n <= 100 order by _c5 desc, _c0 limit 100`,
    sql: (events) => `SELECT _c3, _c0, _c5 FROM (SELECT _c3, _c0, _c5, row_number() OVER (PARTITION BY _c2
      ORDER BY _c5 DESC, _c0) n FROM ${events}) WHERE n <= 100 ORDER BY _c5 DESC, _c0 LIMIT 100`,
  },
];

/** Compares the times of all statements over each kind of table. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      mb: { type: "string", default: "500" },
      rounds: { type: "string", default: "5" },
      kinds: { type: "string", default: kinds.map(({ name }) => name).join(",") },
      directory: { type: "string" },
    },
  });
  const instances = [{ grade: "standard", quantity: 9 }];
  await using door = await openDoor({
    tables,
    // Eight slots instead of four, for the eight at once.
    clusters: [{ name: cluster, instances }],
    ...(values.directory === undefined ? {} : { parent: values.directory }),
  });
  const duckdb = await openDuckDB();
  const written = await writeTables(door, duckdb, Number(values.mb) * 1e6);
  const wanted = new Set(values.kinds.split(","));
  const measurements: Measurement[] = [];
  for (const kind of kinds) {
    if (!wanted.has(kind.name)) continue;
    for (const { title, hive, sql } of statements) {
      const contestants = [
        { name: "dag-service", run: () => select(door, hive(`lake.${kind.name}`)) },
        { name: reference, run: () => run(door, duckdb, sql(scanOf(door, kind.name), usersOf(door))) },
      ];
      // Not measured: the columns of a table are found once for each state of its objects.
      for (const { run: warmUp } of contestants) await warmUp();
      const seconds = await secondsOf({ prepare: () => undefined, contestants, rounds: Number(values.rounds) });
      const heading = `${title} over ${Math.round(written / 1e6)} MB, ${kind.text}`;
      measurements.push(compare({ title: heading, unit: "s", bars: [{ reference, atMost: kind.atMost }] }, seconds));
    }
  }
  measurements.push(await compareEight(door, duckdb, [...wanted]));
  duckdb.closeSync();
  return { measurements };
}

/** Runs eight selects at once, and the same one after another in one DuckDB. */
async function compareEight(door: Door, duckdb: Connection, names: readonly string[]): Promise<Measurement> {
  const eight = Array.from({ length: 8 }, (_, index) => ({
    statement: statements[index % statements.length]!,
    kind: names[index % names.length]!,
  }));
  const contestants = [
    {
      name: "dag-service",
      run: async () => {
        await Promise.all(eight.map(({ statement, kind }) => select(door, statement.hive(`lake.${kind}`))));
      },
    },
    {
      name: "DuckDB, one after another",
      run: async () => {
        for (const { statement, kind } of eight) {
          await run(door, duckdb, statement.sql(scanOf(door, kind), usersOf(door)));
        }
      },
    },
  ];
  const seconds = await secondsOf({ prepare: () => undefined, contestants, rounds: 3 });
  const bars = [{ reference: "DuckDB, one after another", atMost: 1.1 }];
  return compare({ title: "8 selects at once", unit: "s", bars }, seconds);
}

/** Writes the same rows as each kind of table. */
async function writeTables(door: Door, duckdb: Connection, bytes: number): Promise<number> {
  const lake = (path: string) => join(door.buckets, "lake", path);
  for (const folder of ["declared", "found", "parquet", "users"]) mkdirSync(lake(folder));
  const written = writeEvents(lake("declared/events.csv"), bytes, "none");
  writeEvents(lake("found/events.csv"), bytes, "none");
  writeFileSync(lake("users/users.csv"), Array.from({ length: 10_007 }, (_, n) => `user-${n},${n % 50}\n`).join(""));
  const parquet = lake("parquet/events.parquet");
  await duckdb.run(`COPY (FROM ${scanOf(door, "declared")}) TO '${parquet}' (FORMAT parquet)`);
  const input = { inputFormat: "csv", inputObjectKeys: ["dag://lake/declared/events.csv"] };
  await finish(door, "split", { ...input, outputDatabase: "lake", outputTable: "split" });
  // Else the system writes them during the first statements.
  execFileSync("sync");
  return written;
}

function scanOf({ buckets }: Door, kind: string): string {
  if (kind === "parquet") return `read_parquet('${join(buckets, "lake/parquet/events.parquet")}')`;
  // The objects of a split are named by their numbers.
  return scan(join(buckets, "lake", kind, "*"), eventTypes);
}

function usersOf({ buckets }: Door): string {
  return scan(join(buckets, "lake/users/users.csv"), ["VARCHAR", "BIGINT"]);
}

function scan(path: string, types: readonly string[]): string {
  const columns = types.map((type, index) => `'_c${index}': '${type}'`).join(", ");
  return `read_csv('${path}', header = false, columns = {${columns}})`;
}

let results = 0;

async function select(door: Door, statement: string): Promise<void> {
  const query = statement.replaceAll(/\b_c\d/g, "`$&`");
  const output = (results += 1);
  await finish(door, "select", { query, outputResourcePath: `dag://out/r${output}/` });
  rmSync(join(door.buckets, `out/r${output}`), { recursive: true, force: true });
}

async function run(door: Door, duckdb: Connection, sql: string): Promise<void> {
  await duckdb.run(`COPY (${sql}) TO '${join(door.directory, "reference.csv")}' (FORMAT csv, HEADER false)`);
}

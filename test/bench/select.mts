/**
 * Compares HiveQL through the translator, over the engine's own table views, with hand-written DuckDB SQL over
 * `read_csv`. Both write their rows as CSV.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allRows, hiveql, openDuckDB, openTables, readStatement, tableOfFile } from "./support/engine.mts";
import { writeEvents } from "./support/events.mts";
import { secondsOf } from "./support/pairs.mts";
import { compare, type BenchResult, type Measurement } from "./support/results.mts";

/** The column types of the events file. The files have no header, so both sides name the columns `_c0`, `_c1`, …. */
const eventTypes = ["BIGINT", "TIMESTAMP", "VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE", "VARCHAR"];

interface Comparison {
  readonly title: string;
  readonly hive: string;
  readonly sql: string;
}

/** Compares the times of all statements. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      mb: { type: "string", default: "500" },
      rounds: { type: "string", default: "5" },
      directory: { type: "string", default: tmpdir() },
    },
  });
  const root = mkdtempSync(join(values.directory, "bench-select-"));
  try {
    return { measurements: await benchQueries(root, Number(values.mb) * 1_000_000, Number(values.rounds)) };
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function benchQueries(root: string, bytes: number, rounds: number): Promise<Measurement[]> {
  const events = join(root, "events.csv");
  const users = join(root, "users.csv");
  const written = writeEvents(events, bytes, "none");
  writeFileSync(users, Array.from({ length: 10_007 }, (_, n) => `user-${n},${n % 50}\n`).join(""));
  const connection = await openDuckDB();
  const views = openTables();
  const measurements: Measurement[] = [];
  for (const { kind, eventColumns, userColumns, atMost } of tableKinds) {
    const tables = [table("events", events, eventColumns), table("users", users, userColumns)];
    for (const { title, hive, sql } of comparisons(events, users)) {
      const statement = readStatement(hive.replaceAll(/\b_c\d/g, "`$&`"));
      await views.withViews(connection, tables, statement, allRows, async (job) => {
        const translated = hiveql.translate(statement.query, (_database, _table, node) => job.tableAt(node)).textSql;
        const run = async (text: string) =>
          void (await connection.run(`COPY (${text}) TO '${join(root, "out.csv")}' (FORMAT csv, HEADER false)`));
        const contestants = [
          { name: "HiveQL, translated", run: () => run(translated) },
          { name: "DuckDB SQL, hand-written", run: () => run(sql) },
        ];
        const seconds = await secondsOf({ prepare: () => undefined, contestants, rounds });
        const heading = `${title} over ${Math.round(written / 1e6)} MB, ${kind}`;
        const bars = [{ reference: "DuckDB SQL, hand-written", atMost }];
        measurements.push(compare({ title: heading, unit: "s", bars }, seconds));
      });
    }
  }
  return measurements;
}

/** The columns of a table as a split finds them, and as a config declares them. */
const tableKinds = [
  { kind: "columns found in the data", eventColumns: undefined, userColumns: undefined, atMost: 1.2 },
  {
    kind: "columns declared",
    eventColumns: "bigint _c0, timestamp _c1, string _c2, string _c3, string _c4, double _c5, string _c6",
    userColumns: "string _c0, bigint _c1",
    atMost: 1.4,
  },
] as const;

function table(name: string, path: string, columns: string | undefined) {
  return tableOfFile(name, { path, format: "csv", columns: columns?.split(", ").map(columnOf) });
}

function columnOf(text: string): { readonly name: string; readonly type: string } {
  const [type = "", name = ""] = text.split(" ");
  return { name, type };
}

function comparisons(events: string, users: string): readonly Comparison[] {
  const eventsSql = scan(events, eventTypes);
  const usersSql = scan(users, ["VARCHAR", "BIGINT"]);
  return [
    {
      title: "filter and group",
      hive: "select _c2, count(*), sum(_c0 * 2 + 1), avg(_c5) from events where _c5 > 20 and _c2 <> 'leave' group by _c2",
      sql: `SELECT _c2, count(*), sum(_c0 * 2 + 1), avg(_c5) FROM ${eventsSql} WHERE _c5 > 20 AND _c2 <> 'leave' GROUP BY _c2`,
    },
    {
      title: "join and aggregate",
      hive: "select u._c1, count(*), sum(e._c0), max(e._c5) from events e join users u on e._c3 = u._c0 group by u._c1",
      sql: `SELECT u._c1, count(*), sum(e._c0), max(e._c5) FROM ${eventsSql} e JOIN ${usersSql} u ON e._c3 = u._c0 GROUP BY u._c1`,
    },
    {
      title: "window and sort",
      hive: `select _c3, _c0, _c5 from (select _c3, _c0, _c5, row_number() over (partition by _c2 order by _c5 desc, _c0) n
        from events) ranked where n <= 100 order by _c5 desc, _c0 limit 100`,
      sql: `SELECT _c3, _c0, _c5 FROM (SELECT _c3, _c0, _c5, row_number() OVER (PARTITION BY _c2 ORDER BY _c5 DESC, _c0) n
        FROM ${eventsSql}) WHERE n <= 100 ORDER BY _c5 DESC, _c0 LIMIT 100`,
    },
  ];
}

function scan(path: string, types: readonly string[]): string {
  const columns = types.map((type, index) => `'_c${index}': '${type}'`).join(", ");
  return `read_csv('${path}', header = false, columns = {${columns}})`;
}

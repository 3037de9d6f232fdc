/** The options of the benchmarks that run the queries of TPC-H. */
import { parseArgs } from "node:util";
import { readQueries, type Mode, type TpchQuery } from "./tpch-queries.mts";

/** The queries of one kind of tables that a benchmark is to run. */
export interface TpchRun<Kind> {
  readonly mode: Kind;
  readonly queries: readonly TpchQuery[];
  readonly scale: number;
  readonly rounds: number;
}

/**
 * Reads `--scale`, `--rounds`, `--tables` and `--query`.
 * @param modes the kinds of tables, by the names that `--tables` has
 * @returns a run for each kind
 */
export function tpchRuns<Kind extends Mode>(
  options: readonly string[],
  modes: Readonly<Record<string, Kind>>,
  defaults: { readonly scale: string; readonly rounds: string },
): TpchRun<Kind>[] {
  const { values } = parseArgs({
    args: [...options],
    options: {
      scale: { type: "string", default: defaults.scale },
      rounds: { type: "string", default: defaults.rounds },
      tables: { type: "string", default: Object.keys(modes).join(",") },
      query: { type: "string", multiple: true },
    },
  });
  const [scale, rounds] = [Number(values.scale), Number(values.rounds)];
  return values.tables.split(",").map((name) => {
    const mode = modes[name];
    if (!mode) throw new Error(`--tables ${name} is unknown: use ${Object.keys(modes).join(", ")}`);
    const queries = readQueries(mode, scale).filter((query) => !values.query || values.query.includes(query.name));
    return { mode, queries, scale, rounds };
  });
}

/** TABLESAMPLE, as far as what it takes is not left open. */
import { type Sample, semantic, unsupported } from "../../../../provider/hiveql";
import type { From } from "./relation";
import { sql } from "./fragment";

/** The rows of a table that a sample takes. */
export function sampled(table: From, sample: Sample): From {
  if (sample.kind === "rows")
    return { ...table, from: sql`(SELECT * FROM ${table.from} LIMIT ${sample.rows}) AS ${aliasOf(table)}` };
  if (sample.kind === "bucket") {
    if (sample.x < 1 || sample.x > sample.y)
      throw semantic(sample.position, "TABLESAMPLE", "takes a bucket that is not there");
    throw unsupported(
      sample.position,
      "TABLESAMPLE by buckets",
      "takes rows by a hash that depends on the table's version",
    );
  }
  throw unsupported(sample.position, "TABLESAMPLE by size", "takes rows that depend on how the files lie");
}

function aliasOf(table: From): string {
  return / AS (\w+)$/.exec(table.from.sql)?.[1] ?? "t0";
}

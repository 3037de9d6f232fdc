/** TABLESAMPLE, as far as what it takes is not left open. */
import { type Sample, semantic, unsupported } from "../syntax";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { murmurHash } from "./hash";
import type { From } from "./from-clause";
import { sql } from "./fragment";

/**
 * The rows of a table that a sample takes. Buckets are those of Hive 3 and later.
 * @param inside where the table's own columns are known.
 */
export function sampled(table: From, sample: Sample, inside: Environment): From {
  inside.shared.plan.isBeyond = true;
  if (sample.kind === "rows")
    return { ...table, from: sql`(SELECT * FROM ${table.from} LIMIT ${sample.rows}) AS ${aliasOf(table)}` };
  if (sample.kind === "bucket") {
    if (sample.x < 1 || sample.x > sample.y)
      throw semantic(sample.position, "TABLESAMPLE", "takes a bucket that is not there");
    if (sample.on.length === 0) throw semantic(sample.position, "TABLESAMPLE", "of a table without buckets needs ON");
    const hash = murmurHash(
      sample.on.map((key) => expression(key, inside)),
      sample.position,
    );
    const bucket = sql`(${hash} & 2147483647) % ${sample.y} = ${sample.x - 1}`;
    return { ...table, from: sql`(SELECT * FROM ${table.from} WHERE ${bucket}) AS ${aliasOf(table)}` };
  }
  throw unsupported(sample.position, "TABLESAMPLE by size", "takes rows that depend on how the files lie");
}

function aliasOf(table: From): string {
  return / AS (\w+)$/.exec(table.from.sql)?.[1] ?? "t0";
}

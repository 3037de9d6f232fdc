/** TABLESAMPLE of rows and buckets. */
import { type Sample, semantic, unsupported } from "../../syntax";
import { expression, type Scope, type TranslatedFrom } from "../scope";
import { murmurHash } from "../../emit/hash";
import { sql } from "../../tree/fragment";

/**
 * Returns a table with the rows of a sample. Buckets are computed as in Hive 3 and later.
 * @param inside scope of the table's own columns.
 */
export function applyTableSample(table: TranslatedFrom, sample: Sample, inside: Scope): TranslatedFrom {
  if (sample.kind === "rows")
    return { ...table, from: sql`(SELECT * FROM ${table.from} LIMIT ${sample.rows}) AS ${table.name ?? ""}` };
  if (sample.kind === "bucket") {
    if (sample.x < 1 || sample.x > sample.y)
      throw semantic(
        sample.position,
        "TABLESAMPLE",
        "has a bucket number that is out of range: write BUCKET x OUT OF y with x from 1 to y",
      );
    if (sample.on.length === 0)
      throw semantic(sample.position, "TABLESAMPLE", "of buckets needs ON: write BUCKET x OUT OF y ON column");
    const hash = murmurHash(
      sample.on.map((key) => expression(key, inside)),
      sample.position,
    );
    const bucket = sql`(${hash} & 2147483647) % ${sample.y} = ${sample.x - 1}`;
    return { ...table, from: sql`(SELECT * FROM ${table.from} WHERE ${bucket}) AS ${table.name ?? ""}` };
  }
  throw unsupported(
    sample.position,
    "TABLESAMPLE by size",
    "returns rows that depend on the layout of the files: write TABLESAMPLE (n ROWS) or BUCKET x OUT OF y ON column",
  );
}

/** TABLESAMPLE, as far as what it takes is not left open. */
import { type Sample, semantic, unsupported } from "../../../../provider/hiveql";
import { javaHash } from "./hash";
import type { FromScope, From } from "./relation";
import { environmentOf } from "./relation";
import { expression } from "./expression";
import { sql } from "./fragment";

/** The rows of a table that a sample takes. */
export function sampled(table: From, sample: Sample, scope: FromScope): From {
  const [source] = table.sources;
  if (!source) return table;
  if (sample.kind === "rows")
    return { ...table, from: sql`(SELECT * FROM ${table.from} LIMIT ${sample.rows}) AS ${aliasOf(table)}` };
  if (sample.kind !== "bucket") {
    throw unsupported(sample.position, "TABLESAMPLE by size", "takes rows that depend on how the files lie");
  }
  if (sample.x < 1 || sample.x > sample.y)
    throw semantic(sample.position, "TABLESAMPLE", "takes a bucket that is not there");
  if (sample.on.length === 0)
    throw unsupported(sample.position, "TABLESAMPLE without ON", "depends on how the table is bucketed");
  const environment = environmentOf(table.sources, scope, "TABLESAMPLE");
  const values = sample.on.map((key) => {
    if (key.kind === "call" && key.name === "rand") throw unsupported(key.position, "TABLESAMPLE ON rand()");
    return expression(key, environment);
  });
  const hash = javaHash(values, sample.position);
  return {
    ...table,
    from: sql`(SELECT * FROM ${table.from} WHERE (${hash} & 2147483647) % ${sample.y} = ${sample.x - 1}) AS ${aliasOf(table)}`,
  };
}

function aliasOf(table: From): string {
  return / AS (\w+)$/.exec(table.from.sql)?.[1] ?? "t0";
}

/** TABLESAMPLE of rows and buckets. */
import { type Sample, semantic, unsupported } from "../../syntax";
import type { Relation } from "../../tree/nodes";
import { bucketHash } from "../../functions/misc";
import { expression, type Scope } from "../scope";

/**
 * Returns the rows of a sample of a table. Buckets are computed as in Hive 3 and later.
 * @param inside scope of the table's own columns.
 */
export function sampleOf(input: Relation, sample: Sample, inside: Scope): Relation {
  const alias = "alias" in input ? input.alias : "";
  if (sample.kind === "rows") return { kind: "rows", input, count: sample.rows, alias };
  const { position } = sample;
  if (sample.kind === "bucket") {
    if (sample.x < 1 || sample.x > sample.y)
      throw semantic(
        position,
        "TABLESAMPLE",
        "has a bucket number that is out of range: write BUCKET x OUT OF y with x from 1 to y",
      );
    if (sample.on.length === 0)
      throw semantic(position, "TABLESAMPLE", "of buckets needs ON: write BUCKET x OUT OF y ON column");
    const hash = expression(
      { kind: "call", position, name: bucketHash, arguments: sample.on, star: false, distinct: false },
      inside,
    );
    return { kind: "bucket", input, hash, bucket: sample.x, buckets: sample.y, alias };
  }
  throw unsupported(
    position,
    "TABLESAMPLE by size",
    "returns rows that depend on the layout of the files: write TABLESAMPLE (n ROWS) or BUCKET x OUT OF y ON column",
  );
}

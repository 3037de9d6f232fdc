/** TABLESAMPLE of rows, and of the rows in one of so many buckets. */
import { type Sample, semantic, unsupported } from "../../syntax";
import type { Relation } from "../../tree/nodes";
import { expression, type Scope } from "../scope";

/**
 * Returns the rows of a sample of a table.
 * @param inside scope of the table's own columns.
 * @throws HiveQLError for a sample of a share of the table, and of buckets whose hash is not defined.
 */
export function sampleOf(input: Relation, sample: Sample, inside: Scope): Relation {
  const { kind, position } = sample;
  const alias = "alias" in input ? input.alias : "";
  if (kind === "rows") return { kind, input, count: sample.rows, alias };
  if (kind === "size") {
    const reason =
      "returns rows that depend on the layout of the files: write TABLESAMPLE (n ROWS) or BUCKET x OUT OF y ON column";
    throw unsupported(position, "TABLESAMPLE by size", reason);
  }
  const { bucket, buckets } = sample;
  const [on, ...others] = sample.on;
  if (bucket < 1 || bucket > buckets)
    throw semantic(
      position,
      construct,
      "has a bucket that is out of range: write BUCKET x OUT OF y with x from 1 to y",
    );
  if (!on) throw semantic(position, construct, "needs a column: write BUCKET x OUT OF y ON column");
  if (others.length > 0)
    throw unsupported(position, construct, "by several columns is not supported: write one after ON");
  return { kind, input, value: expression(on, inside), position, bucket, buckets, alias };
}

const construct = "TABLESAMPLE of buckets";

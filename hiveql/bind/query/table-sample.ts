/** TABLESAMPLE of rows. */
import { type Sample, unsupported } from "../../syntax";
import type { Relation } from "../../tree/nodes";

/**
 * Returns the rows of a sample of a table.
 * @throws HiveQLError for a sample of buckets or of a share of the table.
 */
export function sampleOf(input: Relation, sample: Sample): Relation {
  if (sample.kind === "rows")
    return { kind: "rows", input, count: sample.rows, alias: "alias" in input ? input.alias : "" };
  throw sample.kind === "bucket"
    ? unsupported(
        sample.position,
        "TABLESAMPLE of buckets",
        "needs the hash of bucketed tables: write WHERE pmod(hash(column), y) = x - 1, or WHERE rand() < 0.1",
      )
    : unsupported(
        sample.position,
        "TABLESAMPLE by size",
        "returns rows that depend on the layout of the files: write TABLESAMPLE (n ROWS)",
      );
}

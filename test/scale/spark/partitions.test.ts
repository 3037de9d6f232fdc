import { expect, test } from "vitest";
import { columns, submission } from "../../contract/engine/harness";
import { partitionsSuite } from "../suites/partitions";

const { engines, tableOf } = partitionsSuite("spark");

test("objects below the innermost partition folder: are refused", async () => {
  const table = tableOf(
    { "day=1/a": "1\n", "day=2/deep/b": "2\n" },
    { columns: columns("v int"), partitions: columns("day int") },
  );
  const query = { statement: "SELECT * FROM t", tables: [table] };
  await expect(engines.remote.checkSelect(query, submission)).rejects.toThrow(/does not lie in day=…\/ directly/);
});

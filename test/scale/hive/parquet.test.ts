import { expect, test } from "vitest";
import { submission } from "../../contract/engine/harness";
import { parquetSuite } from "../suites/parquet";

const { engines, tableOf } = parquetSuite("hive");

test.each(["1::UINTEGER", "[1::UBIGINT]"])("Parquet: unsigned numbers such as %s are refused", async (value) => {
  const query = { statement: "SELECT 1 FROM t", tables: [await tableOf({ a: `SELECT ${value} AS a` })] };
  await expect(engines.remote.checkSelect(query, submission)).rejects.toThrow(/has unsigned numbers in "a"/);
});

import { DuckDBInstance, LIST, listValue, VARCHAR } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { register, setupSql } from "../../../../hiveql/index";
import { hashText } from "../../../../hiveql/runtime/java/hash-codes";

const texts = fc.oneof(
  fc.string({ maxLength: 70 }),
  fc.string({ maxLength: 70, unit: "binary" }),
  fc.string({ minLength: 60, maxLength: 70, unit: fc.constantFrom("a", "~", "é") }),
);

test("hash of texts: short ones have the codes of Java, as long ones and others than ASCII do", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    register(connection);
    for (const statement of setupSql) await connection.run(statement);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(texts), { minLength: 1, maxLength: 40 }), async (values) => {
        const answer = await connection.runAndReadAll(
          "SELECT list(hive_hash_string(s) ORDER BY n) FROM (SELECT unnest($1) s, generate_subscripts($1, 1) n)",
          [listValue(values)],
          [LIST(VARCHAR)],
        );
        const expected = values.map((value) => (value === null ? null : hashText(value)));
        expect(answer.getRowsJS()).toEqual([[expected]]);
      }),
      { numRuns: 60 },
    );
  } finally {
    connection.closeSync();
  }
});

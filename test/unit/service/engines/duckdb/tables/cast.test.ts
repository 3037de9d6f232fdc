import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { castFromText, register, setupSql } from "../../../../../../hiveql/index";
import { castPlain, castWithFastPath, tryCast } from "../../../../../../service/engines/duckdb/tables/cast";
import {
  doubleText,
  inferredTypes,
  SampledRows,
  typePatterns,
} from "../../../../../../service/engines/duckdb/tables/undeclared/inference";
import { quoteLiteral } from "../../../../../../service/engines/duckdb/sql-quoting";

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(":memory:")).connect();
  register(connection);
  for (const statement of setupSql) await connection.run(statement);
});

/** Evaluates two expressions for each text; returns the values as text, null, or the reason of a refusal. */
async function both(texts: readonly string[], one: string, other: string): Promise<[unknown[], unknown[]]> {
  return [await valuesOf(texts, one), await valuesOf(texts, other)];
}

async function valuesOf(texts: readonly string[], expression: string): Promise<unknown[]> {
  const values = texts.map((text) => `(${quoteLiteral(text)})`).join(", ");
  try {
    const reader = await connection.runAndReadAll(`SELECT (${expression})::VARCHAR FROM (VALUES ${values}) AS v(t)`);
    return reader.getRowsJson().map(([value]) => value);
  } catch (error) {
    // One refused text fails the whole statement, so each text runs in its own statement.
    if (texts.length === 1) return [{ refused: (error as Error).message }];
    return (await Promise.all(texts.map((text) => valuesOf([text], expression)))).flat();
  }
}

const number = fc.stringMatching(/^ ?[-+]?0{0,2}[0-9]{0,20}(\.[0-9]{0,10})?([eE][-+]?[0-9]{1,3})?[dDfL]? ?$/);
const date = fc.oneof(
  fc.stringMatching(/^ ?-?[0-9]{1,5}-[01]?[0-9]-[0-3]?[0-9]( \(BC\))? ?$/),
  fc.stringMatching(/^[ 0-2][0-9]{3}[-/ ][01][0-9-][-/ ][0-3][0-9 x-]$/),
);
const time = fc.stringMatching(
  /^[0-9]{4}-[01][0-9]-[0-3][0-9][ T][0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{0,6})?)?(Z|[+-][0-9]{2})?$/,
);
const word = fc.constantFrom(
  "",
  " ",
  "infinity",
  "-infinity",
  "epoch",
  "NaN",
  "inf",
  "true",
  "TRUE",
  "t",
  "1_000",
  "0x10",
  "1e3",
  "null",
  "٣",
  "2020-02-30",
);
const texts = fc.array(fc.oneof(number, date, time, word), { minLength: 1, maxLength: 30 });

test.each([
  "tinyint",
  "smallint",
  "int",
  "bigint",
  "float",
  "double",
  "boolean",
  "date",
  "timestamp",
  "string",
  "decimal(10,2)",
  "varchar(3)",
])("castWithFastPath: %s equals the cast by Hive's rules for any text", async (type) => {
  await fc.assert(
    fc.asyncProperty(texts, async (sample) => {
      const [quick, slow] = await both(
        sample,
        castWithFastPath("t", tryCast("t", type), type, { cast: castFromText, underscores: true }),
        castFromText("t", type),
      );
      expect(quick).toEqual(slow);
    }),
    { numRuns: 40 },
  );
});

test.each(["decimal(1,0)", "decimal(2,2)", "decimal(15,2)", "decimal(38,18)"])(
  "castWithFastPath: %s equals the cast by Hive's rules for every text of up to four characters that numbers have",
  async (type) => {
    const sample = [""];
    for (const text of sample) if (text.length < 4) for (const next of "09.+-eE_ x") sample.push(text + next);
    sample.push("0.1e ", "0.1_1", "0.99999");
    const [quick, slow] = await both(
      sample,
      castWithFastPath("t", tryCast("t", type), type, { cast: castFromText, underscores: true }),
      castFromText("t", type),
    );
    expect(quick).toEqual(slow);
  },
);

test("castWithFastPath: a date equals the cast by Hive's rules with other separators, short years and what follows", async () => {
  const sample = ["2020-02-29", "2020-02-30", "2020/02/03", "2020 02 03", " 999-02-03", "0999-02-03", "1000-01-01"];
  sample.push("2020-02-3x", "2020-02-3 ", "2020-02-3é", "2020-2-033", "1-12-04-05", "-999-02-03", "2020-02-03x");
  const [quick, slow] = await both(
    sample,
    castWithFastPath("t", tryCast("t", "date"), "date", { cast: castFromText, underscores: true }),
    castFromText("t", "date"),
  );
  expect(quick).toEqual(slow);
  expect(quick.slice(0, 4)).toEqual(["2020-02-29", null, null, null]);
});

test("castWithFastPath: double equals the cast by Hive's rules for any text without an underscore", async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (any) => {
      const sample = any.map((text) => text?.replaceAll("_", "0") ?? null);
      const [quick, slow] = await both(
        sample,
        castWithFastPath("t", tryCast("t", "double"), "double", { cast: castFromText, underscores: false }),
        castFromText("t", "double"),
      );
      expect(quick).toEqual(slow);
    }),
    { numRuns: 40 },
  );
});

test.each(inferredTypes)(
  "castPlain: %s equals the cast by Hive's rules for texts of this inferred type",
  async (type) => {
    const pattern = new RegExp(`^(?:${typePatterns[type]})$`);
    const plain = fc.array(fc.oneof(fc.stringMatching(pattern), fc.constant("")), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(plain, async (sample) => {
        const [quick, slow] = await both(sample, castPlain("t", type), castFromText("t", type));
        expect(quick).toEqual(slow);
      }),
      { numRuns: 40 },
    );
  },
);

test("doubleText: finds the doubles that SampledRows finds, for texts of any length and those of doubles", async () => {
  const written = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e21, max: 1e21 });
  const cents = fc.integer({ min: 1e15, max: 9e15 }).map((value) => (value / 100).toFixed(2));
  const pattern = fc.stringMatching(new RegExp(`^(?:${typePatterns.double})$`));
  const long = fc.oneof(
    pattern,
    cents,
    written.map(String),
    written.map((value) => value.toPrecision(17)),
    written.map((value) => value.toPrecision(15)),
    written.map((value) => BigInt(Math.trunc(value)).toString()),
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(long, { minLength: 1, maxLength: 30 }), async (sample) => {
      const [found] = await both(sample, doubleText("t"), "true");
      expect(found).toEqual(sample.map((text) => String(isSampledDouble(text))));
    }),
    { numRuns: 100 },
  );
});

/** Returns true for a text that fits the type double: `5` is a bigint too, so that it is beside a fraction. */
function isSampledDouble(text: string): boolean {
  const sample = new SampledRows();
  for (const cell of ["0.5", text]) sample.add([cell]);
  return sample.columns(["a"])[0]!.type === "double";
}

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAnswers } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  hive = await openAnswers();
});
afterAll(() => hive.close());

/** A decimal of up to `digits` digits, `scale` of them behind the point. */
const decimals = (digits: number, scale: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: digits }), fc.bigInt({ min: 0n, max: 10n ** 38n }), fc.boolean())
    .map(([length, value, isNegative]) => ({
      unscaled: (value % 10n ** BigInt(length)) * (isNegative ? -1n : 1n),
      scale,
    }));

const text = ({ unscaled, scale }: { readonly unscaled: bigint; readonly scale: number }) => {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
};

/** The text of a decimal as the end of a column, of which Hive knows no digits before it runs the statement. */
const fromColumn = (value: Parameters<typeof text>[0]) => `substr(concat(name, '${text(value)}'), 4)`;

const limit = 10n ** 38n;
const orNull = (unscaled: bigint, scale: number) =>
  unscaled >= limit || unscaled <= -limit ? "NULL" : text({ unscaled, scale });

test("* of long decimals: is exact, and NULL when it has more than 38 digits", async () => {
  await fc.assert(
    fc.asyncProperty(decimals(32, 4), decimals(16, 2), async (left, right) => {
      const columns = `select cast(${fromColumn(left)} as decimal(32,4)) a, cast(${fromColumn(right)} as decimal(16,2)) b from people limit 1`;
      const [row] = await hive.answer(`select a * b, b * a from (${columns}) t`);
      const product = orNull(left.unscaled * right.unscaled, 6);
      expect(row).toBe(`${product}|${product}`);
    }),
    { numRuns: 60 },
  );
});

test("+ and - of decimals with 38 digits: are exact, and NULL when they do not fit", async () => {
  await fc.assert(
    fc.asyncProperty(decimals(38, 6), decimals(38, 6), async (left, right) => {
      const columns = `select cast(${fromColumn(left)} as decimal(38,6)) a, cast(${fromColumn(right)} as decimal(38,6)) b from people limit 1`;
      const [row] = await hive.answer(`select a + b, a - b from (${columns}) t`);
      expect(row).toBe(`${orNull(left.unscaled + right.unscaled, 6)}|${orNull(left.unscaled - right.unscaled, 6)}`);
    }),
    { numRuns: 60 },
  );
});

test("* of long decimals: an error of an operand fails the query", async () => {
  const failing = "cast(100 div (id - id) as decimal(32,4))";
  await expect(hive.answer(`select ${failing} * cast(1.5 as decimal(16,2)) from people`)).rejects.toThrow(
    "div by zero",
  );
});

test("/ of decimals: is rounded half away from zero, and NULL for the divisor 0, in 128 bits and beyond", async () => {
  const absolute = (value: bigint) => (value < 0n ? -value : value);
  const quotient = (left: bigint, right: bigint, scale: number) => {
    const rounded = (2n * absolute(left) + absolute(right)) / (2n * absolute(right));
    return orNull(left < 0n === right < 0n ? rounded : -rounded, scale);
  };
  // The result types are decimal(26,12) and decimal(38,9).
  const cases = [
    { precision: 15, result: 12, digits: [decimals(15, 2), decimals(9, 1)] as const, divisor: "decimal(9,1)" },
    { precision: 30, result: 9, digits: [decimals(25, 2), decimals(16, 1)] as const, divisor: "decimal(16,1)" },
  ];
  for (const { precision, result, digits, divisor } of cases) {
    await fc.assert(
      fc.asyncProperty(...digits, async (left, right) => {
        const columns = `select cast(${fromColumn(left)} as decimal(${precision},2)) a, cast(${fromColumn(right)} as ${divisor}) b from people limit 1`;
        const [row] = await hive.answer(`select a / b from (${columns}) t`);
        const shifted = left.unscaled * 10n ** BigInt(result - 1);
        expect(row).toBe(right.unscaled === 0n ? "NULL" : quotient(shifted, right.unscaled, result));
      }),
      { numRuns: 60 },
    );
  }
});

test("* + and - of decimals that two values share: are exact in rows in which 64 bits overflow", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(decimals(15, 2), decimals(15, 2)), { minLength: 1, maxLength: 4 }),
      async (rows) => {
        const selects = rows.map(
          ([a, b]) =>
            `select cast(${fromColumn(a)} as decimal(15,2)) a, cast(${fromColumn(b)} as decimal(15,2)) b from people where id = 1`,
        );
        const answer = await hive.answer(
          `select a * b, a * b - b, a * b * (1 - b) from (${selects.join(" union all ")}) t`,
        );
        const expected = rows.map(([{ unscaled: a }, { unscaled: b }]) =>
          [orNull(a * b, 4), orNull(a * b - b * 100n, 4), orNull(a * b * (100n - b), 6)].join("|"),
        );
        expect(answer.toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: 50 },
  );
});

test("sum and avg of products of decimals: are exact, and NULL when they do not fit", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(decimals(15, 2), decimals(15, 2)), { minLength: 1, maxLength: 4 }),
      async (rows) => {
        const selects = rows.map(
          ([a, b]) =>
            `select cast(${fromColumn(a)} as decimal(15,2)) a, cast(${fromColumn(b)} as decimal(15,2)) b from people where id = 1`,
        );
        const [row] = await hive.answer(
          `select sum(a * b), sum(a * b - b), avg(a) from (${selects.join(" union all ")}) t`,
        );
        const sum = (terms: readonly bigint[]) => terms.reduce((total, term) => total + term, 0n);
        const products = rows.map(([a, b]) => a.unscaled * b.unscaled);
        const total = sum(rows.map(([a]) => a.unscaled));
        expect(row).toBe(
          [
            orNull(sum(products), 4),
            orNull(sum(products) - sum(rows.map(([, b]) => b.unscaled * 100n)), 4),
            text({ unscaled: average(total, BigInt(rows.length)), scale: 6 }),
          ].join("|"),
        );
      },
    ),
    { numRuns: 50 },
  );
});

/** Divides a number of hundredths as Hive does: to 15 digits after the point, and then to 6. */
function average(total: bigint, count: bigint): bigint {
  const rounded = (n: bigint, d: bigint) => (n < 0n ? -1n : 1n) * ((2n * (n < 0n ? -n : n) + d) / (2n * d));
  return rounded(rounded(total * 10n ** 13n, count), 10n ** 9n);
}

test("format_number of doubles: is the same with and without DuckDB's formatting", async () => {
  const numbers = fc.array(
    fc.oneof(
      fc.double(),
      fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 1000),
      fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 8),
    ),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(numbers, fc.integer({ min: 0, max: 9 }), async (values, places) => {
      const texts = values.map((value) => `'${value}'`).join(", ");
      const source = `(select cast(t.s as double) x from people lateral view explode(array(${texts})) t as s where id = 1) v`;
      // The number of decimals is no literal in the second column, which Java's digits decide alone.
      const answer = await hive.answer(
        `select format_number(x, ${places}), format_number(x, cast(x * 0 as int) + ${places}) from ${source} where abs(x) < 1e300`,
      );
      for (const row of answer) {
        const [quick, slow] = row.split("|");
        expect(quick).toBe(slow);
      }
    }),
    { numRuns: 40 },
  );
});

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
    { numRuns: 200 },
  );
});

test("+ and - of decimals with 38 digits: are exact, and NULL when they do not fit", async () => {
  await fc.assert(
    fc.asyncProperty(decimals(38, 6), decimals(38, 6), async (left, right) => {
      const columns = `select cast(${fromColumn(left)} as decimal(38,6)) a, cast(${fromColumn(right)} as decimal(38,6)) b from people limit 1`;
      const [row] = await hive.answer(`select a + b, a - b from (${columns}) t`);
      expect(row).toBe(`${orNull(left.unscaled + right.unscaled, 6)}|${orNull(left.unscaled - right.unscaled, 6)}`);
    }),
    { numRuns: 200 },
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
      { numRuns: 200 },
    );
  }
});

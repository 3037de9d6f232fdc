/** Integers near the limits of their types; the expected values are computed with BigInt. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { translate } from "../../../hiveql/index";
import { catalog, openAnswers } from "./answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const edges = [
  0n,
  1n,
  -1n,
  2n,
  3_037_000_499n,
  3_037_000_500n,
  -3_037_000_501n,
  4_611_686_018_427_387_904n,
  9_199_999_999_999_999_999n,
  -9_200_000_000_000_000_001n,
  2n ** 63n - 1n,
  1n - 2n ** 63n,
];
const operations = {
  "+": (left: bigint, right: bigint) => left + right,
  "-": (left: bigint, right: bigint) => left - right,
  "*": (left: bigint, right: bigint) => left * right,
} as const;

/** Returns a subquery with a column `n` of the limits of a type. */
const numbers = (type: string) => edges.map((edge) => `select cast(${edge} as ${type}) n`).join(" union all ");

describe("arithmetic: integers wrap around", () => {
  it.each([64, 32].flatMap((bits) => (["+", "-", "*"] as const).map((operator) => [bits, operator] as const)))(
    "%i bits: %s, twice",
    async (bits, operator) => {
      const type = bits === 64 ? "bigint" : "int";
      const statement = `select x.n, y.n, x.n ${operator} y.n, (x.n ${operator} y.n) ${operator} x.n
      from (${numbers(type)}) x cross join (${numbers(type)}) y`;
      const compute = (left: bigint, right: bigint) => BigInt.asIntN(bits, operations[operator](left, right));
      const rows = await hive.answer(statement);
      expect(rows).toHaveLength(edges.length ** 2);
      for (const row of rows) {
        const [left, right] = row.split("|").map(BigInt) as [bigint, bigint];
        const once = compute(left, right);
        expect(row).toBe([left, right, once, compute(once, left)].join("|"));
      }
    },
  );

  it.each((["+", "-", "*"] as const).flatMap((operator) => edges.map((edge) => [operator, edge] as const)))(
    "64 bits: %s with the literal %d on either side",
    async (operator, edge) => {
      const literal = edge < 0n ? `(${edge}L)` : `${edge}L`;
      const statement = `select n, n ${operator} ${literal}, ${literal} ${operator} n from (${numbers("bigint")}) x`;
      const compute = (left: bigint, right: bigint) => BigInt.asIntN(64, operations[operator](left, right));
      for (const row of await hive.answer(statement)) {
        const n = BigInt(row.split("|")[0]!);
        expect(row).toBe([n, compute(n, edge), compute(edge, n)].join("|"));
      }
    },
  );

  it("64 bits: several literals wrap around as after each operation", async () => {
    const literals = edges.filter((edge) => edge >= 0n);
    const step = fc.tuple(fc.constantFrom("+", "-", "*"), fc.constantFrom(...literals), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const chain = steps.reduce((sql, [operator, literal, isFirst]) => {
          return isFirst ? `(${literal}L ${operator} ${sql})` : `(${sql} ${operator} ${literal}L)`;
        }, "n");
        const expected = (n: bigint) =>
          steps.reduce((value, [operator, literal, isFirst]) => {
            const result = isFirst ? operations[operator](literal, value) : operations[operator](value, literal);
            return BigInt.asIntN(64, result);
          }, n);
        for (const row of await hive.answer(`select n, ${chain} from (${numbers("bigint")}) x`)) {
          const n = BigInt(row.split("|")[0]!);
          expect(row).toBe([n, expected(n)].join("|"));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("64 bits: operations with literals are one comparison", () => {
    const { textSql } = translate("select 5 - (n * 2 + 1) * 3 from visits", catalog);
    expect(textSql.match(/hive_\w+/g)).toEqual(["hive_linear_bigint"]);
  });

  it.each([
    [64, "bigint"],
    [32, "int"],
    [8, "tinyint"],
  ] as const)("%i bits: sums of many terms equal sums that wrap after each term", async (bits, type) => {
    const terms = Array.from({ length: 200 }, (_unused, index) => (index % 7 === 3 ? "- n" : "+ n")).join(" ");
    const rows = await hive.answer(`select n, 1Y ${terms} from (${numbers(type)}) x`);
    for (const row of rows) {
      const [n, sum] = row.split("|").map(BigInt) as [bigint, bigint];
      expect(sum).toBe(BigInt.asIntN(bits, 1n + n * 142n));
    }
    expect(rows).toHaveLength(edges.length);
  });

  it("NULL and constants", async () => {
    expect(await hive.answer("select 9223372036854775807 + 1, 2147483647 + 1, cast(null as bigint) * 2")).toEqual([
      "-9223372036854775808|-2147483648|NULL",
    ]);
  });

  it("long chains are taken", async () => {
    expect(await hive.answer(`select ${Array(60).fill("n").join(" + ")} from visits where n = 7`)).toEqual(["420"]);
  });
});

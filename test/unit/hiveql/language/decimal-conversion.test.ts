/** Conversions of decimals with many digits; the answers are those of Hive 4.0.1 with vectorized execution. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const decimals = (list: readonly string[], type: string) =>
  `cast(split('${list.join(",")}', ',')[id - 1] as decimal(${type}))`;
/** By id: `wide` has up to 21 digits before the decimal point, and `fine` up to 30 after it. */
const rows = `(select id,
  ${decimals(["1.5", "-3", "99999999999999999999.9999", "100000000000000000000", ""], "38,4")} as wide,
  ${decimals(["1.5", "-7.000000000000000001", "0.9999999999999999999", "0.0000000000000000005", ""], "38,30")} as fine
  from people) t`;

describe("conversion of decimals: keeps the digits that the other type holds", () => {
  test.each([
    ["cast(wide as double)", 3, "1.0E20"],
    ["wide + 0D", 2, "-3.0"],
    ["wide > 1D", 1, "true"],
    ["cast(wide as boolean)", 2, "true"],
    ["coalesce(wide, 1D)", 5, "1.0"],
    ["cast(wide as int)", 3, "NULL"],
    ["cast(wide as int)", 4, "NULL"],
    ["cast(fine as double)", 2, "-7.0"],
    ["cast(fine as double)", 3, "1.0"],
    ["cast(fine as boolean)", 3, "true"],
    ["sign(fine)", 4, "1"],
    ["cast(fine as int)", 2, "-7"],
    ["sinh(fine)", 1, "2.1292794550948173"],
    ["cast(wide as double)", 5, "NULL"],
  ])("%s of row %i is %s", async (expression, id, expected) => {
    expect(await answers.answer(`select ${expression} from ${rows} where id = ${id}`)).toEqual([expected]);
  });
});

describe("conversion of decimals: uses all digits", () => {
  test.each([
    ["cast(wide as double)", 4, "1.0E20"],
    ["wide * 2D", 4, "2.0E20"],
    ["sqrt(wide)", 4, "1.0E10"],
    ["sign(wide)", 4, "1"],
    ["case when id > 0 then wide else 1D end", 4, "1.0E20"],
    ["if(id > 0, wide, 1D)", 4, "1.0E20"],
    ["cast(fine as int)", 3, "0"],
    ["cast(fine as double)", 4, "5.0E-19"],
    ["pow(wide, 1)", 4, "1.0E20"],
    ["nvl(wide, 1D)", 4, "1.0E20"],
    ["greatest(wide, 1D)", 4, "1.0E20"],
    ["array(wide, 1D)", 4, "[1.0E20,1.0]"],
    ["greatest(fine, -1D)", 4, "5.0E-19"],
    ["var_pop(wide)", 4, "0.0"],
    ["var_pop(wide) over ()", 4, "0.0"],
    ["percentile_approx(fine, 0.5)", 4, "5.0E-19"],
  ])("%s of row %i is %s", async (expression, id, expected) => {
    expect(await answers.answer(`select ${expression} from ${rows} where id = ${id}`)).toEqual([expected]);
  });
});

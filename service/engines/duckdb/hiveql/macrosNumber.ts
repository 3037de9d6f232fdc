/** DuckDB macros that cut digits off floating point as Java's BigDecimal does: of the exact value. */

const define = (parameters: readonly string[], body: string) => ({ parameters, body });

export const numberMacros = {
  hive_short_decimal: define(
    ["x"],
    "CASE WHEN x = trunc(x) THEN CAST(CAST(trunc(x) AS HUGEINT) AS VARCHAR) ELSE regexp_replace(rtrim(CAST(x AS VARCHAR), '0'), '^(-?)[.]', '\\10.') END",
  ),
  hive_high_half: define(["x"], "(x * 134217729e0 - (x * 134217729e0 - x))"),
  // What the product n of x and p lost by rounding (Dekker).
  hive_product_loss: define(
    ["x", "p", "n"],
    `((hive_high_half(x) * hive_high_half(p) - n) + hive_high_half(x) * (p - hive_high_half(p)) + (x - hive_high_half(x)) * hive_high_half(p))
      + (x - hive_high_half(x)) * (p - hive_high_half(p))`,
  ),
  hive_trunc_product: define(
    ["x", "p"],
    `CASE WHEN trunc(x * p) = x * p AND hive_product_loss(x, p, x * p) * sign(x) < 0 THEN x * p - sign(x) ELSE trunc(x * p) END`,
  ),
  hive_trunc_right: define(
    ["x", "p"],
    `CASE WHEN abs(x) * p < 9007199254740992 THEN hive_trunc_product(x, p) / p + 0e0
      WHEN trunc(x) = x AND abs(x) * p < 9e18 THEN x
      WHEN x IS NOT NULL THEN error('trunc of ' || CAST(x AS VARCHAR) || ' is beyond 64 bits') END`,
  ),
  hive_trunc_left: define(
    ["x", "p"],
    `CASE WHEN abs(x) >= 9007199254740992 OR isnan(x) THEN error('trunc of ' || CAST(x AS VARCHAR) || ' is beyond 64 bits')
      WHEN abs(trunc(x / p) * p) > abs(x) THEN (trunc(x / p) - sign(x)) * p ELSE trunc(x / p) * p + 0e0 END`,
  ),
} as const;

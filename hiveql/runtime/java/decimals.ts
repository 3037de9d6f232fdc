/** Exact decimal arithmetic on text, rounded half up to a scale. */

/** Maximum precision of a decimal in Hive. */
export const maxPrecision = 38;

/** A number as an integer and the number of its digits after the decimal point. */
export interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

export const addDecimals = (left: string, right: string, scale: number) => combine(left, right, scale, (a, b) => a + b);
export const subtractDecimals = (left: string, right: string, scale: number) =>
  combine(left, right, scale, (a, b) => a - b);

/** Multiplies; NULL when the exact product without trailing zeros exceeds 38 digits, which Hive does not round. */
export function multiplyDecimals(left: string, right: string, scale: number): string | null {
  const [first, second] = [parse(left), parse(right)];
  const product = { digits: first.digits * second.digits, scale: first.scale + second.scale };
  while (product.scale > 0 && product.digits % 10n === 0n) {
    product.digits /= 10n;
    product.scale -= 1;
  }
  const precision = Math.max(absolute(product.digits).toString().length, product.scale);
  return precision > maxPrecision ? null : print(rescaled(product, scale), scale);
}

/** Divides; NULL when the divisor is zero. */
export function divideDecimals(left: string, right: string, scale: number): string | null {
  const [first, second] = [parse(left), parse(right)];
  if (second.digits === 0n) return null;
  const shift = scale + second.scale - first.scale;
  const numerator = shift >= 0 ? first.digits * 10n ** BigInt(shift) : first.digits;
  const denominator = shift >= 0 ? second.digits : second.digits * 10n ** BigInt(-shift);
  return print(roundedQuotient(numerator, denominator), scale);
}

/** Returns the remainder, with the sign of the dividend; NULL when the divisor is zero. */
export function remainderDecimals(left: string, right: string, scale: number): string | null {
  return parse(right).digits === 0n ? null : combine(left, right, scale, (a, b) => a % b);
}

/**
 * Writes a decimal without exponent; NULL when the text is no number, or when its exponent has three digits, as in Hive,
 * besides zeros before them.
 */
export function plainDecimal(text: string): string | null {
  const match = /^[\s]*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?)0*(\d{1,2}))?[\s]*$/.exec(text);
  const [, sign = "", whole = "", fraction = "", minus = "", exponent = "0"] = match ?? [];
  if (!match || whole + fraction === "") return null;
  const point = whole.length + Number(minus + exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point)}`;
}

/** Parses a decimal as DuckDB prints it. */
export function parse(text: string): Exact {
  const [whole = "0", fraction = ""] = text.split(".");
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function combine(left: string, right: string, scale: number, compute: (a: bigint, b: bigint) => bigint): string {
  const [first, second] = [parse(left), parse(right)];
  const common = Math.max(first.scale, second.scale);
  const digits = compute(rescaled(first, common), rescaled(second, common));
  return print(rescaled({ digits, scale: common }, scale), scale);
}

/** Returns the digits of a number rounded to a scale, half away from zero. */
export function rescaled({ digits, scale }: Exact, to: number): bigint {
  if (to >= scale) return digits * 10n ** BigInt(to - scale);
  return roundedQuotient(digits, 10n ** BigInt(scale - to));
}

/** Divides and rounds half away from zero. */
function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const [a, b] = [absolute(numerator), absolute(denominator)];
  const quotient = (2n * a + b) / (2n * b);
  return negative ? -quotient : quotient;
}

/** Returns a number without its sign. */
export const absolute = (value: bigint) => (value < 0n ? -value : value);

/** Prints digits with a decimal point before the last ones. */
export function print(digits: bigint, scale: number): string {
  const sign = digits < 0n ? "-" : "";
  const text = absolute(digits)
    .toString()
    .padStart(scale + 1, "0");
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

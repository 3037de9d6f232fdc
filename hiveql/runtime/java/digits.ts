/**
 * The digits that Java prints for doubles and floats. Before Java 19, and so in Hive 4, these are not always the
 * shortest unique digits: Java ignores the closer lower neighbour of powers of two, estimates which digits are certain,
 * and prints at least two digits in scientific notation.
 */

interface Binary {
  /** The significand with the leading one, without trailing zero bits. */
  readonly fraction: bigint;
  readonly fractionBits: number;
  /** The exponent of the leading one. */
  readonly exponent: number;
  /** The number of significant bits that the type holds for this value. */
  readonly significantBits: number;
}

const view = new DataView(new ArrayBuffer(8));
const bitsOf = (number: bigint) => number.toString(2).length;

/** Splits a positive double into its parts. */
function readDouble(value: number): Binary {
  view.setFloat64(0, value);
  return parts(view.getBigUint64(0), 52, 1023);
}

/** Splits a positive float into its parts. */
function readFloat(value: number): Binary {
  view.setFloat32(0, value);
  return parts(BigInt(view.getUint32(0)), 23, 127);
}

function parts(bits: bigint, width: number, bias: number): Binary {
  const stored = bits & ((1n << BigInt(width)) - 1n);
  const biased = Number(bits >> BigInt(width));
  const isNormal = biased > 0;
  const whole = isNormal ? stored | (1n << BigInt(width)) : stored;
  const significantBits = isNormal ? width + 1 : bitsOf(whole);
  const exponent = (isNormal ? biased : 1 - (width + 1 - significantBits)) - bias;
  const fraction = BigInt(`0b${whole.toString(2).replace(/0+$/, "")}`);
  return { fraction, fractionBits: bitsOf(fraction), exponent, significantBits };
}

/** Decimal digits after the decimal point, and a power of ten. */
export interface Digits {
  readonly digits: string;
  readonly exponent: number;
}

/** Returns the number of bits of 5ⁿ as Java computes it: three for each factor beyond the powers that a long holds. */
const bitsOf5 = (power: number) => (power === 0 ? 0 : power < 27 ? bitsOf(5n ** BigInt(power)) : power * 3);

const scaled = (by5: number, by2: number) => (5n ** BigInt(by5)) << BigInt(by2);

/** Returns the digits of a whole number, without digits beyond the precision of its type. */
function wholeDigits({ fraction, fractionBits, exponent, significantBits }: Binary): Digits {
  const whole = fraction << BigInt(exponent + 1 - fractionBits);
  const surplus = exponent - significantBits - 1;
  const omitted = surplus > 1 ? Math.floor(surplus * Math.log10(2)) : 0;
  const unit = 10n ** BigInt(omitted);
  const kept = (whole + unit / 2n) / unit;
  const all = kept.toString();
  return { digits: all.replace(/0+$/, ""), exponent: all.length + omitted };
}

/** Estimates the decimal exponent; the result can be one too large. */
function estimatedExponent({ fraction, fractionBits, exponent }: Binary): number {
  const leading = Number(fraction) / 2 ** (fractionBits - 1);
  return Math.floor((leading - 1.5) * 0.289_529_654 + 0.176_091_259 + exponent * 0.301_029_995_663_981);
}

/** Returns the number, the unit of its first digit, and half the gap between neighbours, scaled to integers. */
function fractionsOf(binary: Binary, decimalExponent: number) {
  const { fraction, fractionBits, exponent, significantBits } = binary;
  const pointBits = Math.max(0, fractionBits - exponent - 1);
  const [by5, unitBy5] = [Math.max(0, -decimalExponent), Math.max(0, decimalExponent)];
  let by2 = by5 + pointBits + exponent;
  let unitBy2 = unitBy5 + pointBits;
  let gapBy2 = by2 - significantBits;
  by2 -= fractionBits - 1;
  const common = Math.min(by2, unitBy2);
  by2 -= common;
  unitBy2 -= common;
  gapBy2 -= common;
  // The gap below a power of two is half of the gap above it.
  if (fractionBits === 1) gapBy2 -= 1;
  if (gapBy2 < 0) {
    by2 -= gapBy2;
    unitBy2 -= gapBy2;
    gapBy2 = 0;
  }
  const numberBits = fractionBits + by2 + bitsOf5(by5);
  const unitBits = unitBy2 + 1 + bitsOf5(unitBy5 + 1);
  const bits = Math.max(numberBits, unitBits);
  return {
    number: fraction * scaled(by5, by2),
    unit: scaled(unitBy5, unitBy2),
    gap: scaled(by5, gapBy2),
    /** The width of Java's int or long, which overflow; undefined for BigInteger. */
    width: bits < 32 ? 32 : bits < 64 ? 64 : undefined,
  };
}

function fractionDigits(binary: Binary): Digits {
  let exponent = estimatedExponent(binary);
  const { number, unit, gap: half, width } = fractionsOf(binary, exponent);
  const wrapped = (value: bigint) => (width === undefined ? value : BigInt.asIntN(width, value));
  const tens = unit * 10n;
  let [rest, gap] = [number, half];
  /** Produces the next digit. It can be the last if the rest is within the gap of it or of the next higher digit. */
  const next = () => {
    const digit = (rest / unit).toString();
    rest = 10n * (rest % unit);
    gap = wrapped(gap * 10n);
    if (width !== undefined && gap <= 0n) return { digit, isLow: true, isHigh: true };
    const sum = wrapped(rest + gap);
    return { digit, isLow: rest < gap, isHigh: sum > tens || (width === undefined && sum === tens) };
  };
  let last = next();
  let { digit: digits } = last;
  if (digits === "0" && !last.isHigh) {
    exponent -= 1;
    digits = "";
  }
  // Scientific notation needs at least two digits.
  const needsTwo = exponent < -3 || exponent >= 8;
  for (let isDone = !needsTwo && (last.isLow || last.isHigh); !isDone; isDone = last.isLow || last.isHigh) {
    last = next();
    digits += last.digit;
  }
  const over = 2n * rest - tens;
  const isOdd = Number(digits.at(-1)) % 2 === 1;
  const roundsUp = last.isHigh && (!last.isLow || over > 0n || (over === 0n && isOdd));
  return roundsUp ? roundedUp(digits, exponent + 1) : { digits, exponent: exponent + 1 };
}

function roundedUp(digits: string, exponent: number): Digits {
  const next = (BigInt(digits) + 1n).toString().padStart(digits.length, "0");
  return next.length > digits.length
    ? { digits: next.slice(0, -1), exponent: exponent + 1 }
    : { digits: next, exponent };
}

function digitsOf(binary: Binary): Digits {
  const isWhole = binary.fractionBits <= binary.exponent + 1 && binary.exponent <= 62;
  return isWhole ? wholeDigits(binary) : fractionDigits(binary);
}

/** Returns the digits of a finite non-negative double. */
export const javaDigits = (value: number): Digits =>
  value === 0 ? { digits: "0", exponent: 1 } : digitsOf(readDouble(value));

/** Returns Java's text of a number: scientific notation below 0.001 and from 10⁷. */
function text({ digits, exponent }: Digits): string {
  if (exponent > 0 && exponent < 8)
    return `${digits.slice(0, exponent).padEnd(exponent, "0")}.${digits.slice(exponent) || "0"}`;
  if (exponent <= 0 && exponent > -3) return `0.${"0".repeat(-exponent)}${digits}`;
  return `${digits[0]}.${digits.slice(1) || "0"}E${exponent - 1}`;
}

const printerOf = (read: (value: number) => Binary) => (value: number) => {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}Infinity`;
  return `${sign}${size === 0 ? "0.0" : text(digitsOf(read(size)))}`;
};

/** Prints a double as Java's Double.toString does. */
export const printDouble: (value: number) => string = printerOf(readDouble);

/** Prints a float as Java's Float.toString does. */
export const printFloat: (value: number) => string = printerOf(readFloat);

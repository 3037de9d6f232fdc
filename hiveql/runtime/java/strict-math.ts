/**
 * Mathematical functions with the exact results of Java's StrictMath; C libraries differ in the last digit.
 * V8's functions equal Java's except exp(1), cosh(1), pow and cbrt; pow and cbrt are implemented as in fdlibm, with its
 * constants.
 */

/** Functions of one number, by their names in Hive. */
export const javaMathFunctions: readonly (readonly [name: string, compute: (x: number) => number])[] = [
  ["exp", (x) => (x === 1 ? 2.718_281_828_459_045_5 : Math.exp(x))],
  ["ln", Math.log],
  ["log2", (x) => Math.log(x) / Math.log(2)],
  ["log10", Math.log10],
  ["sin", Math.sin],
  ["cos", Math.cos],
  ["tan", Math.tan],
  ["asin", Math.asin],
  ["acos", Math.acos],
  ["atan", Math.atan],
  ["sinh", Math.sinh],
  ["cosh", (x) => (Math.abs(x) === 1 ? 1.543_080_634_815_244 : Math.cosh(x))],
  ["tanh", Math.tanh],
  ["cbrt", cbrt],
];

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
// The order of the two halves of a double depends on the machine.
double[0] = 1;
const [upper, lower] = words[1] === 0 ? [0, 1] : [1, 0];

/** Returns the high word: the sign, the exponent and the first 20 bits of the fraction. */
function highOf(value: number): number {
  double[0] = value;
  return (words[upper] ?? 0) | 0;
}

/** Returns the double with a high word and an optional low word. */
function fromHigh(high: number, low = 0): number {
  words[upper] = high;
  words[lower] = low;
  return double[0] ?? 0;
}

/** Returns the low word: the last 32 bits of the fraction. */
function lowOf(value: number): number {
  double[0] = value;
  return words[lower] ?? 0;
}

/** Clears the last 32 bits of the fraction, so that products of two such values are nearly exact. */
const head = (value: number) => fromHigh(highOf(value));

/** Evaluates c[0] + x (c[1] + x (c[2] + …)). */
const polynomial = (x: number, coefficients: readonly number[]) =>
  coefficients.reduceRight((sum, coefficient) => coefficient + x * sum);

/** Computes the cube root: a third of the exponent, a rational approximation to 23 bits, and one Newton step. */
function cbrt(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const size = Math.abs(x);
  const isSubnormal = size < 2 ** -1022;
  const third = (high: number) => Math.trunc(high / 3);
  let root = isSubnormal
    ? fromHigh(third(highOf(size * 2 ** 54)) + 696_219_795)
    : fromHigh(third(highOf(size)) + 715_094_163);
  const ratio = (root * root) / size;
  const sum = 19 / 35 + ratio * root;
  root *= 5 / 14 + 45 / 28 / (sum + 99 / 70 + -864 / 1225 / sum);
  // Truncated to 20 bits and rounded up, the square of the root is exact.
  root = fromHigh(highOf(root) + 1);
  const error = size / (root * root);
  root += root * ((error - root) / (root + root + error));
  return x < 0 ? -root : root;
}

/** A number as a sum of two doubles: a head with few bits and the remaining tail. */
type Parts = readonly [head: number, tail: number];

const split = (first: number, second: number): Parts => {
  const whole = head(first + second);
  return [whole, second - (whole - first)];
};

/** Computes a power as Java's Math.pow does, also for NaN and infinities. */
export function pow(x: number, y: number): number {
  const size = Math.abs(x);
  // For these special values Math.pow returns the same as Java.
  if (!Number.isFinite(x) || !Number.isFinite(y) || x === 0 || y === 0 || size === 1) return Math.pow(x, y);
  if (x < 0 && !Number.isInteger(y)) return Number.NaN;
  if (y === 1) return x;
  if (y === 2) return x * x;
  if (y === -1) return 1 / x;
  if (y === 0.5) return Math.sqrt(x);
  const sign = x < 0 && Math.abs(y % 2) === 1 ? -1 : 1;
  const isHuge = Math.abs(y) > 2 ** 31;
  if (isHuge && !isNearOne(size, y)) return sign * (size > 1 === y > 0 ? Infinity : 0);
  const [logHead, logTail] = isHuge ? logNearOne(size) : logOf(size);
  const few = head(y);
  const tail = (y - few) * logHead + y * logTail;
  return sign * powerOfTwo(few * logHead, tail);
}

/** Returns true when a power with an exponent beyond 2^31 can be finite and not zero. */
function isNearOne(size: number, y: number): boolean {
  const high = highOf(size);
  return Math.abs(y) > 2 ** 64 ? false : high >= 0x3fef_ffff && high <= 0x3ff0_0000;
}

const inverseOfLn2 = {
  all: Math.LOG2E,
  head: 1.442_695_021_629_333_496_09,
  tail: 1.925_962_991_126_617_468_87e-8,
};

/** Computes the base-2 logarithm of a number that differs from 1 by less than 2^-20. */
function logNearOne(size: number): Parts {
  const t = size - 1;
  const w = t * t * (0.5 - t * (1 / 3 - t * 0.25));
  const large = inverseOfLn2.head * t;
  const small = t * inverseOfLn2.tail - w * inverseOfLn2.all;
  return split(large, small);
}

const logSeries = [
  5.999_999_999_999_946_487_25e-1, 4.285_714_285_785_501_842_52e-1, 3.333_333_298_183_774_329_18e-1,
  2.727_281_238_085_340_064_89e-1, 2.306_607_457_755_617_540_67e-1, 2.069_750_178_003_384_177_84e-1,
];
/** 2 / (3 ln 2). */
const factor = {
  all: 9.617_966_939_259_755_543_29e-1,
  head: 9.617_967_009_544_372_558_59e-1,
  tail: -7.028_461_650_952_758_265_16e-9,
};
/** The base-2 logarithm of 1.5. */
const logOf1_5 = { head: 5.849_624_872_207_641_601_56e-1, tail: 1.350_039_202_129_748_971_28e-8 };

/** Computes the base-2 logarithm of a positive number. */
function logOf(size: number): Parts {
  const isSubnormal = size < 2 ** -1022;
  const normal = isSubnormal ? size * 2 ** 53 : size;
  const high = highOf(normal);
  const fraction = high & 0xf_ffff;
  let exponent = (high >> 20) - 0x3ff - (isSubnormal ? 53 : 0);
  // The series is centred on 1 or 1.5, whichever is nearer on a square root scale.
  const isNear1_5 = fraction > 0x3_988e && fraction < 0xb_b67a;
  let top = fraction | 0x3ff0_0000;
  if (fraction >= 0xb_b67a) {
    exponent += 1;
    top -= 0x10_0000;
  }
  const value = fromHigh(top, lowOf(normal));
  const centre = isNear1_5 ? 1.5 : 1;
  const log = isNear1_5 ? logOf1_5 : { head: 0, tail: 0 };

  const difference = value - centre;
  const inverse = 1 / (value + centre);
  const ratio = difference * inverse;
  const ratioHead = head(ratio);
  const sumHead = fromHigh(((top >> 1) | 0x2000_0000) + 0x8_0000 + (isNear1_5 ? 0x4_0000 : 0));
  const sumTail = value - (sumHead - centre);
  const ratioTail = inverse * (difference - ratioHead * sumHead - ratioHead * sumTail);
  const square = ratio * ratio;
  const rest = square * square * polynomial(square, logSeries) + ratioTail * (ratioHead + ratio);
  const headSquare = ratioHead * ratioHead;
  const seriesHead = head(3 + headSquare + rest);
  const seriesTail = rest - (seriesHead - 3 - headSquare);
  const [termHead, termTail] = split(ratioHead * seriesHead, ratioTail * seriesHead + seriesTail * ratio);

  const scaledHead = factor.head * termHead;
  const scaledTail = factor.tail * termHead + termTail * factor.all + log.tail;
  const whole = head(scaledHead + scaledTail + log.head + exponent);
  return [whole, scaledTail - (whole - exponent - log.head - scaledHead)];
}

const ln2 = {
  all: Math.LN2,
  head: 6.931_471_824_645_996_093_75e-1,
  tail: -1.904_654_299_957_768_045_25e-9,
};
const expSeries = [
  1.666_666_666_666_660_190_37e-1, -2.777_777_777_701_559_338_42e-3, 6.613_756_321_437_934_361_17e-5,
  -1.653_390_220_546_525_153_9e-6, 4.138_136_797_057_238_460_39e-8,
];
/** The distance from 1024 to the exponent at which the result overflows. */
const overflow = 8.008_566_259_537_294e-17;

/** Computes 2 to the power of a sum of two numbers. */
function powerOfTwo(large: number, small: number): number {
  const exponent = large + small;
  if (exponent > 1024 || (exponent === 1024 && small + overflow > exponent - large)) return Infinity;
  if (exponent < -1075 || (exponent === -1075 && small <= exponent - large)) return 0;
  const nearest = Math.abs(exponent) > 0.5 ? Math.sign(exponent) * Math.floor(Math.abs(exponent) + 0.5) : 0;
  const rest = large - nearest;
  const sum = head(small + rest);
  const sumHead = sum * ln2.head;
  const sumTail = (small - (sum - rest)) * ln2.all + sum * ln2.tail;
  const z = sumHead + sumTail;
  const lost = sumTail - (z - sumHead);
  const square = z * z;
  const t = z - square * polynomial(square, expSeries);
  const value = 1 - ((z * t) / (t - 2) - (lost + z * lost) - z);
  // Two steps, because 2^1024 is no double; the second step rounds subnormal results.
  const half = Math.trunc(nearest / 2);
  return value * 2 ** half * 2 ** (nearest - half);
}

/**
 * Mathematical functions with the results of Java's StrictMath; C libraries differ in the last digit. V8's functions
 * equal Java's except exp(1) and cosh(1); the last digit of pow and cbrt can differ.
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
  ["cbrt", Math.cbrt],
];

/** Computes a power; as in Java, the squares, inverses and square roots are exact. */
export const pow = (x: number, y: number): number => (y === 2 ? x * x : y === 0.5 && x > 0 ? Math.sqrt(x) : x ** y);

/**
 * Logarithms, powers of e and angles with the last digits of Java's StrictMath, which Hive computes with. JavaScript's
 * engine computes them as it does, digit by digit; the libraries of C, which DuckDB calls, round other ones.
 */

/** Functions of a double by the names that SQL calls them by. */
export const javaMath: readonly (readonly [name: string, compute: (x: number) => number])[] = [
  // Of 1 JavaScript's engine gives e itself.
  ["hive_exp", (x) => (x === 1 ? 2.718_281_828_459_045_5 : Math.exp(x))],
  ["hive_ln", Math.log],
  ["hive_log2", (x) => Math.log(x) / Math.log(2)],
  ["hive_log10", Math.log10],
  ["hive_sin", Math.sin],
  ["hive_cos", Math.cos],
  ["hive_tan", Math.tan],
  ["hive_asin", Math.asin],
  ["hive_acos", Math.acos],
  ["hive_atan", Math.atan],
  ["hive_sinh", Math.sinh],
  ["hive_cosh", (x) => (Math.abs(x) === 1 ? 1.543_080_634_815_244 : Math.cosh(x))],
  ["hive_tanh", Math.tanh],
  // The last digit may be another one than Java's; the roots of cubes are exact in both.
  ["hive_cbrt", Math.cbrt],
];

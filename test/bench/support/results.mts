/** What benchmarks measure, in the form in which it is printed and stored. */
import { median } from "./pairs.mts";

/** The median of several rounds, with the least and the greatest. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** What one side of a comparison measured. */
interface Measured {
  readonly name: string;
  readonly value: Spread;
}

/** Another side of a comparison, with the ratios of our values to its values, round by round. */
interface Reference extends Measured {
  readonly ratio: Spread;
}

/** The goal of a measurement: of the ratio to a reference, or of our value. */
export interface Bar {
  readonly reference?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One comparison, or a value of ours without one. */
export interface Measurement {
  readonly title: string;
  /** Such as `GB/s`, `answers/s` or `ms`. */
  readonly unit: string;
  readonly ours: Measured;
  readonly references: readonly Reference[];
  readonly bars: readonly Bar[];
}

/** How values grow with a quantity. */
export interface Growth {
  /** Short name in kebab-case, for the file of the plot. */
  readonly name: string;
  readonly title: string;
  /** What grows, such as `GB of input`. */
  readonly quantity: string;
  readonly unit: string;
  readonly quantities: readonly number[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** The results of one benchmark. */
export interface BenchResult {
  readonly measurements: readonly Measurement[];
  readonly growths?: readonly Growth[];
}

/** Returns the median, least and greatest of values. */
function spreadOf(values: readonly number[]): Spread {
  return { median: rounded(median(values)), min: rounded(Math.min(...values)), max: rounded(Math.max(...values)) };
}

/** Compares the values of the first contestant with those of the others, round by round. */
export function compare(
  { title, unit, bars = [] }: { readonly title: string; readonly unit: string; readonly bars?: readonly Bar[] },
  values: Readonly<Record<string, readonly number[]>>,
): Measurement {
  const [[ourName, ours], ...others] = Object.entries(values) as [
    [string, readonly number[]],
    ...[string, readonly number[]][],
  ];
  const references = others.map(([name, own]) => ({
    name,
    value: spreadOf(own),
    ratio: spreadOf(ours.map((value, round) => value / own[round]!)),
  }));
  return { title, unit, ours: { name: ourName, value: spreadOf(ours) }, references, bars };
}

/** Returns true when a measurement reaches a bar. */
export function reaches({ ours, references }: Measurement, { reference, atLeast, atMost }: Bar): boolean {
  const value = reference === undefined ? ours.value : references.find(({ name }) => name === reference)!.ratio;
  return value.median >= (atLeast ?? Number.NEGATIVE_INFINITY) && value.median <= (atMost ?? Number.POSITIVE_INFINITY);
}

/** A ratio that has become worse. */
export interface Worse {
  readonly title: string;
  readonly reference: string;
  readonly before: number;
  readonly now: number;
}

/** Returns the ratios that are worse by more than a share than those of earlier measurements with the same titles. */
export function worseRatios(earlier: readonly Measurement[], now: readonly Measurement[], share: number): Worse[] {
  return now.flatMap((measurement) => {
    const { title, unit, references } = measurement;
    const known = earlier.find((each) => each.title === title);
    return references.flatMap(({ name, ratio }) => {
      const before = known?.references.find((each) => each.name === name)?.ratio.median;
      if (before === undefined) return [];
      const factor = isSpeed(unit) ? before / ratio.median : ratio.median / before;
      return factor > 1 + share ? [{ title, reference: name, before, now: ratio.median }] : [];
    });
  });
}

/** Returns true when more is better. */
function isSpeed(unit: string): boolean {
  return unit.endsWith("/s");
}

/** Prints a measurement with its ratios and bars. */
export function printMeasurement(measurement: Measurement): void {
  const { title, unit, ours, references, bars } = measurement;
  console.log(title);
  const width = Math.max(...[ours, ...references].map(({ name }) => name.length));
  console.log(`  ${ours.name.padEnd(width)}  ${spreadText(ours.value)} ${unit}`);
  for (const { name, value, ratio } of references) {
    console.log(`  ${name.padEnd(width)}  ${spreadText(value)} ${unit}  ratio ${spreadText(ratio)}`);
  }
  for (const bar of bars) console.log(`  ${barText(bar, unit)}: ${reaches(measurement, bar) ? "reached" : "MISSED"}`);
}

/** Prints how values grow. */
export function printGrowth({ title, quantity, unit, quantities, series }: Growth): void {
  console.log(`${title}, in ${unit}`);
  const line = (name: string, values: readonly (number | string)[]) =>
    console.log(`  ${name.padEnd(28)}${values.map((value) => String(value).padStart(10)).join("")}`);
  line(quantity, quantities);
  for (const { name, values } of series) line(name, values.map(rounded));
}

/** Returns a bar as text, such as `at least 1.2 × split -C`. */
export function barText({ reference, atLeast, atMost }: Bar, unit: string): string {
  const limit = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return reference === undefined ? `${limit} ${unit}` : `${limit} × ${reference}`;
}

/** Returns `median (min to max)`. */
export function spreadText({ median: middle, min, max }: Spread): string {
  return min === max ? format(middle) : `${format(middle)} (${format(min)} to ${format(max)})`;
}

/** Rounds to three significant digits, and large numbers to whole ones. */
function rounded(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}

function format(value: number): string {
  return value >= 1000 ? value.toLocaleString("en-US") : String(value);
}

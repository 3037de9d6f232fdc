/** Hive's histogram of a group: with more distinct values than bins, it merges the two closest bins again and again. */
import { type DuckDBListValue, listValue } from "@duckdb/node-api";

interface Histogram {
  /** The bins' centers, in ascending order. */
  readonly centers: readonly number[];
  /** The number of values in each bin. */
  readonly counts: readonly number[];
}

/** Estimates percentiles, which are greater than 0 and less than 1. */
export function histogramPercentiles(values: DuckDBListValue, bins: number, percentiles: DuckDBListValue) {
  const histogram = histogramOf(values.items as readonly number[], bins);
  return listValue((percentiles.items as readonly number[]).map((each) => percentileOf(histogram, each)));
}

function percentileOf({ centers, counts }: Histogram, percentile: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [bin, count] of counts.entries()) {
    const center = centers[bin] ?? 0;
    if ((below + count) / total < percentile) below += count;
    else if (bin === 0) return center;
    else {
      const previous = centers[bin - 1] ?? 0;
      return previous + ((percentile * total - below) * (center - previous)) / count;
    }
  }
  return -1;
}

function histogramOf(values: readonly number[], bins: number): Histogram {
  const centers: number[] = [];
  const counts: number[] = [];
  const random = new JavaRandom();
  for (const value of values) {
    const place = placeOf(centers, value);
    if (centers[place] === value) {
      counts[place] = (counts[place] ?? 0) + 1;
      continue;
    }
    centers.splice(place, 0, value);
    counts.splice(place, 0, 1);
    if (centers.length > bins) mergeClosest(centers, counts, random);
  }
  return { centers, counts };
}

/** Returns the index of the first center that is not less than a value. */
function placeOf(centers: readonly number[], value: number): number {
  let low = 0;
  for (let high = centers.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((centers[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Merges the two closest bins. Hive chooses between equally close ones by its random numbers. */
function mergeClosest(centers: number[], counts: number[], random: JavaRandom): void {
  let smallest = Infinity;
  let place = 0;
  let ties = 1;
  for (let index = 0; index + 1 < centers.length; index += 1) {
    const distance = (centers[index + 1] ?? 0) - (centers[index] ?? 0);
    if (distance < smallest) {
      smallest = distance;
      place = index;
      ties = 1;
    } else if (distance === smallest) {
      ties += 1;
      if (random.next() <= 1 / ties) place = index;
    }
  }
  const [left = 0, right = 0] = [counts[place], counts[place + 1]];
  const count = left + right;
  const center = (centers[place] ?? 0) * (left / count) + ((centers[place + 1] ?? 0) / count) * right;
  centers.splice(place, 2, center);
  counts.splice(place, 2, count);
}

/** The random doubles of java.util.Random with Hive's seed: a linear congruential generator of 48 bits. */
class JavaRandom {
  #state = (31_183n ^ 0x5deece66dn) & 0xffffffffffffn;

  next(): number {
    return (this.#bits(26) * 2 ** 27 + this.#bits(27)) / 2 ** 53;
  }

  #bits(count: number): number {
    this.#state = (this.#state * 0x5deece66dn + 0xbn) & 0xffffffffffffn;
    return Number(this.#state >> BigInt(48 - count));
  }
}

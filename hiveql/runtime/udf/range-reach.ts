/** Floating point numbers as places on a line of all of them, and how far a rounded distance reaches on it. */

const bits = new DataView(new ArrayBuffer(8));

/** Which number this is, counted from 0 on either side; the next greater number is the next place. */
export function rangeRank(value: number): bigint {
  bits.setFloat64(0, Math.abs(value));
  const place = bits.getBigInt64(0);
  return value < 0 ? -place : place;
}

function numberAt(place: bigint): number {
  bits.setBigInt64(0, place < 0n ? -place : place);
  const value = bits.getFloat64(0);
  return place < 0n ? -value : value;
}

/**
 * How many places below a number the last one lies whose distance, as doubles subtract, is at most `distance`.
 * @param isUpward whether it is sought above.
 */
export function rangeReach(value: number, distance: number, isUpward: boolean): bigint {
  const from = isUpward ? -value : value;
  const start = rangeRank(from);
  const isNear = (place: bigint) => from - numberAt(place) <= distance;
  let near = start;
  let far = rangeRank(-Infinity);
  // What is sought is most often next to the difference.
  let step = 1n;
  for (let place = rangeRank(from - distance); place > far && place <= start; step *= 2n) {
    if (isNear(place)) {
      near = place;
      place -= step;
    } else {
      far = place;
      if (near < start) break;
      place += step;
    }
  }
  while (near - far > 1n) {
    const middle = (near + far) / 2n;
    if (isNear(middle)) near = middle;
    else far = middle;
  }
  return start - near;
}

/** Ordinals of doubles, for RANGE frames whose distance is computed with rounding. */

const bits = new DataView(new ArrayBuffer(8));

/** Returns the ordinal of a double among all doubles; 0 for zero, and one more for the next larger double. */
export function doubleOrdinal(value: number): bigint {
  bits.setFloat64(0, Math.abs(value));
  const ordinal = bits.getBigInt64(0);
  return value < 0 ? -ordinal : ordinal;
}

/** Returns the double with an ordinal. */
function doubleAt(ordinal: bigint): number {
  bits.setBigInt64(0, ordinal < 0n ? -ordinal : ordinal);
  const value = bits.getFloat64(0);
  return ordinal < 0n ? -value : value;
}

/**
 * Returns the number of ordinals between a number and the lowest number at a rounded distance of at most `distance`.
 * @param isUpward true to search for the highest number above instead.
 */
export function ordinalsWithinDistance(value: number, distance: number, isUpward: boolean): bigint {
  const from = isUpward ? -value : value;
  const start = doubleOrdinal(from);
  const isNear = (ordinal: bigint) => from - doubleAt(ordinal) <= distance;
  let near = start;
  let far = doubleOrdinal(-Infinity);
  // The result is usually next to the exact difference.
  let step = 1n;
  for (let ordinal = doubleOrdinal(from - distance); ordinal > far && ordinal <= start; step *= 2n) {
    if (isNear(ordinal)) {
      near = ordinal;
      ordinal -= step;
    } else {
      far = ordinal;
      if (near < start) break;
      ordinal += step;
    }
  }
  while (near - far > 1n) {
    const middle = (near + far) / 2n;
    if (isNear(middle)) near = middle;
    else far = middle;
  }
  return start - near;
}

/** Numbers within texts. */

/** A number with its noun, such as `1 object` and `1,000 objects`. */
export const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Such as `101–200`. */
export const range = (from: number, count: number) =>
  `${(from + 1).toLocaleString("en")}–${(from + count).toLocaleString("en")}`;

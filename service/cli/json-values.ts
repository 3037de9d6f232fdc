/** Cells of a result as JSON values of their column's type. */

const integers = /^(?:tinyint|smallint|int|integer|bigint)$/;
const numbers = /^(?:float|double|double precision|decimal\b.*|numeric\b.*)$/;
const complex = /^(?:array|map|struct|uniontype)</;
/** A text that JSON takes as a number, digit by digit. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns the JSON text of a cell: numbers with all their digits, booleans and nested values as such, all else as a text.
 * NaN and Infinity, which JSON does not have, are texts.
 * @param type the column's type in HiveQL; undefined when it is not known
 */
export function jsonOf(cell: string | null, type: string | undefined): string {
  if (cell === null) return "null";
  const name = type?.toLowerCase() ?? "string";
  if (name === "boolean" && (cell === "true" || cell === "false")) return cell;
  if ((integers.test(name) || numbers.test(name)) && jsonNumber.test(cell)) return cell;
  if (complex.test(name) && isJson(cell)) return cell;
  return JSON.stringify(cell);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** format_number: a number as text, with decimals or by a pattern of Java's DecimalFormat, which must be a literal. */
import { macro, type Part, sql } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { literal } from "../../tree/typed";
import { isApproximate, isNumber, quoteLiteral, typeName, types } from "../../tree/types";
import { type CallSite, scalar } from "../define";

export const formatNumber = scalar("format_number", {
  signature: "format_number(number x, int decimals or string pattern)",
  doc: "rounds half to even, as Java's DecimalFormat does; patterns such as `#,##0.00` and `$0.##`",
  takes: ["primitive", "any"],
  returns: types.string,
  emit: ([x, format], call) => {
    if (!isNumber(x.type) || x.type.kind === "tinyint")
      throw call.invalid(`expects a number other than tinyint, got ${typeName(x.type)}: cast it to int`);
    if (format.type.kind === "int") return formatted(x, format);
    if (typeof format.constant !== "string")
      throw call.invalid(`expects an int or a string literal as argument 2, got ${typeName(format.type)}`);
    return patterned(x, format.constant, call);
  },
});

/** Formats a number with commas and a number of decimals. */
function formatted(x: Typed, decimals: Typed): Part {
  const { constant } = decimals;
  const isShort = typeof constant === "number" && constant >= 0 && constant <= 9;
  if (isApproximate(x.type) && isShort)
    return macro(
      "hive_format_number",
      sql`CAST(${x} AS DOUBLE)`,
      String(constant),
      `1e${constant}`,
      `'{:,.${constant}f}'`,
    );
  const places = sql`CASE WHEN ${decimals} < 0 THEN error('HiveQL: format_number with a negative number of decimals: write round(number, decimals)') ELSE ${decimals} END`;
  return isApproximate(x.type)
    ? sql`hive_format_double(CAST(${x} AS DOUBLE), ${places})`
    : sql`hive_format_decimal(CAST(${x} AS VARCHAR), ${places})`;
}

/** A pattern of Java's DecimalFormat: text, digits, one zero before the point, zeros and digits behind it, text. */
const decimalFormat = /^([^#0,.%‰;'\\¤-]*)((?:#*,(?=#{3}|##0))?#*)(0?)(?:\.(?=[0#])(0*)(#*))?((?!E)[^#0,.%‰;'\\¤-]*)$/;

/** Formats a number by a pattern. */
function patterned(x: Typed, pattern: string, call: CallSite): Part {
  const [, prefix = "", whole = "", zero = "", zeros = "", digits = "", suffix = ""] =
    decimalFormat.exec(pattern) ?? [];
  if (whole + zero === "") throw call.refused(`has the pattern ${pattern}: write one such as '#,##0.00'`);
  const places = zeros.length + digits.length;
  const changes = [
    whole.includes(",") ? [] : [",", ""],
    digits === "" ? [] : zeros === "" ? ["[.]?0+$", ""] : [`([.]\\d{${zeros.length}}\\d*?)0+$`, "\\1"],
    zero === "" && zeros !== "" ? ["^(-?)0[.]", "\\1."] : [],
    prefix === "" ? [] : ["^(-?)([0-9.∞])", `\\1${prefix}\\2`],
    suffix === "" ? [] : ["([0-9∞])$", `\\1${suffix}`],
  ].filter((change) => change.length > 0);
  return changes.reduce<Part>(
    (text, [from = "", to = ""]) => sql`regexp_replace(${text}, ${quoteLiteral(from)}, ${quoteLiteral(to)}, 'g')`,
    formatted(x, literal(String(places), types.int, places)),
  );
}

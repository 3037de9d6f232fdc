/** CAST of a CAST to text. */
import { unsupported } from "../syntax";
import { positionOf, readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import type { Pass } from "../tree/rewrite";
import { plain } from "../tree/typed";
import { type HiveType, isApproximate, isInteger, isNumber, numberRank, typeName } from "../tree/types";
import { definitionOf, type Definitions } from "../tree/walk";
import { exceedsConversionDigits } from "../quirks/decimal-conversion";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "text-casts",
  hive: "4.0.1",
  title: "CAST of a CAST to text",
  why: "The optimizer of Hive 4.0.1 may remove the inner cast of a number or char.",
  example:
    "`cast(cast(x AS string) AS double)` of the float 1.4 answers 1.399999976158142, as `cast(x AS double)` does.",
  refuses: "The translation refuses such a cast when the text and the value give different results.",
};

/** Returns the pass that refuses a CAST, or the operand of an operator, whose text Hive does not read. */
export const textCasts = (definitions: () => Definitions): Pass => ({
  before: (value) => {
    const { node } = value;
    if (node.kind !== "cast" || node.by === undefined) return value;
    const [text] = node.operands;
    const source = sourceOf(text, definitions);
    if (source && changesValue(source, node.to))
      throw unsupported(
        positionOf(value),
        `cast of ${typeName(text.type)} to ${typeName(node.to)}`,
        `reads a text that CAST makes of ${typeName(source)}, and Hive's optimizer removes that CAST: write one CAST`,
      );
    return value;
  },
});

/** Returns the type that a CAST to text reads, if Hive does not fold it. */
function sourceOf(given: Typed, definitions: () => Definitions): HiveType | undefined {
  const { node } = plain(given);
  if (node.kind === "column") {
    const { value, select } = definitionOf(node, definitions()) ?? {};
    const isPassed = value && node.of !== "groups" && !select?.isDistinct && !select?.limit;
    return isPassed ? sourceOf(value, definitions) : undefined;
  }
  if (node.kind !== "cast" || node.by === undefined) return undefined;
  const [value] = node.operands;
  const isSource = value.type.kind === "char" || (isNumber(value.type) && readsColumns(value));
  if (node.to.kind !== "string" && node.to.kind !== "varchar") return undefined;
  return sourceOf(value, definitions) ?? (isSource ? value.type : undefined);
}

/** Returns true when a cast of the text can give another result than a cast of the value. */
function changesValue(from: HiveType, to: HiveType): boolean {
  if (from.kind === "char") return to.kind === "binary";
  if (to.kind === "boolean") return true;
  if (isInteger(from)) return isInteger(to) && numberRank(to) < numberRank(from);
  if (from.kind === "decimal") return exceedsConversionDigits(from) && isNumber(to);
  return isApproximate(from) && isNumber(to);
}

/** IS NULL and COALESCE of arithmetic. */
import { unsupported } from "../syntax";
import { childrenOf } from "../tree/children";
import { positionOf } from "../tree/facts";
import { isTyped } from "../tree/fragment";
import type { Typed } from "../tree/nodes";
import type { Pass } from "../tree/rewrite";
import { nullTest, operation, plain } from "../tree/typed";
import { isInterval, isNumber, maxPrecision, sameType, types } from "../tree/types";
import { definitionOf, type Definitions } from "../tree/walk";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "null-tests",
  hive: "4.0.1",
  title: "IS NULL and COALESCE of arithmetic",
  why: "The optimizer of Hive 4.0.1 replaces `IS NULL` of arithmetic and comparisons by `IS NULL` of the operands. It therefore misses the NULL of a division by zero and of a decimal that does not fit.",
  example: "`x / 0 IS NULL` answers false, and `coalesce(x / 0, -1)` answers NULL.",
  rewrites:
    "The translation tests the operands too, and refuses tests whose answer depends on how Hive merges queries.",
};

/**
 * Returns the pass that tests the operands of arithmetic for NULL.
 * @throws HiveQLError when Hive's answer depends on how its optimizer merges queries and branches.
 */
export const nullTests = (definitions: () => Definitions): Pass => {
  const test = new NullTest(definitions);
  return {
    before: (value) => {
      const { node } = value;
      if (node.kind === "is null") return { ...value, node: test.of(node.operands[0], value).node };
      return node.kind === "coalesce" ? test.firstKnown(value, node.operands) : value;
    },
  };
};

/** Tests values for NULL as Hive does. A value introduces NULL when it may be NULL though no value in it is. */
class NullTest {
  constructor(private readonly definitions: () => Definitions) {}

  /** Returns IS NULL of a value. @param place the value that the statement tests. */
  of(value: Typed, place: Typed): Typed {
    if (!this.introducesNull(value)) return nullTest(value);
    const operands = testedOperands(value);
    if (!operands)
      throw unsupported(
        positionOf(place),
        "IS NULL",
        "tests a division, or a decimal that may not fit, inside CASE or a subquery, and its answer depends on how Hive merges them: test the operands instead, as in divisor = 0, or use nvl",
      );
    return operation({ kind: "or", operands: operands.map((operand) => this.of(operand, place)) }, types.boolean);
  }

  /** Returns COALESCE as a CASE with Hive's tests, when a value introduces NULL. */
  firstKnown(value: Typed, operands: readonly Typed[]): Typed {
    const [last] = operands.slice(-1);
    if (operands.length === 1 || !last || !operands.some((each) => this.introducesNull(unconverted(each))))
      return value;
    const branches = operands.slice(0, -1).flatMap((each) => {
      const isKnown = operation({ kind: "not", operands: [this.of(unconverted(each), value)] }, types.boolean);
      return [isKnown, each];
    });
    return { ...value, node: { kind: "case", operands: [...branches, last] } };
  }

  private introducesNull(given: Typed): boolean {
    const value = plain(given);
    const { node, type } = value;
    switch (node.kind) {
      case "arithmetic":
      case "negative":
      case "comparison":
      case "not":
        if (node.kind === "arithmetic" && node.operator === "/") return true;
        if (node.kind === "arithmetic" && type.kind === "decimal" && type.precision === maxPrecision)
          return testedOperands(value) !== undefined;
        return testedOperands(value)?.some((each) => this.introducesNull(each)) ?? false;
      case "cast":
        return value.isFolded === true && node.by === undefined && this.introducesNull(node.operands[0]);
      case "case":
        return node.operands.some(
          (each, index) =>
            (index % 2 === 1 || index === node.operands.length - 1) && this.introducesNull(unconverted(each)),
        );
      case "coalesce":
        return node.operands.some((each) => this.introducesNull(unconverted(each)));
      case "call":
        return (
          node.function.isNullTestedByArguments === true &&
          childrenOf(node.sql).some((each) => isTyped(each) && this.introducesNull(unconverted(each)))
        );
      case "column": {
        const found = definitionOf(node, this.definitions());
        const { select } = found ?? {};
        const isMerged = !select || !(select.groups || select.isDistinct || select.limit);
        return found !== undefined && isMerged && this.introducesNull(found.value);
      }
      default:
        return false;
    }
  }
}

/** Returns the operands that Hive tests in place of a value; undefined when it tests the value. */
function testedOperands(given: Typed): readonly Typed[] | undefined {
  const { node, type, isFolded } = plain(given);
  switch (node.kind) {
    case "cast":
      return isFolded && node.by === undefined ? testedOperands(node.operands[0]) : undefined;
    case "arithmetic":
      return ["+", "-", "*", "/"].includes(node.operator) && !isInterval(type) ? node.operands : undefined;
    case "negative":
      return isInterval(type) ? undefined : node.operands;
    case "not":
      return node.operands;
    case "comparison": {
      const [left, right] = node.operands;
      const isSpecial =
        node.operator === "<=>" || node.operator === "is distinct from" || !sameType(left.type, right.type);
      return isSpecial ? undefined : node.operands.map(numberBefore);
    }
    default:
      return undefined;
  }
}

/** Returns the operand of a comparison. Hive's optimizer looks through the CAST of a number. */
function numberBefore(operand: Typed): Typed {
  const { node } = plain(operand);
  return node.kind === "cast" && node.by === "operator" && isNumber(node.operands[0].type) ? node.operands[0] : operand;
}

/** Returns a value without the conversion to the common type of CASE and COALESCE. */
function unconverted(value: Typed): Typed {
  const { node } = plain(value);
  return node.kind === "cast" && node.by === undefined && !value.isFolded ? node.operands[0] : value;
}

/** Reads chains of binary operators: arithmetic, bits and `||`. */
import { unsupported } from "./errors";
import * as grammar from "./grammar";
import { childrenOf } from "./parse";
import { positionOf } from "./positions";
import { readAtom } from "./read-atom";
import type { BinaryOperator, Expression } from "./ast";

/** Maximum number of operands in a chain such as `a + b + …`. AND and OR have no such limit. */
const maxChainLength = 400;

/** Reads the operators that bind tighter than comparisons. */
export const readBitwiseOr = (context: grammar.PrecedenceBitwiseOrExpressionContext) => {
  const only = soleAtom(context);
  return only ? readAtom(only) : chain(context, levelOf(readAmpersand));
};
const readAmpersand = (context: grammar.PrecedenceAmpersandExpressionContext) =>
  chain(context, levelOf(readConcatenate));
const readConcatenate = (context: grammar.PrecedenceConcatenateExpressionContext) => chain(context, levelOf(readPlus));
const readPlus = (context: grammar.PrecedencePlusExpressionContext) => chain(context, levelOf(readStar));
const readStar = (context: grammar.PrecedenceStarExpressionContext) => chain(context, levelOf(readXor));
const readXor = (context: grammar.PrecedenceBitwiseXorExpressionContext) => chain(context, levelOf(readAtom));

/** Returns a reader for {@link chain} that reads rules as operands of the next level and tokens as operators. */
function levelOf<Context extends grammar.ParserRuleContext>(read: (context: Context) => Expression) {
  return (child: unknown): Expression | BinaryOperator =>
    child instanceof grammar.TerminalNode ? (child.getText().toLowerCase() as BinaryOperator) : read(child as Context);
}

/** Reads `operand (operator operand)*` as a left-associative chain. */
export function chain(
  context: grammar.ParserRuleContext,
  read: (child: unknown) => Expression | BinaryOperator,
): Expression {
  const children = childrenOf(context);
  if (children.length > 2 * maxChainLength) {
    throw unsupported(positionOf(context), "expression", `has more than ${maxChainLength} operands in a row`);
  }
  let left = read(children[0]) as Expression;
  for (let index = 1; index + 1 < children.length; index += 2) {
    const operator = read(children[index]) as BinaryOperator;
    left = {
      kind: "binary",
      position: left.position,
      operator,
      left,
      right: read(children[index + 1]) as Expression,
    };
  }
  return left;
}

/**
 * Returns the atom of an expression without operators, so that the levels of precedence are skipped; else undefined.
 */
export function soleAtom(
  context: grammar.ParserRuleContext,
): grammar.PrecedenceUnaryPrefixExpressionContext | undefined {
  let found = context;
  while (!(found instanceof grammar.PrecedenceUnaryPrefixExpressionContext)) {
    const [child, second] = childrenOf(found);
    if (second || !(child instanceof grammar.ParserRuleContext)) return undefined;
    found = child;
  }
  return found;
}

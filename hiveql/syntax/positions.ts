/** Positions of rules and tokens in the text of a statement. */
import type { Position } from "./errors";
import { type ParserRuleContext, type Token } from "./grammar";

/** Returns the start position of a grammar rule. */
export function positionOf(context: ParserRuleContext): Position {
  return tokenPosition(context.start);
}

/** Returns the position of a token. */
export function tokenPosition(token: Token | null): Position {
  return token ? { line: token.line, column: token.column + 1 } : { line: 1, column: 1 };
}

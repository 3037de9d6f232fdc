/** Reads the {@link Query} of a parsed statement. */
import { HiveQLError, submitSelectAlone } from "./errors";
import { ParserRuleContext, QueryStatementExpressionContext, SelectStatementContext } from "./grammar";
import { childrenOf, type ParsedStatement } from "./parse";
import { positionOf } from "./positions";
import { readQuery } from "./read-query";
import type { Query } from "./ast";

/**
 * Reads the query of a statement.
 * @throws HiveQLError of problem `semantic` when the statement is not one SELECT, `unsupported` when it uses a
 *   construct that the syntax tree cannot represent.
 */
export function readStatement(parsed: ParsedStatement): Query {
  return { ...readQuery(singleQuery(parsed)), settings: parsed.settings };
}

/** Returns the parse tree of the query; throws like {@link readStatement}. */
export function singleQuery({ tree }: ParsedStatement): QueryStatementExpressionContext {
  const [statement, second] = tree.statement();
  if (!statement) throw new HiveQLError({ line: 1, column: 1 }, "syntax", "statement", "is empty");
  if (second) {
    if (!statement.execStatement()?.queryStatementExpression()) throw misplaced(statement);
    throw new HiveQLError(
      positionOf(second),
      "semantic",
      "second statement",
      "is not allowed: a query is one SELECT statement, so submit each statement separately",
    );
  }
  const query = statement.execStatement()?.queryStatementExpression();
  if (!query) {
    const word = statement.start?.text?.toUpperCase() ?? "statement";
    throw new HiveQLError(
      positionOf(statement),
      "semantic",
      word,
      containsSelect(statement) ? submitSelectAlone : "is not supported: only SELECT statements can be submitted",
    );
  }
  return query;
}

/** Returns the error for a statement before the SELECT, such as USE or CREATE TEMPORARY FUNCTION. */
function misplaced(statement: ParserRuleContext): HiveQLError {
  const word = statement.start?.text?.toUpperCase() ?? "statement";
  const remedy =
    word === "USE"
      ? "write the database before each table, as in db.table, and leave USE out"
      : "leave it out, or submit the SELECT alone";
  return new HiveQLError(
    positionOf(statement),
    "semantic",
    word,
    `stands before another statement, and only SET name=value; can stand before a SELECT: ${remedy}`,
  );
}

/** Returns true for a statement that has a SELECT in it, such as CREATE TABLE … AS SELECT. */
const containsSelect = (context: ParserRuleContext): boolean =>
  childrenOf(context).some(
    (child) => child instanceof SelectStatementContext || (child instanceof ParserRuleContext && containsSelect(child)),
  );

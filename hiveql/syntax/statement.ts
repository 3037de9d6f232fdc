/** One submitted statement → its {@link Query}. */
import { HiveQLError } from "./errors";
import type { QueryStatementExpressionContext } from "./grammar";
import { type ParsedStatement, positionOf } from "./parse";
import { readQuery } from "./read-query";
import type { Query } from "./syntax";

/**
 * The one query that a statement is.
 * @throws HiveQLError of problem `semantic` where it is another statement than a SELECT or more than one, `unsupported`
 * where it uses a construct that the syntax has no place for.
 */
export function readStatement(parsed: ParsedStatement): Query {
  return readQuery(singleQuery(parsed));
}

/** The one query's parse tree; throws as {@link readStatement}. */
export function singleQuery({ tree }: ParsedStatement): QueryStatementExpressionContext {
  const [statement, second] = tree.statement();
  if (!statement) throw new HiveQLError({ line: 1, column: 1 }, "syntax", "statement", "is empty");
  if (second) {
    throw new HiveQLError(
      positionOf(second),
      "semantic",
      "second statement",
      "a query is one SELECT; submit the others by themselves",
    );
  }
  const query = statement.execStatement()?.queryStatementExpression();
  if (!query) {
    const word = statement.start?.text?.toUpperCase() ?? "statement";
    throw new HiveQLError(positionOf(statement), "semantic", word, "only SELECT is taken");
  }
  return query;
}

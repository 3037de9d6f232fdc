/** Finds the tables that a statement reads, from its syntax alone. */
import * as grammar from "./grammar";
import { identifierName } from "./unquote";
import { type Position, semantic, submitSelectAlone } from "./errors";
import { childrenOf, type ParsedStatement } from "./parse";
import { positionOf } from "./positions";
import { singleQuery } from "./read-statement";

/** A table that a statement names. */
export interface TableReference {
  /** `default` when the statement names no database. */
  readonly database: string;
  readonly table: string;
  /** Position of the first reference. */
  readonly position: Position;
}

/**
 * Returns the tables that a statement reads, each once, in order of first reference, without the names of its WITH.
 * @throws HiveQLError when the statement is not one SELECT.
 */
export function tablesRead(parsed: ParsedStatement): TableReference[] {
  const found = new Map<string, TableReference>();
  visit(singleQuery(parsed), new Set(), found);
  return [...found.values()];
}

function visit(node: grammar.ParserRuleContext, common: ReadonlySet<string>, found: Map<string, TableReference>) {
  if (node instanceof grammar.InsertClauseContext) throw semantic(positionOf(node), "INSERT", submitSelectAlone);
  if (node instanceof grammar.QueryStatementExpressionContext) {
    const names =
      node
        .withClause()
        ?.cteStatement()
        .map((table) => identifierName(table.id_().getText())) ?? [];
    visitChildren(node, names.length > 0 ? new Set([...common, ...names]) : common, found);
  } else if (node instanceof grammar.TableSourceContext || node instanceof grammar.UniqueJoinSourceContext) {
    addTable(node.tableOrView(), common, found);
    visitChildren(node, common, found);
  } else visitChildren(node, common, found);
}

function visitChildren(
  node: grammar.ParserRuleContext,
  common: ReadonlySet<string>,
  found: Map<string, TableReference>,
) {
  for (const child of childrenOf(node)) if (child instanceof grammar.ParserRuleContext) visit(child, common, found);
}

function addTable(
  context: grammar.TableOrViewContext,
  common: ReadonlySet<string>,
  found: Map<string, TableReference>,
) {
  const ids: string[] = [];
  collectIds(context, ids);
  const [table = "", database] = ids.toReversed();
  if (database === undefined && common.has(table)) return;
  const key = `${database ?? "default"}.${table}`;
  if (!found.has(key)) found.set(key, { database: database ?? "default", table, position: positionOf(context) });
}

function collectIds(node: grammar.ParserRuleContext, ids: string[]) {
  for (const child of childrenOf(node)) {
    if (child instanceof grammar.Id_Context) ids.push(identifierName(child.getText()));
    else if (child instanceof grammar.ParserRuleContext) collectIds(child, ids);
  }
}

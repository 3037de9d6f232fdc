/** Parse tree → {@link Query}: WITH, set operators, SELECT and its clauses. */
import { type Position, semantic, submitSelectAlone, unsupported } from "./errors";
import * as grammar from "./grammar";
import { positionOf } from "./positions";
import { nameOf, readColumnPath, readExpression, readExpressions } from "./read-expression";
import { readGroupBy } from "./read-grouping";
import { readOrderItems, readWindow } from "./read-window";
import { readFrom, readLateral } from "./read-relation";
import type {
  CommonTable,
  Expression,
  Ordering,
  Query,
  QueryBody,
  QueryTerm,
  Relation,
  Select,
  SelectItem,
  SetOperator,
  Values,
} from "./ast";

/** Reads a query with its WITH clause. */
export function readQuery(context: grammar.QueryStatementExpressionContext): Query {
  const withClause = context.withClause();
  const body = context.queryStatementExpressionBody();
  const from = body.fromStatement();
  const regular = body.regularBody();
  return {
    position: positionOf(context),
    with: withClause ? withClause.cteStatement().map(readCommonTable) : [],
    body: from ? readFromStatement(from) : readRegularBody(regular, positionOf(context)),
  };
}

/** Reads a query body without WITH. */
export function readQueryBody(context: grammar.SelectStatementContext): QueryBody {
  const set = context.setOpSelectStatement();
  return {
    position: positionOf(context),
    first: readTerm(context.atomSelectStatement()),
    rest: (set?.atomSelectStatement() ?? []).map((term, index) => ({
      operator: readSetOperator(set?.setOperator(index) ?? null),
      position: positionOf(term),
      term: readTerm(term),
    })),
    ...readOrdering(context),
  };
}

/** Reads VALUES and its rows. */
export function readValues(context: grammar.ValuesClauseContext): Values {
  const named = context.firstExpressionsWithAlias();
  const rows = context.expressionsInParenthesis().map((row) => readExpressions(row.expressionsNotInParenthesis()));
  if (!named) return { kind: "values", position: positionOf(context), rows };
  if (named.KW_AS().length > 0 || named.id_().length > 0) {
    throw unsupported(positionOf(named), "VALUES with column names in its first row");
  }
  return {
    kind: "values",
    position: positionOf(context),
    rows: [named.expression().map(readExpression), ...rows],
  };
}

function readCommonTable(context: grammar.CteStatementContext): CommonTable {
  const columns = context.columnNameList();
  return {
    position: positionOf(context),
    name: nameOf(context.id_()),
    ...(columns
      ? {
          columns: columns
            .getText()
            .split(",")
            .map((text) => text.replaceAll("`", "").toLowerCase()),
        }
      : {}),
    query: readQuery(context.queryStatementExpression()),
  };
}

function readRegularBody(context: grammar.RegularBodyContext | null, position: Position): QueryBody {
  if (context instanceof grammar.SelectStmtContext) return readQueryBody(context.selectStatement());
  throw semantic(position, "INSERT", submitSelectAlone);
}

function readFromStatement(context: grammar.FromStatementContext): QueryBody {
  const [first, ...rest] = context.singleFromStatement().map((statement) => readSingleFrom(statement));
  if (!first) throw unsupported(positionOf(context), "FROM statement");
  if (rest.length === 0) return first;
  return {
    position: positionOf(context),
    first: { kind: "body", body: first },
    rest: rest.map((body, index) => ({
      operator: readSetOperator(context.setOperator(index)),
      position: body.position,
      term: { kind: "body", body },
    })),
  };
}

function readSingleFrom(context: grammar.SingleFromStatementContext): QueryBody {
  if (!(context instanceof grammar.FromSelectStmtContext))
    throw semantic(positionOf(context), "INSERT", submitSelectAlone);
  const lateral = context.lateralView();
  let from = readFrom(context.fromClause());
  if (lateral) from = readLateral(lateral, from);
  return {
    position: positionOf(context),
    first: readSelect(context, context.selectClause(), from),
    rest: [],
    ...readOrdering(context),
  };
}

function readTerm(context: grammar.AtomSelectStatementContext): QueryTerm {
  const inner = context.selectStatement();
  if (inner) return { kind: "body", body: readQueryBody(inner) };
  const values = context.valuesClause();
  if (values) return readValues(values);
  const select = context.selectClause();
  if (!select) throw unsupported(positionOf(context), "statement");
  const from = context.fromClause();
  return readSelect(context, select, from ? readFrom(from) : undefined);
}

interface Clauses extends grammar.ParserRuleContext {
  whereClause(): grammar.WhereClauseContext | null;
  groupByClause(): grammar.GroupByClauseContext | null;
  havingClause(): grammar.HavingClauseContext | null;
  window_clause(): grammar.Window_clauseContext | null;
  qualifyClause(): grammar.QualifyClauseContext | null;
}

function readSelect(context: Clauses, select: grammar.SelectClauseContext, from: Relation | undefined): Select {
  const list = select.selectList();
  if (!list) throw unsupported(positionOf(select), "TRANSFORM", "runs a script on the server");
  const where = context.whereClause();
  const groups = context.groupByClause();
  const groupBy = groups ? readGroupBy(groups) : undefined;
  const having = context.havingClause();
  const windows = context.window_clause();
  const qualify = context.qualifyClause();
  return {
    kind: "select",
    position: positionOf(select),
    distinct: select.KW_DISTINCT() !== null,
    items: list.selectItem().map(readItem),
    ...(from ? { from } : {}),
    ...(where ? { where: readCondition(where) } : {}),
    ...(groupBy ? { groupBy } : {}),
    ...(having ? { having: readCondition(having) } : {}),
    windows: (windows?.window_specification() ?? []).map((window, index) => ({
      name: nameOf(windows?.id_(index) ?? null),
      window: readWindow(window),
    })),
    ...(qualify ? { qualify: readExpression(qualify.expression()) } : {}),
  };
}

function readCondition(context: grammar.WhereClauseContext | grammar.HavingClauseContext): Expression {
  const expression = context.expression();
  return expression ? readExpression(expression) : readColumnPath(context.columnNamePathAllowEmpty() ?? context);
}

function readItem(context: grammar.SelectItemContext): SelectItem {
  const position = positionOf(context);
  const all = context.tableAllColumns();
  if (all) {
    const names = all.id_().map(nameOf);
    const table = names.at(-1);
    return { kind: "all", position, ...(table === undefined ? {} : { table }) };
  }
  const aliases = context.id_().map(nameOf);
  const expression = context.selectExpressionColumnName();
  if (expression)
    return {
      kind: "expression",
      position,
      expression: readExpression(expression.expression()),
      aliases,
    };
  const column = context.selectLiteralColumnName();
  if (column) return { kind: "expression", position, expression: readColumnPath(column), aliases };
  throw unsupported(position, "select item");
}

interface Orderings extends grammar.ParserRuleContext {
  orderByClause(): grammar.OrderByClauseContext | null;
  clusterByClause(): grammar.ClusterByClauseContext | null;
  distributeByClause(): grammar.DistributeByClauseContext | null;
  sortByClause(): grammar.SortByClauseContext | null;
  limitClause(): grammar.LimitClauseContext | null;
}

function readOrdering(context: Orderings): Ordering {
  const order = context.orderByClause();
  const sort = context.sortByClause();
  const cluster = context.clusterByClause();
  const distribute = context.distributeByClause();
  const limit = context.limitClause();
  return {
    ...(order ? { orderBy: readOrderItems(order.columnRefOrder()) } : {}),
    ...(sort ? { sortBy: readOrderItems(sort.columnRefOrder()) } : {}),
    ...(cluster ? { clusterBy: readExpressions(cluster.expressions()) } : {}),
    ...(distribute ? { distributeBy: readExpressions(distribute.expressions()) } : {}),
    ...(limit ? { limit: readLimit(limit) } : {}),
  };
}

function readLimit(context: grammar.LimitClauseContext): NonNullable<Ordering["limit"]> {
  const position = positionOf(context);
  const [first, second] = context.Number().map((number) => number.getText());
  for (const number of [first, second]) {
    if (number !== undefined && !/^\d{1,10}$/.test(number))
      throw semantic(position, `LIMIT ${number}`, "must be an integer of at most 10 digits");
  }
  if (first === undefined) throw semantic(position, "LIMIT", "needs a number");
  if (second === undefined) return { position, count: first };
  return context.KW_OFFSET() ? { position, count: first, offset: second } : { position, count: second, offset: first };
}

function readSetOperator(context: grammar.SetOperatorContext | null): SetOperator {
  const all = context?.KW_ALL() ? " all" : "";
  if (context?.KW_UNION()) return `union${all}` as SetOperator;
  if (context?.KW_INTERSECT()) return `intersect${all}` as SetOperator;
  return `except${all}` as SetOperator;
}

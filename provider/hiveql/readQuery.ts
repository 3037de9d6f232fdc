/** Parse tree → {@link Query}: clauses and relations. */
import { type Position, semantic, unsupported } from "./errors";
import * as grammar from "./grammar";
import { childrenOf, positionOf, tokenPosition } from "./parse";
import { readCall } from "./readAtom";
import { readColumnPath, readExpression, readExpressions, readOrderItems, readWindow, nameOf } from "./readExpression";
import type {
  CommonTable,
  Expression,
  GroupBy,
  JoinKind,
  Ordering,
  Query,
  QueryBody,
  QueryTerm,
  Relation,
  Sample,
  Select,
  SelectItem,
  SetOperator,
  Values,
} from "./syntax";

/** Reads what may stand in brackets as a subquery. */
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

/** Reads a body that no WITH precedes. */
export function readBody(context: grammar.SelectStatementContext): QueryBody {
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

/** Reads VALUES with its rows. */
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
  if (context instanceof grammar.SelectStmtContext) return readBody(context.selectStatement());
  throw unsupported(position, "INSERT", "is not a SELECT");
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
    throw unsupported(positionOf(context), "INSERT", "is not a SELECT");
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
  if (inner) return { kind: "body", body: readBody(inner) };
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
  if (!list) throw unsupported(positionOf(select), "TRANSFORM", "runs a script");
  const where = context.whereClause();
  const groupBy = context.groupByClause();
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
    ...(groupBy ? { groupBy: readGroupBy(groupBy) } : {}),
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

function readGroupBy(context: grammar.GroupByClauseContext): GroupBy {
  const position = positionOf(context);
  const standard = context.rollupStandard();
  if (standard) {
    return {
      position,
      keys: standard.expression().map(readExpression),
      sets: standard.KW_CUBE() ? "cube" : "rollup",
    };
  }
  const old = context.rollupOldSyntax();
  if (old) {
    const keys = readExpressions(old.expressionsNotInParenthesis());
    if (old.KW_ROLLUP()) return { position, keys, sets: "rollup" };
    if (old.KW_CUBE()) return { position, keys, sets: "cube" };
    if (old.KW_SETS()) {
      return {
        position,
        keys,
        sets: old.groupingSetExpression().map((set) => set.expression().map(readSetMember).flat()),
      };
    }
    return { position, keys };
  }
  const column = context.columnName();
  if (column) return { position, keys: [readColumnPath(column)] };
  throw unsupported(position, "GROUP BY ()");
}

/** One grouping set is written as `(a, b)`, which also reads as one bracketed list. */
function readSetMember(context: grammar.ExpressionContext): readonly Expression[] {
  const expression = readExpression(context);
  return expression.kind === "row" ? expression.items : [expression];
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
      throw semantic(position, `LIMIT ${number}`, "must be a whole number");
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

function readFrom(context: grammar.FromClauseContext): Relation {
  const source = context.fromSource();
  const join = source.joinSource();
  if (!join) throw unsupported(positionOf(source), "UNIQUEJOIN");
  return readJoin(join);
}

function readJoin(context: grammar.JoinSourceContext): Relation {
  let relation = readJoinAtom(context.atomjoinSource());
  // The grammar gives the conditions apart from the joins that they belong to.
  let current: { token: grammar.JoinTokenContext; right: Relation; on?: Expression; using?: string[] } | undefined;
  const close = () => {
    if (current) relation = joined(relation, current.token, current.right, current.on, current.using);
    current = undefined;
  };
  let token: grammar.JoinTokenContext | undefined;
  for (const child of childrenOf(context).slice(1)) {
    if (child instanceof grammar.JoinTokenContext) {
      close();
      token = child;
    } else if (child instanceof grammar.JoinSourcePartContext && token) {
      current = { token, right: readJoinPart(child) };
    } else if (child instanceof grammar.ExpressionContext && current) {
      current.on = readExpression(child);
    } else if (child instanceof grammar.ColumnParenthesesListContext && current) {
      current.using = child
        .columnNameList()
        .getText()
        .split(",")
        .map((name) => name.replaceAll("`", "").toLowerCase());
    } else if (child instanceof grammar.ParserRuleContext || child.getText() === "=") {
      throw unsupported(
        child instanceof grammar.ParserRuleContext ? positionOf(child) : positionOf(context),
        "join condition",
      );
    }
  }
  close();
  return relation;
}

function joined(
  left: Relation,
  token: grammar.JoinTokenContext,
  right: Relation,
  on?: Expression,
  using?: string[],
): Relation {
  return {
    kind: "join",
    position: positionOf(token),
    join: joinKind(token),
    left,
    right,
    ...(on ? { on } : {}),
    ...(using ? { using } : {}),
  };
}

function joinKind(token: grammar.JoinTokenContext): JoinKind {
  if (token.COMMA()) return "comma";
  if (token.KW_SEMI()) return "left semi";
  if (token.KW_ANTI()) return "left anti";
  if (token.KW_LEFT()) return "left";
  if (token.KW_RIGHT()) return "right";
  if (token.KW_FULL()) return "full";
  return token.KW_CROSS() ? "cross" : "inner";
}

function readJoinAtom(context: grammar.AtomjoinSourceContext): Relation {
  const inner = context.joinSource();
  return inner ? readJoin(inner) : readJoinPart(context);
}

function readJoinPart(context: grammar.AtomjoinSourceContext | grammar.JoinSourcePartContext): Relation {
  const source = readSource(context);
  return context.lateralView().reduce((input, view) => readLateral(view, input), source);
}

function readSource(context: grammar.AtomjoinSourceContext | grammar.JoinSourcePartContext): Relation {
  const table = context.tableSource();
  if (table) return readTable(table);
  const subquery = context.subQuerySource();
  if (subquery) return readSubquery(subquery);
  const values = context.virtualTableSource();
  if (values) {
    return {
      kind: "values",
      position: positionOf(values),
      values: readValues(values.atomValuesClause().valuesClause()),
      alias: nameOf(values.tableAlias().id_()),
      columns: values.id_().map(nameOf),
    };
  }
  const call = context.partitionedTableFunction();
  if (call) return readTableFunction(call);
  throw unsupported(positionOf(context), "FROM source");
}

function readSubquery(context: grammar.SubQuerySourceContext): Relation {
  return {
    kind: "subquery",
    position: positionOf(context),
    query: readQuery(context.queryStatementExpression()),
    alias: nameOf(context.id_()),
  };
}

function readTable(context: grammar.TableSourceContext): Relation {
  const position = positionOf(context);
  const names = context
    .tableOrView()
    .getText()
    .split(".")
    .map((name) => name.replaceAll("`", "").toLowerCase());
  const [table = "", database] = names.toReversed();
  if (names.length > 2) throw unsupported(position, "metadata table");
  if (context.tableProperties()) throw unsupported(position, "table properties");
  if (context.asOfClause()) throw unsupported(position, "FOR SYSTEM_TIME");
  const sample = context.tableSample();
  const alias = context.id_();
  return {
    kind: "table",
    position,
    table,
    ...(database === undefined ? {} : { database }),
    ...(alias ? { alias: nameOf(alias) } : {}),
    ...(sample ? { sample: readSample(sample) } : {}),
  };
}

function readSample(context: grammar.TableSampleContext): Sample {
  const position = positionOf(context);
  const [first, second] = context.Number().map((number) => Number(number.getText()));
  if (context.KW_BUCKET()) {
    return {
      kind: "bucket",
      position,
      x: first ?? 0,
      y: second ?? 0,
      on: context.expression().map(readExpression),
    };
  }
  if (context.KW_PERCENT()) return { kind: "percent", position, percent: first ?? 0 };
  if (context.KW_ROWS()) return { kind: "rows", position, rows: first ?? 0 };
  return { kind: "bytes", position };
}

function readTableFunction(context: grammar.PartitionedTableFunctionContext): Relation {
  const call = context.atomPartitionedTableFunction();
  const source = call.partitionTableFunctionSource();
  const table = source.tableSource();
  const subquery = source.subQuerySource();
  const inner = source.partitionedTableFunction();
  const input = table
    ? readTable(table)
    : subquery
      ? readSubquery(subquery)
      : inner
        ? readTableFunction(inner)
        : undefined;
  if (!input) throw unsupported(positionOf(context), "table function");
  const alias = context.id_();
  return {
    kind: "table function",
    position: positionOf(context),
    name: nameOf(call.id_()),
    input,
    arguments: call.Identifier().length,
    ...(alias ? { alias: nameOf(alias) } : {}),
  };
}

function readLateral(context: grammar.LateralViewContext, input: Relation): Relation {
  const call = context.function_();
  const alias = context.tableAlias();
  if (!call) throw unsupported(tokenPosition(context.start), "LATERAL TABLE");
  return {
    kind: "lateral",
    position: positionOf(context),
    input,
    outer: context.KW_OUTER() !== null,
    call: readCall(call),
    alias: alias ? nameOf(alias.id_()) : "",
    columns: context.id_().map(nameOf),
  };
}

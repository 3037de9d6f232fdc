/** Parse tree → {@link Relation}: tables, joins, subqueries, lateral views, samples. */
import { unsupported } from "./errors";
import * as grammar from "./grammar";
import { childrenOf } from "./parse";
import { positionOf, tokenPosition } from "./positions";
import { readCall } from "./read-atom";
import { nameOf, readExpression } from "./read-expression";
import { readQuery, readValues } from "./read-query";
import type { Expression, JoinKind, Relation, Sample } from "./ast";

/** Reads a FROM clause. */
export function readFrom(context: grammar.FromClauseContext): Relation {
  const source = context.fromSource();
  const join = source.joinSource();
  if (!join) throw unsupported(positionOf(source), "UNIQUEJOIN", "is an old form of joins: write JOIN … ON");
  return readJoin(join);
}

function readJoin(context: grammar.JoinSourceContext): Relation {
  let relation = readJoinAtom(context.atomjoinSource());
  // The grammar lists the conditions as siblings of the joins that they belong to.
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
    alias: aliasOf(context),
  };
}

/** Returns the alias of a table or subquery. NATURAL would be one, and NATURAL JOIN a JOIN of all rows. */
function aliasOf(context: grammar.TableSourceContext | grammar.SubQuerySourceContext): string {
  const name = context.id_();
  if (/^natural$/i.test(name?.getText() ?? "") && !context.KW_AS())
    throw unsupported(
      positionOf(name ?? context),
      "NATURAL JOIN",
      "is not in HiveQL: write JOIN … USING (column, …), or AS natural for an alias",
    );
  return name ? nameOf(name) : "";
}

function readTable(context: grammar.TableSourceContext): Relation {
  const position = positionOf(context);
  const source = context.tableOrView();
  const names = (source.tableName() ?? source.viewName())!.id_().map(nameOf);
  const [table = "", database] = names.toReversed();
  if (names.length > 2)
    throw unsupported(
      position,
      "metadata table",
      "belongs to tables of Iceberg, which do not exist here: read the table itself",
    );
  if (context.tableProperties()) throw unsupported(position, "table properties");
  if (context.asOfClause())
    throw unsupported(
      position,
      "FOR SYSTEM_TIME",
      "belongs to tables of Iceberg, which do not exist here: leave it out",
    );
  const sample = context.tableSample();
  const alias = aliasOf(context);
  return {
    kind: "table",
    position,
    table,
    ...(database === undefined ? {} : { database }),
    ...(alias === "" ? {} : { alias }),
    ...(sample ? { sample: readSample(sample) } : {}),
  };
}

function readSample(context: grammar.TableSampleContext): Sample {
  const position = positionOf(context);
  const [first = 0, second = 0] = context.Number().map((number) => Number(number.getText()));
  if (context.KW_BUCKET())
    return { kind: "bucket", position, bucket: first, buckets: second, on: context.expression().map(readExpression) };
  if (context.KW_ROWS()) return { kind: "rows", position, rows: first };
  return { kind: "size", position };
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

/** Reads one LATERAL VIEW over the relation before it. */
export function readLateral(context: grammar.LateralViewContext, input: Relation): Relation {
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

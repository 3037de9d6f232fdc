/** Grand total of GROUPING SETS, CUBE and ROLLUP over no rows. */
import { unsupported } from "../syntax";
import { childrenOf } from "../tree/children";
import { columnsOf, containsLiteral, identity, positionOf, readsColumns } from "../tree/facts";
import { isTyped } from "../tree/fragment";
import type { Column, Part, Query, Relation, Select, Typed } from "../tree/nodes";
import { keyOf, same } from "../tree/same";
import { plain } from "../tree/typed";
import { isDateOrTime, isNumber } from "../tree/types";
import { definitionOf, type Definitions, type Statement } from "../tree/walk";
import type { Quirk } from "../quirks/quirk";
import { conjunctsOf, unconverted } from "./conditions";

export const rule: Quirk = {
  id: "grand-total",
  hive: "4.0.1",
  title: "Grand total of GROUPING SETS, CUBE and ROLLUP over no rows",
  why: "SQL answers one row for an empty input. Hive 4.0.1 drops it when its optimizer finds, before reading rows, that the conditions cannot be true.",
  example: "`SELECT k, count(*) FROM t WHERE 1 = 2 GROUP BY k WITH ROLLUP` answers no row and not `NULL, 0`.",
  refuses:
    "The translation refuses conditions without columns, and fails queries over no rows that have several conditions on one column, except for a lower and an upper bound.",
};

const failureOfNoRows =
  "HiveQL: grouping sets over no rows whose conditions on one column may contradict each other, for which Hive drops the grand total row: remove conditions that no row can fulfil";

/**
 * Returns a SELECT whose grouping sets fail over no rows when the conditions may contradict each other.
 * @throws HiveQLError for conditions whose value Hive knows before reading rows, except for conditions such as `1 = 1`.
 */
export function withGrandTotal(select: Select, statement: Statement, definitions: () => Definitions): Select {
  const { groups, where } = select;
  if (!groups?.by || groups.by.kind === "keys") return select;
  if (where && conjunctsOf(where).some(mayBeFalse))
    throw unsupported(
      positionOf(where),
      "WHERE",
      "has a condition that reads no column, contains NULL or compares literals in a query with grouping sets, and Hive drops the grand total row when such a condition is not true: remove the condition",
    );
  const mayContradict = new Contradictions(statement, definitions()).in(select);
  return mayContradict ? { ...select, groups: { ...groups, failureOfNoRows } } : select;
}

/** Returns true when Hive may know that a condition is false: it contains NULL, or reads no column unlike `1 = 1`. */
function mayBeFalse(condition: Typed): boolean {
  if (readsColumns(condition))
    return containsLiteral(condition, ({ value }) => value === null) || isPartlyKnown(condition);
  return !isOfEqual(condition);
}

/** Returns true for conditions such as `1 = 1`. */
const isOfEqual = ({ node }: Typed): boolean =>
  node.kind === "comparison" && node.operator === "=" && same(...node.operands);

/**
 * Returns true when Hive folds a part: a comparison of literals, a literal in a list with literals, or a date, timestamp
 * or number of a text that is none.
 */
function isPartlyKnown(part: Part): boolean {
  if (isTyped(part) && part.node.kind === "in") {
    const [value, ...items] = part.node.operands;
    if (!readsColumns(value) && !items.every(readsColumns)) return true;
  }
  if (isTyped(part) && part.node.kind === "comparison" && !readsColumns(part) && !isOfEqual(part)) return true;
  if (isTyped(part) && part.node.kind === "cast") {
    const [text] = part.node.operands;
    const { constant } = text;
    if (text.node.kind === "literal" && typeof constant === "string")
      return (
        (isDateOrTime(part.type) && !/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(constant)) ||
        (isNumber(part.type) && !/^-?\d+(\.\d+)?$/.test(constant))
      );
  }
  return childrenOf(part).some(isPartlyKnown);
}

/** Finds columns with several conditions. */
class Contradictions {
  constructor(
    private readonly statement: Statement,
    private readonly definitions: Definitions,
  ) {}

  in(select: Select): boolean {
    const conditions = this.conditionsOf(select);
    if (!conditions || conditions.some(mayBeFalse)) return true;
    const tests = new Map(conditions.flatMap(testsOf).map((test) => [keyOf(test), test]));
    const reads = [...tests.values()].flatMap((test) => this.columnsRead(test).map((column) => ({ column, test })));
    const required = new Set(conditions.flatMap(boundsOf).map(keyOf));
    return [...Map.groupBy(reads, ({ column }) => column).values()].some((read) => {
      const together = read.map(({ test }) => test);
      return together.length > 1 && !(together.every((test) => required.has(keyOf(test))) && isRange(together));
    });
  }

  /** Returns the conditions that all rows of a SELECT fulfil; undefined when it has no rows. */
  private conditionsOf({ from, where, limit }: Select): readonly Typed[] | undefined {
    if (limit && Number(limit.count) === 0) return undefined;
    const before = this.conditionsIn(from);
    if (!before) return undefined;
    return [...before, ...(where ? conjunctsOf(where) : [])];
  }

  private conditionsOfQuery(query: Query): readonly Typed[] | undefined {
    return query.kind === "select" ? this.conditionsOf(query) : [];
  }

  private conditionsIn(relation: Relation): readonly Typed[] | undefined {
    switch (relation.kind) {
      case "query":
        return this.conditionsOfQuery(relation.query);
      case "common table": {
        const table = this.statement.tables.find(({ name }) => name === relation.name);
        return table ? this.conditionsOfQuery(table.query) : [];
      }
      case "rows":
        return this.conditionsIn(relation.input);
      case "table":
      case "one row":
      case "lateral view":
        return [];
      case "join": {
        const { join, on } = relation;
        const left = join === "right" || join === "full" ? [] : this.conditionsIn(relation.left);
        const right =
          join === "left" || join === "full" || join === "left semi" ? [] : this.conditionsIn(relation.right);
        const isFulfilled = join !== "left" && join !== "right" && join !== "full";
        return left && right && [...left, ...right, ...(on && isFulfilled ? conjunctsOf(on) : [])];
      }
    }
  }

  /** Returns the columns that the operands of a test read: of subqueries and groups, those that they pass on. */
  private columnsRead(test: Typed): readonly string[] {
    const { node } = plain(test);
    if (node.kind === "not") return this.columnsRead(node.operands[0]);
    const operands = "operands" in node ? node.operands : [test];
    return operands.flatMap((operand) => [...columnsOf(operand).values()]).map((column) => this.rootOf(column));
  }

  private rootOf(column: Column): string {
    const found = definitionOf(column, this.definitions);
    const { node } = found ? plain(found.value) : {};
    return node?.kind === "column" ? this.rootOf(node) : identity(column);
  }
}

/** Returns the tests of a condition that must all be true: those of AND and BETWEEN. */
function boundsOf(condition: Typed): readonly Typed[] {
  const { node } = plain(condition);
  return node.kind === "and" ? node.operands.flatMap(boundsOf) : [condition];
}

/** Returns true for a lower and an upper bound of a column between which values can be. */
function isRange(tests: readonly Typed[]): boolean {
  const bounds = tests.map(boundOf);
  const lower = bounds.find((bound) => bound?.side === "lower");
  const upper = bounds.find((bound) => bound?.side === "upper");
  return bounds.length === 2 && lower !== undefined && upper !== undefined && isLess(lower.value, upper.value);
}

/** Returns the literal that bounds a column; undefined for other tests. */
function boundOf(test: Typed): { readonly side: "lower" | "upper"; readonly value: Typed } | undefined {
  const { node } = plain(test);
  if (node.kind !== "comparison" || !/^[<>]=?$/.test(node.operator)) return undefined;
  const [left, right] = node.operands.map(unconverted);
  const isColumnFirst = left?.node.kind === "column";
  const value = isColumnFirst ? right : left;
  if ((isColumnFirst ? left : right)?.node.kind !== "column" || value?.node.kind !== "literal") return undefined;
  return { side: node.operator.startsWith(">") === isColumnFirst ? "lower" : "upper", value };
}

/** Returns true when a literal is less than another one; false also for literals that are not compared here. */
function isLess(low: Typed, high: Typed): boolean {
  const [from, to] = [low, high].map(comparable);
  if (typeof from === "number" && typeof to === "number") return from < to;
  return typeof from === "string" && typeof to === "string" && low.type.kind === high.type.kind && from < to;
}

/** Returns the value of a number, date, timestamp or plain text. */
function comparable({ constant, node }: Typed): number | string | undefined {
  const value = constant ?? (node.kind === "literal" ? node.text : undefined);
  return typeof value === "number" || (typeof value === "string" && /^[ -~]*$/.test(value)) ? value : undefined;
}

/** Returns the tests that AND and OR combine, without IS NOT NULL. */
function testsOf(condition: Typed): readonly Typed[] {
  const { node } = plain(condition);
  if (node.kind === "and" || node.kind === "or") return node.operands.flatMap(testsOf);
  const isKnown = node.kind === "not" && plain(node.operands[0]).node.kind === "is null";
  return isKnown ? [] : [condition];
}

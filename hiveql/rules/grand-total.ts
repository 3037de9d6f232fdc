/** Grand total of GROUPING SETS, CUBE and ROLLUP over no rows. */
import { unsupported } from "../syntax";
import { childrenOf } from "../tree/children";
import { containsLiteral, identity, positionOf, readsColumns } from "../tree/facts";
import { isTyped } from "../tree/fragment";
import type { Column, Constant, Part, Query, Relation, Select, Typed } from "../tree/nodes";
import { keyOf, same } from "../tree/same";
import { plain } from "../tree/typed";
import { isDateOrTime, isNumber } from "../tree/types";
import { definitionOf, type Definitions, type Statement } from "../tree/walk";
import type { Quirk } from "../quirks/quirk";
import { conjunctsOf, equalitiesOf, unconverted } from "./conditions";

export const rule: Quirk = {
  id: "grand-total",
  hive: "4.0.1",
  title: "Grand total of GROUPING SETS, CUBE and ROLLUP over no rows",
  why: "SQL answers one row for an empty input. Hive 4.0.1 drops it when its optimizer finds, before reading rows, that the conditions cannot be true.",
  example: "`SELECT k, count(*) FROM t WHERE 1 = 2 GROUP BY k WITH ROLLUP` answers no row and not `NULL, 0`.",
  refuses:
    "The translation refuses conditions without columns, and fails queries over no rows that have several conditions on one column, other than a lower and an upper bound that leave values between them.",
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
      "has a condition that reads no column or contains NULL in a query with grouping sets, and Hive drops the grand total row when such a condition is not true: remove the condition",
    );
  const mayContradict = new Contradictions(statement, definitions()).in(select);
  return mayContradict ? { ...select, groups: { ...groups, failureOfNoRows } } : select;
}

/** Returns true when Hive may know that a condition is false: it contains NULL, or reads no column unlike `1 = 1`. */
function mayBeFalse(condition: Typed): boolean {
  if (readsColumns(condition))
    return containsLiteral(condition, ({ value }) => value === null) || readsBadText(condition);
  const { node } = condition;
  return node.kind !== "comparison" || node.operator !== "=" || !same(...node.operands);
}

/** Returns true when a date, timestamp or number is read from a text that is none, which Hive folds to NULL. */
function readsBadText(part: Part): boolean {
  if (isTyped(part) && part.node.kind === "cast") {
    const [text] = part.node.operands;
    const { constant } = text;
    if (text.node.kind === "literal" && typeof constant === "string")
      return (
        (isDateOrTime(part.type) && !/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(constant)) ||
        (isNumber(part.type) && !/^-?\d+(\.\d+)?$/.test(constant))
      );
  }
  return childrenOf(part).some(readsBadText);
}

/** A condition that one column is above or below a constant. */
interface Bound {
  readonly isLower: boolean;
  readonly isOpen: boolean;
  readonly value: NonNullable<Constant>;
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
    const equal = this.equalColumns(conditions);
    const groupOf = (column: string) => equal.get(column) ?? column;
    const found = new Map<string, (Bound | undefined)[]>();
    for (const condition of conditions)
      for (const column of this.restricted(condition)) {
        const bounds = found.get(groupOf(column)) ?? [];
        found.set(groupOf(column), [...bounds, boundOf(condition)]);
      }
    return [...found.values()].some((bounds) => bounds.length > 1 && !leaveValues(bounds));
  }

  /** Returns the conditions that all rows of a SELECT fulfil; undefined when it has no rows. */
  private conditionsOf({ from, where, limit }: Select): readonly Typed[] | undefined {
    if (limit && Number(limit.count) === 0) return undefined;
    const before = this.conditionsIn(from);
    if (!before) return undefined;
    const all = [...before, ...(where ? conjunctsOf(where) : [])].flatMap(betweenOf);
    return [...new Map(all.map((condition) => [keyOf(condition), condition])).values()];
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

  /** Returns a column for each column that equalities make equal to it. */
  private equalColumns(conditions: readonly Typed[]): ReadonlyMap<string, string> {
    const groups = new Map<string, string>();
    for (const [left, right] of equalitiesOf(conditions, true)) {
      const [first, second] = [left, right].map((side) => this.columnOf(side));
      if (first === undefined || second === undefined) continue;
      const [kept, joined] = [groups.get(first) ?? first, groups.get(second) ?? second];
      for (const [column, group] of [...groups, [joined, joined] as const, [kept, kept] as const])
        groups.set(column, group === joined ? kept : group);
    }
    return groups;
  }

  /** Returns the columns that a condition restricts, as often as it does. */
  private restricted(condition: Typed): readonly string[] {
    const { node } = plain(condition);
    switch (node.kind) {
      case "or":
        return mostOf(node.operands.map((each) => this.restricted(each)));
      case "comparison": {
        const [left, right] = node.operands.map((side) => this.columnOf(side));
        if (left !== undefined && right !== undefined) return left === right ? [left, right] : [];
        return [left, right].filter((column) => column !== undefined);
      }
      case "not":
        if (plain(node.operands[0]).node.kind === "is null") return [];
        return this.restricted(node.operands[0]);
      case "and":
      case "is null":
      case "is":
      case "in":
        return node.operands.flatMap((each) => {
          const column = this.columnOf(each);
          return column === undefined ? this.restricted(each) : [column];
        });
      case "column":
        return [this.rootOf(node)];
      default:
        return [];
    }
  }

  private columnOf(value: Typed): string | undefined {
    const { node } = unconverted(value) ?? value;
    return node.kind === "column" ? this.rootOf(node) : undefined;
  }

  /** Returns the column that a column of a subquery or of groups passes on. */
  private rootOf(column: Column): string {
    const found = definitionOf(column, this.definitions);
    const { node } = found ? plain(found.value) : {};
    return node?.kind === "column" ? this.rootOf(node) : identity(column);
  }
}

/** Returns each column as often as in the branch that has it most often. */
function mostOf(branches: readonly (readonly string[])[]): readonly string[] {
  const columns = new Set(branches.flat());
  const times = (branch: readonly string[], column: string) => branch.filter((each) => each === column).length;
  return [...columns].flatMap((column) =>
    Array.from({ length: Math.max(...branches.map((branch) => times(branch, column))) }, () => column),
  );
}

/** Returns the two comparisons of a BETWEEN, and any other condition as it is. */
const betweenOf = (condition: Typed): readonly Typed[] => {
  const { node } = condition;
  return node.kind === "and" && node.written === "between" ? node.operands : [condition];
};

const mirrored: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** Returns the bound that a comparison of a column and a literal is; undefined for other conditions. */
function boundOf(condition: Typed): Bound | undefined {
  const { node } = plain(condition);
  if (node.kind !== "comparison" || !(node.operator in mirrored)) return undefined;
  const [left, right] = node.operands.map((side) => unconverted(side) ?? side) as [Typed, Typed];
  const literal = readsColumns(right) ? left : right;
  const operator = literal === left ? (mirrored[node.operator] ?? "") : node.operator;
  const value = literal.constant ?? (literal.node.kind === "literal" ? literal.node.text : undefined);
  if (value === undefined || value === null) return undefined;
  return { isLower: operator.startsWith(">"), isOpen: !operator.endsWith("="), value };
}

/** Returns true for bounds of which every lower one leaves values below every upper one. */
function leaveValues(bounds: readonly (Bound | undefined)[]): boolean {
  const known = bounds.filter((bound) => bound !== undefined);
  if (known.length < bounds.length) return false;
  const [lower = [], upper = []] = [true, false].map((isLower) => known.filter((bound) => bound.isLower === isLower));
  return lower.every((low) =>
    upper.every((high) => {
      if (typeof low.value !== typeof high.value) return false;
      return low.value < high.value || (low.value === high.value && !low.isOpen && !high.isOpen);
    }),
  );
}

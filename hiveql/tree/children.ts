/** The children of the nodes of the typed tree: what facts of a tree are made of. */
import { isTyped } from "./fragment";
import type { Fragment, Node, Part, Query, Relation, Select, Subquery, Typed, Window, WindowCheck } from "./nodes";

/** Returns the values and fragments that a part holds. */
export const childrenOf = (part: Part): readonly Part[] =>
  isTyped(part) ? childrenOfNode(part.node) : childrenOfFragment(part);

function childrenOfNode(node: Node): readonly Part[] {
  switch (node.kind) {
    case "column":
    case "literal":
      return [];
    case "query":
      return childrenOfSubquery(node.subquery);
    case "checked window":
      return [node.value, ...childrenOfCheck(node.check)];
    case "null frame":
      return [node.key, node.ofNulls, node.value];
    default:
      return "operands" in node ? node.operands : [node.sql];
  }
}

function childrenOfFragment(fragment: Fragment): readonly Part[] {
  if (fragment.kind === "over") return childrenOfWindow(fragment.window);
  return (fragment.parts as readonly (Part | string)[]).filter((part) => typeof part === "object");
}

const childrenOfWindow = ({ partitionBy, orderBy }: Window): readonly Typed[] => [
  ...partitionBy,
  ...orderBy.map(({ value }) => value),
];

function childrenOfCheck(check: WindowCheck): readonly Typed[] {
  const inWindow = childrenOfWindow(check.window);
  if (check.kind === "null keys") return [check.key, ...inWindow];
  return given(check.counted, check.key, ...inWindow, ...childrenOfWindow(check.before));
}

function childrenOfSubquery(subquery: Subquery): readonly Typed[] {
  const inQuery = valuesOf(subquery.query);
  return "operand" in subquery ? given(subquery.operand, subquery.item, ...inQuery) : inQuery;
}

/** Returns the values of all clauses of a query, also of the queries in its FROM. */
function valuesOf(query: Query): readonly Typed[] {
  switch (query.kind) {
    case "select":
      return valuesOfSelect(query);
    case "set operation":
      return query.sides.flatMap((side) => [
        ...valuesOf(side.query),
        ...[...(side.converted ?? []), ...(side.compared ?? [])].map(({ value }) => value),
      ]);
    case "values":
      return query.rows.flat();
    case "sorted":
      return [...valuesOf(query.query), ...query.orderBy.map(({ value }) => value)];
  }
}

function valuesOfSelect(select: Select): readonly Typed[] {
  const { from, where, groups, having, precomputed, columns, qualify, orderBy } = select;
  const keys = groups?.by && (groups.by.kind === "sets" ? groups.by.sets.flat() : groups.by.keys);
  const outputs = [...(groups?.columns ?? []), ...columns, ...orderBy].map(({ value }) => value);
  return [
    ...valuesOfRelation(from),
    ...given(where, having, qualify, ...(keys ?? []), ...(precomputed?.values ?? [])),
    ...outputs,
  ];
}

function valuesOfRelation(relation: Relation): readonly Typed[] {
  switch (relation.kind) {
    case "table":
    case "common table":
    case "one row":
      return [];
    case "query":
      return valuesOf(relation.query);
    case "join":
      return [...valuesOfRelation(relation.left), ...valuesOfRelation(relation.right), ...given(relation.on)];
    case "rows":
      return valuesOfRelation(relation.input);
    case "bucket":
      return [...valuesOfRelation(relation.input), relation.hash];
    case "lateral view": {
      const columns = [...relation.kept, ...relation.cells].map(({ value }) => value);
      return [...valuesOfRelation(relation.input), relation.rows, ...columns];
    }
  }
}

const given = (...values: readonly (Typed | undefined)[]): readonly Typed[] =>
  values.filter((value) => value !== undefined);

/** NULL and empty strings in arrays, maps and structs of a result. */
import { stageBoundary } from "./stage-boundary";
import { join, raw, sql } from "../tree/fragment";
import type { Part, Relation, Select, Typed } from "../tree/nodes";
import { queriesOf, type Statement } from "../tree/walk";
import { contains } from "../tree/facts";
import { duckType, type HiveType, quoteLiteral } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "nested-nulls",
  hive: "4.0.1",
  title: "NULL and empty strings in arrays, maps and structs of a result",
  why: "A Hive 4.0.1 job writes its result to a text file and reads it back: an array or struct of one NULL becomes NULL, and an array of one empty string becomes an empty array.",
  example: "`SELECT array(x) FROM t ORDER BY id` answers NULL for a NULL `x`; without ORDER BY it answers `[null]`.",
  rewrites: "The translation rewrites the columns of such results in the same way.",
};

/** Returns true when Hive runs a job for a statement, and does not only fetch the rows of a table. */
export function runsJob(statement: Statement): boolean {
  const { query } = statement;
  // Hive merges two adjacent LIMITs, so that a LIMIT below the final one may not run a job of its own.
  const hasFinalLimit = "limit" in query && query.limit !== undefined;
  return queriesOf(statement).some((each) => {
    if (each.kind === "set operation") return true;
    if (each.kind === "values") return each.rows.flat().some(needsJob);
    if (each.orderBy.length > 0 || (each.limit && !hasFinalLimit)) return true;
    return each.kind === "select" && selectsInJob(each);
  });
}

function selectsInJob({ from, where, groups, columns, qualify, isDistinct }: Select): boolean {
  const values = [...columns.map(({ value }) => value), where, qualify].filter((value) => value !== undefined);
  return groups !== undefined || isDistinct || joins(from) || values.some(needsJob);
}

const needsJob = (value: Typed) => contains(value, "query") || contains(value, "window");

function joins(relation: Relation): boolean {
  switch (relation.kind) {
    case "join":
      return true;
    case "lateral view":
      return needsJob(relation.rows) || joins(relation.input);
    case "rows":
    case "bucket":
      return joins(relation.input);
    default:
      return false;
  }
}

/** Returns a result column as it is read back from the text file of a job, at any nesting depth. */
export function readJobResult(value: Part, type: HiveType, depth = 0): Part {
  const inner = raw(`hive_r${depth}`);
  switch (type.kind) {
    case "array": {
      const members = readMembers(value, type.element, depth);
      const isNothing = isWrittenEmpty(sql`${inner}[1]`, type.element);
      const empty = isNothing ? sql` WHEN ${isNothing} THEN CAST([] AS ${duckType(type)})` : raw("");
      const one = sql`CASE WHEN len(${inner}) <> 1 THEN ${inner} WHEN ${inner}[1] IS NULL THEN NULL${empty} ELSE ${inner} END`;
      return sql`list_transform([${members}], lambda ${inner}: ${one})[1]`;
    }
    case "struct": {
      const fields = type.fields.map((field) => {
        const given = fieldOf(inner, field.name);
        return { name: field.name, given, read: readJobResult(given, field.type, depth + 1) };
      });
      const [only, second] = fields;
      if (second && fields.every(({ given, read }) => given === read)) return value;
      const packed = fields.map(({ name, read }) => sql`${quoteLiteral(name)}: ${read}`);
      const isNull = only && !second ? sql` OR ${only.read} IS NULL` : raw("");
      const whole = sql`CASE WHEN ${inner} IS NULL${isNull} THEN NULL ELSE CAST({${join(packed)}} AS ${duckType(type)}) END`;
      return sql`list_transform([${value}], lambda ${inner}: ${whole})[1]`;
    }
    case "map": {
      const given = sql`${inner}.value`;
      const read = readJobResult(given, type.value, depth + 1);
      if (read === given) return value;
      const entry = sql`{'key': ${inner}.key, 'value': ${read}}`;
      return sql`map_from_entries(list_transform(map_entries(${value}), lambda ${inner}: ${entry}))`;
    }
    // Years that the text file cannot hold fail the query.
    default:
      return stageBoundary(value, type);
  }
}

const readMembers = (value: Part, element: HiveType, depth: number): Part => {
  const member = raw(`hive_m${depth}`);
  const read = readJobResult(member, element, depth + 1);
  return read === member ? value : sql`list_transform(${value}, lambda ${member}: ${read})`;
};

const fieldOf = (value: Part, name: string) => sql`struct_extract(${value}, ${quoteLiteral(name)})`;

/** SQL that tests whether a value is written as an empty text; undefined when no value of the type is. */
function isWrittenEmpty(value: Part, type: HiveType): Part | undefined {
  switch (type.kind) {
    case "string":
    case "varchar":
      return sql`${value} = ''`;
    case "binary":
      return sql`octet_length(${value}) = 0`;
    case "array":
      return sql`len(${value}) = 0`;
    case "map":
      return sql`cardinality(${value}) = 0`;
    case "struct": {
      const [only, second] = type.fields;
      return only && !second ? isWrittenEmpty(fieldOf(value, only.name), only.type) : undefined;
    }
    default:
      return undefined;
  }
}

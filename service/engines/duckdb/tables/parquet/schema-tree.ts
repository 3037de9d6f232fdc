/** Reads what the schema of a Parquet object tells of its columns, and DuckDB's types of them do not. */

/** A node of a schema as `parquet_schema` lists them: each before those inside of it. */
export interface SchemaNode {
  readonly name: string;
  readonly children: number | null;
  readonly converted: string | null;
  readonly logical: string | null;
  readonly precision: number | null;
  readonly scale: number | null;
}

/** SQL of a node of `parquet_schema`: a {@link SchemaNode}, with all that makes its values others than those of another. */
export const schemaNodeSql =
  "{'name': name, 'type': type, 'length': type_length, 'repetition': repetition_type, 'children': num_children, 'converted': converted_type, 'logical': logical_type, 'precision': precision, 'scale': scale}";

export interface StoredColumn {
  /** The name as the object has it: DuckDB numbers those that differ in case only. */
  readonly storedName: string;
  /** True when the type is Arrow's null: every value is NULL, and its type says nothing. */
  readonly isNull: boolean;
  /** The same of each type within the column's that has none inside of it, in their order. */
  readonly nulls: readonly boolean[];
  /** Why no Hive type has its values, after its name, and what to do instead; undefined when nothing is known against it. */
  readonly problem?: string;
}

/** Most digits of a decimal in Hive; DuckDB reads those with more as wrong doubles. */
const maxPrecision = 38;

/** Returns the columns of a schema, in their order. */
export function storedColumns([root, ...nodes]: readonly SchemaNode[]): StoredColumn[] {
  let next = 0;
  let nulls: boolean[] = [];
  /** Returns the first problem of a node and those inside of it, and goes on behind them. */
  const problemOf = (node: SchemaNode): string | undefined => {
    if (!node.children) nulls.push(isNull(node));
    const inside = Array.from({ length: node.children ?? 0 }, () => {
      const child = nodes[next]!;
      next += 1;
      return { name: child.name.toLowerCase(), problem: problemOf(child) };
    });
    return (
      namesProblem(inside.map(({ name }) => name)) ??
      inside.find(({ problem }) => problem)?.problem ??
      decimalProblem(node)
    );
  };
  return Array.from({ length: root?.children ?? 0 }, () => {
    const node = nodes[next]!;
    next += 1;
    nulls = [];
    const problem = problemOf(node);
    return { storedName: node.name, isNull: isNull(node), nulls, ...(problem && { problem }) };
  });
}

const isNull = ({ logical }: SchemaNode) => logical === "NullType()";

/** Returns why a Hive type cannot have fields with the names, which are in lower case. */
function namesProblem(names: readonly string[]): string | undefined {
  if (new Set(names).size < names.length) return "has fields whose names differ in case only: write it without them";
  const other = names.find((name) => name.trim() !== name || /^$|[:,<>]/.test(name));
  if (other === undefined) return undefined;
  return `has the field ${JSON.stringify(other)}, and names of fields in Hive are not empty, begin and end with no blank, and have no ":", ",", "<" and ">": write it with another name`;
}

function decimalProblem({ converted, logical, precision, scale }: SchemaNode): string | undefined {
  const isDecimal = converted === "DECIMAL" || logical?.startsWith("DecimalType") === true;
  if (!isDecimal || precision === null || precision <= maxPrecision) return undefined;
  return `is decimal(${precision},${scale ?? 0}), and Hive's decimals have at most ${maxPrecision} digits: write it with fewer, or as a string`;
}

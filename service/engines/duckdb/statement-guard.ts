/**
 * The last look at a statement before DuckDB runs it. The translator emits only what it maps; this check does not
 * trust it: whatever the text is, DuckDB's own parser must see one SELECT over the tables of the job and functions
 * that touch neither files nor settings. (The instance's configuration is the third wall: see database.ts.)
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { EngineError } from "./errors";
import { quoteText } from "./sql";

/** What a statement may name. */
export interface StatementScope {
  /** Relations of the job, as they are named in SQL, lower case. */
  readonly relations: ReadonlySet<string>;
  /** Table functions of our own set-up that the translator uses, lower case. */
  readonly tableFunctions?: ReadonlySet<string>;
}

/**
 * Checks a statement.
 * @throws EngineError naming what it may not hold.
 */
export async function guardStatement(
  connection: DuckDBConnection,
  sql: string,
  { relations, tableFunctions = noNames }: StatementScope,
): Promise<void> {
  const statement = await parse(connection, sql);
  check(statement, { relations, tableFunctions, common: noNames });
}

const noNames: ReadonlySet<string> = new Set();

/** DuckDB's table functions that only compute. All others read files, settings or the catalog, or run SQL text. */
const computingTableFunctions = new Set(["unnest", "generate_series", "range", "json_each", "json_tree"]);

/** Kinds of table references that only combine others. */
const combiningReferences = new Set(["JOIN", "SUBQUERY", "EMPTY", "EXPRESSION_LIST"]);

/** Types of the other nodes that are not expressions. */
const structuralTypes = new Set([
  "SELECT_NODE",
  "SET_OPERATION_NODE",
  "RECURSIVE_CTE_NODE",
  "CTE_NODE",
  "ORDER_MODIFIER",
  "LIMIT_MODIFIER",
  "LIMIT_PERCENT_MODIFIER",
  "DISTINCT_MODIFIER",
  "ASCENDING",
  "DESCENDING",
  "ORDER_DEFAULT",
]);

/** Scalar functions that read or change what does not belong to the statement. */
const forbiddenFunctions = new Set([
  "current_connection_id",
  "current_query",
  "current_setting",
  "currval",
  "getenv",
  "getvariable",
  "json_deserialize_sql",
  "json_execute_serialized_sql",
  "json_serialize_plan",
  "json_serialize_sql",
  "nextval",
  "parse_duckdb_log_message",
  "pg_sleep",
  "setseed",
  "sleep_ms",
  "stats",
  "write_log",
]);

interface Names {
  readonly relations: ReadonlySet<string>;
  readonly tableFunctions: ReadonlySet<string>;
  /** Common table expressions in scope. */
  readonly common: ReadonlySet<string>;
}

type Node = Readonly<Record<string, unknown>>;

async function parse(connection: DuckDBConnection, sql: string): Promise<Node> {
  const reader = await connection.runAndReadAll(`SELECT json_serialize_sql(${quoteText(sql)}::VARCHAR)`);
  const parsed = JSON.parse(String(reader.getRowsJson()[0]?.[0])) as Node;
  if (parsed["error"] === true) throw refused(`it is not a SELECT statement (${String(parsed["error_message"])})`);
  const statements = parsed["statements"] as readonly Node[];
  if (statements.length !== 1) throw refused(`it is ${statements.length} statements`);
  return statements[0]!;
}

function check(value: unknown, names: Names): void {
  if (Array.isArray(value)) {
    for (const inner of value) check(inner, names);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const node = value as Node;
  const inner = checkCommonTables(node, names);
  if (node["class"] === "FUNCTION") checkFunction(node);
  else if (isTableReference(node)) checkReference(node, inner);
  for (const [key, child] of Object.entries(node)) {
    if (key === "cte_map") continue;
    // The call of a table function has been judged with its reference.
    if (key === "function" && node["type"] === "TABLE_FUNCTION") check((child as Node)["children"], inner);
    else check(child, inner);
  }
}

/** Checks the common table expressions of a query node; each sees itself and those before it. */
function checkCommonTables(node: Node, names: Names): Names {
  const map = (node["cte_map"] as Node | undefined)?.["map"] as readonly Node[] | undefined;
  if (!map?.length) return names;
  const common = new Set(names.common);
  for (const { key, value } of map) {
    const name = String(key).toLowerCase();
    const recursive = new Set(common).add(name);
    check(value, { ...names, common: isRecursive(value as Node) ? recursive : new Set(common) });
    common.add(name);
  }
  return { ...names, common };
}

function isRecursive(value: Node): boolean {
  return ((value["query"] as Node | undefined)?.["node"] as Node | undefined)?.["type"] === "RECURSIVE_CTE_NODE";
}

/** Whether a node is a table reference. What is not known to be something else is taken for one, and then refused. */
function isTableReference(node: Node): boolean {
  const type = node["type"];
  return (
    node["class"] === undefined &&
    typeof type === "string" &&
    !structuralTypes.has(type) &&
    !type.endsWith("_TYPE_INFO")
  );
}

function checkReference(node: Node, names: Names): void {
  const type = String(node["type"]);
  if (combiningReferences.has(type)) return;
  if (type === "BASE_TABLE") return checkTable(node, names);
  if (type !== "TABLE_FUNCTION") throw refused(`it holds a ${type}`);
  const call = node["function"] as Node;
  const name = String(call["function_name"]).toLowerCase();
  if (!computingTableFunctions.has(name) && !names.tableFunctions.has(name)) {
    throw refused(`it reads the table function ${name}`);
  }
}

function checkTable(node: Node, { relations, common }: Names): void {
  const name = String(node["table_name"]);
  const qualified = node["schema_name"] !== "" || node["catalog_name"] !== "";
  const known = relations.has(name.toLowerCase()) || common.has(name.toLowerCase());
  if (qualified || !known) throw refused(`it reads ${name}, which is no table of the statement`);
}

function checkFunction(node: Node): void {
  const name = String(node["function_name"]).toLowerCase();
  if (forbiddenFunctions.has(name)) throw refused(`it calls the function ${name}`);
}

const refused = (reason: string) => new EngineError(`the translated statement is not run: ${reason}`);

/**
 * Checks translated SQL before DuckDB runs it, without trusting the translator: DuckDB's own parser must see one SELECT
 * over the tables of the job, with functions that access neither files nor settings. The configuration of the instance
 * is a further layer of protection (see database.ts).
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { EngineError } from "./engine-errors";
import { quoteLiteral } from "./sql-quoting";

/** The names that a statement may use. */
export interface StatementScope {
  /** Relations of the job by their SQL names, lower case. */
  readonly relations: ReadonlySet<string>;
  /** Table functions that our setup defines and the translator uses, lower case. */
  readonly tableFunctions?: ReadonlySet<string>;
}

/**
 * Checks a statement.
 * @throws EngineError naming the forbidden part.
 */
export async function guardStatement(
  connection: DuckDBConnection,
  sql: string,
  { relations, tableFunctions = noNames }: StatementScope,
): Promise<void> {
  const key = JSON.stringify([sql, [...relations], [...tableFunctions]]);
  if (key === lastAllowed) return;
  const statement = await parse(connection, sql);
  checkNode(statement, { relations, tableFunctions, ctes: noNames });
  lastAllowed = key;
}

/** The statement that was allowed last, with its names: most are checked and then run in the same process. */
let lastAllowed: string | undefined;

const noNames: ReadonlySet<string> = new Set();

/** The allowed table functions of DuckDB. All others read files, settings or the catalog, or run SQL text. */
const computingTableFunctions = new Set(["unnest", "generate_series", "range", "json_each", "json_tree"]);

/** Kinds of table references that only combine other references. */
const combiningReferences = new Set(["JOIN", "SUBQUERY", "EMPTY", "EXPRESSION_LIST"]);

/** Types of the other nodes of the syntax tree that are not expressions. */
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

/** Scalar functions that read or change state outside the statement. */
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

interface VisibleNames {
  readonly relations: ReadonlySet<string>;
  readonly tableFunctions: ReadonlySet<string>;
  /** Common table expressions in scope. */
  readonly ctes: ReadonlySet<string>;
}

type Node = Readonly<Record<string, unknown>>;

async function parse(connection: DuckDBConnection, sql: string): Promise<Node> {
  const reader = await connection.runAndReadAll(`SELECT json_serialize_sql(${quoteLiteral(sql)}::VARCHAR)`);
  const parsed = JSON.parse(String(reader.getRowsJson()[0]?.[0])) as Node;
  const isSyntax = parsed["error_subtype"] === "SYNTAX_ERROR";
  if (parsed["error"] === true && parsed["error_type"] === "parser" && !isSyntax) throw new EngineError(tooDeep);
  if (parsed["error"] === true) throw rejection(`it is not a SELECT statement (${String(parsed["error_message"])})`);
  const statements = parsed["statements"] as readonly Node[];
  if (statements.length !== 1) throw rejection(`it is ${statements.length} statements`);
  return statements[0]!;
}

function checkNode(value: unknown, names: VisibleNames): void {
  if (Array.isArray(value)) {
    for (const inner of value) checkNode(inner, names);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const node = value as Node;
  const inner = checkCommonTables(node, names);
  if (node["class"] === "FUNCTION") checkFunction(node);
  else if (isTableReference(node)) checkReference(node, inner);
  for (const [key, child] of Object.entries(node)) {
    if (key === "cte_map") continue;
    // checkReference has checked the call of a table function.
    if (key === "function" && node["type"] === "TABLE_FUNCTION") checkNode((child as Node)["children"], inner);
    else checkNode(child, inner);
  }
}

/** Checks the common table expressions of a query node. Each sees the earlier ones, and itself when it is recursive. */
function checkCommonTables(node: Node, names: VisibleNames): VisibleNames {
  const map = (node["cte_map"] as Node | undefined)?.["map"] as readonly Node[] | undefined;
  if (!map?.length) return names;
  const visible = new Set(names.ctes);
  for (const { key, value } of map) {
    const name = String(key).toLowerCase();
    const recursive = new Set(visible).add(name);
    checkNode(value, { ...names, ctes: isRecursive(value as Node) ? recursive : new Set(visible) });
    visible.add(name);
  }
  return { ...names, ctes: visible };
}

function isRecursive(value: Node): boolean {
  return ((value["query"] as Node | undefined)?.["node"] as Node | undefined)?.["type"] === "RECURSIVE_CTE_NODE";
}

/** Returns true when a node is a table reference. Unknown nodes count as table references, so that they are refused. */
function isTableReference(node: Node): boolean {
  const type = node["type"];
  return (
    node["class"] === undefined &&
    typeof type === "string" &&
    !structuralTypes.has(type) &&
    !type.endsWith("_TYPE_INFO")
  );
}

function checkReference(node: Node, names: VisibleNames): void {
  const type = String(node["type"]);
  if (combiningReferences.has(type)) return;
  if (type === "BASE_TABLE") return checkTable(node, names);
  if (type !== "TABLE_FUNCTION") throw rejection(`it contains a ${type}`);
  const call = node["function"] as Node;
  const name = String(call["function_name"]).toLowerCase();
  if (!computingTableFunctions.has(name) && !names.tableFunctions.has(name)) {
    throw rejection(`it calls the table function ${name}`);
  }
}

function checkTable(node: Node, { relations, ctes }: VisibleNames): void {
  const name = String(node["table_name"]);
  const qualified = node["schema_name"] !== "" || node["catalog_name"] !== "";
  const known = relations.has(name.toLowerCase()) || ctes.has(name.toLowerCase());
  if (qualified || !known) throw rejection(`it reads ${name}, which is not a table of the statement`);
}

function checkFunction(node: Node): void {
  const name = String(node["function_name"]).toLowerCase();
  if (forbiddenFunctions.has(name)) throw rejection(`it calls the function ${name}`);
}

/** The other errors of DuckDB's parser have a subtype. */
const tooDeep =
  "an expression has more than 1,000 operators or arguments within one another, such as a concat of as many texts: compute parts of it in a subquery";

const rejection = (reason: string) => new EngineError(`the translated statement was refused: ${reason}`);

/** HiveQL as far as syntax goes: is it HiveQL, is it one SELECT, which tables does it read. */
export { HiveQLError, type HiveQLProblem, type Position, semantic, unsupported } from "./errors";
export { type ParsedStatement, parseStatement } from "./parse";
export { readStatement } from "./statement";
export { type TableReference, tablesRead } from "./tables";
export { type CheckResult, checkStatement } from "./check";
export type * from "./syntax";

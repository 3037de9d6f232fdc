/** HiveQL syntax: parses a statement, checks that it is one SELECT, and lists the tables it reads. */
// oxlint-disable-next-line no-unassigned-import -- it must run before the other modules are loaded
import "./require-node";

export {
  HiveQLError,
  type HiveQLProblem,
  type InferredColumn,
  NoSuchColumn,
  type Position,
  semantic,
  unsupported,
} from "./errors";
export type { LeadingSetting } from "./leading-settings";
export { didYouMean, nearestName, noSuchColumn } from "./nearest-name";
export { type ParsedStatement, parseStatement } from "./parse";
export { typeInHive } from "./foreign-syntax";
export { readStatement } from "./read-statement";
export { type TableReference, tablesRead } from "./tables";
export { type StatementCheck, checkStatement } from "./check-statement";
export type * from "./ast";
export { conjuncts, isName, queryIn, subexpressions } from "./subexpressions";

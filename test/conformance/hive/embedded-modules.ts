/** The parts of the embedded engine that a comparison uses, in one bundle, so that they share their classes. */
export * as hiveql from "../../../hiveql/index";
export { duckdbErrorKind, EngineError } from "../../../service/engines/duckdb/engine-errors";
export { LocalEngineFiles } from "../../../service/engines/duckdb/files";
export { readStatement, readTables } from "../../../service/engines/duckdb/process/translator";
export { Tables } from "../../../service/engines/duckdb/tables";

/** The functions and columns that a statement may not have on another engine. */
import type { Reader } from "../../prepared-statement";

const words = (...lines: readonly string[]) => lines.flatMap((names) => names.split(" "));

/** Those that both engines have, or that are nothing to be missed on the other. */
const everywhere = words(
  "reflect reflect2 java_method in_file sleep",
  "current_user logged_in_user current_groups current_authorizer current_database buildversion version",
);

/** Functions that reach the server's code, files, settings or users, or whose effect is outside the statement. */
export const forbiddenFunctions: Readonly<Record<Reader, ReadonlySet<string>>> = {
  hive: new Set([
    ...everywhere,
    ...words(
      "restrict_information_schema get_splits get_llap_splits get_sql_schema execute_splits",
      "surrogate_key replicate_rows",
    ),
  ]),
  spark: new Set([
    ...everywhere,
    ...words(
      // These call code by its name, or take the name of a column, a function or a table from a text.
      "try_reflect identifier",
      "input_file_name input_file_block_start input_file_block_length python_worker_logs",
      "session_user user current_catalog current_schema current_path",
      // Their options name files and addresses from which the server reads a schema.
      "from_avro to_avro schema_of_avro from_protobuf to_protobuf from_xml schema_of_xml",
    ),
  ]),
};

/** Columns that every table has, and that show the server's files. */
export const forbiddenColumns: Readonly<Record<Reader, ReadonlySet<string>>> = {
  hive: new Set(["input__file__name", "block__offset__inside__file", "row__offset__inside__block"]),
  spark: new Set(["_metadata", "input__file__name", "block__offset__inside__file", "row__offset__inside__block"]),
};

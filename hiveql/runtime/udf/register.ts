/** Registration of the functions that are written in JavaScript because SQL cannot express them. */
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  FLOAT,
  type DuckDBConnection,
  DuckDBScalarFunction,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  VARCHAR,
} from "@duckdb/node-api";
import { jsonMember, jsonObject } from "./json-object";
import {
  addDecimals,
  divideDecimals,
  multiplyDecimals,
  plainDecimal,
  remainderDecimals,
  subtractDecimals,
} from "../java/decimals";
import { roundDecimalEven, roundDouble, truncateDouble } from "../java/exact-numbers";
import { expandUppercase, initcap, lowerInContext } from "./case";
import { printFloatingPoint, printText, printInteger } from "./printf";
import { regexExtract, regexReplace, regexSplit, regexTest } from "./regex";
import { conv } from "./conv";
import { percentileOf } from "./percentile";
import { printDouble, printFloat } from "../java/digits";
import { javaMathFunctions, pow } from "../java/strict-math";
import { murmurBytes, murmurDouble, murmurInteger } from "../java/murmur-hash";
import { hashDecimal, hashDouble, hashFloat, hashText } from "../java/hash-codes";
import {
  crc32,
  escapeControls,
  formatDecimal,
  formatDouble,
  levenshtein,
  utf16Position,
  sha2,
  soundex,
  unbase64,
  urlPart,
  urlQuery,
} from "./text";
import { longYear } from "../java/years";
import { zoneSeconds } from "../java/zones";

/** A function of non-NULL values; a NULL argument gives NULL. */
interface JavaScriptFunction {
  readonly name: string;
  readonly parameters: readonly DuckDBType[];
  readonly returns: DuckDBType;
  readonly compute: (...values: DuckDBValue[]) => DuckDBValue;
}

/** Declares a function; the parameter types are the types of the values that DuckDB passes. */
function javaScript<Values extends never[] | DuckDBValue[]>(
  name: string,
  parameters: readonly DuckDBType[],
  returns: DuckDBType,
  compute: (...values: Values) => DuckDBValue,
): JavaScriptFunction {
  return { name, parameters, returns, compute: compute as unknown as JavaScriptFunction["compute"] };
}

const decimals = [VARCHAR, VARCHAR, INTEGER];
/** The parameters of a printf directive: flags, width and precision. */
const directive = [VARCHAR, INTEGER, INTEGER];

const javaScriptFunctions: readonly JavaScriptFunction[] = [
  javaScript("hive_decimal_add", decimals, VARCHAR, addDecimals),
  javaScript("hive_decimal_subtract", decimals, VARCHAR, subtractDecimals),
  javaScript("hive_decimal_multiply", decimals, VARCHAR, multiplyDecimals),
  javaScript("hive_decimal_divide", decimals, VARCHAR, divideDecimals),
  javaScript("hive_decimal_remainder", decimals, VARCHAR, remainderDecimals),
  javaScript("hive_plain_decimal", [VARCHAR], VARCHAR, plainDecimal),
  javaScript("hive_round_double", [DOUBLE, INTEGER, BOOLEAN], DOUBLE, roundDouble),
  javaScript("hive_trunc_double", [DOUBLE, INTEGER], DOUBLE, truncateDouble),
  javaScript("hive_round_decimal_even", [VARCHAR, INTEGER], VARCHAR, roundDecimalEven),
  javaScript("hive_json_controls", [VARCHAR], VARCHAR, escapeControls),
  javaScript("hive_hash_text", [VARCHAR], INTEGER, hashText),
  javaScript("hive_hash_double", [DOUBLE], INTEGER, hashDouble),
  javaScript("hive_hash_float", [DOUBLE], INTEGER, hashFloat),
  javaScript("hive_hash_decimal", [VARCHAR], INTEGER, hashDecimal),
  javaScript("hive_murmur_bytes", [BLOB], INTEGER, murmurBytes),
  javaScript("hive_murmur_double", [DOUBLE], INTEGER, murmurDouble),
  javaScript("hive_murmur_whole", [BIGINT, INTEGER], INTEGER, murmurInteger),
  javaScript("hive_initcap", [VARCHAR], VARCHAR, initcap),
  javaScript("hive_expand_upper", [VARCHAR], VARCHAR, expandUppercase),
  javaScript("hive_lower_in_words", [VARCHAR], VARCHAR, lowerInContext),
  javaScript("hive_instr_halves", [VARCHAR, VARCHAR], INTEGER, utf16Position),
  javaScript("hive_reverse_characters", [VARCHAR], VARCHAR, (text: string) => [...text].toReversed().join("")),
  javaScript("hive_soundex", [VARCHAR], VARCHAR, soundex),
  javaScript("hive_levenshtein", [VARCHAR, VARCHAR], INTEGER, levenshtein),
  javaScript("hive_format_double", [DOUBLE, INTEGER], VARCHAR, formatDouble),
  javaScript("hive_format_decimal", [VARCHAR, INTEGER], VARCHAR, formatDecimal),
  javaScript("hive_url_part", [VARCHAR, VARCHAR], VARCHAR, urlPart),
  javaScript("hive_url_query", [VARCHAR, VARCHAR, VARCHAR], VARCHAR, urlQuery),
  javaScript("hive_conv", [VARCHAR, INTEGER, INTEGER], VARCHAR, conv),
  javaScript("hive_sha2", [BLOB, INTEGER], VARCHAR, sha2),
  javaScript("hive_unbase64", [VARCHAR], BLOB, unbase64),
  javaScript("hive_crc32", [BLOB], BIGINT, crc32),
  ...javaMathFunctions.map(([name, compute]) => javaScript(`hive_${name}`, [DOUBLE], DOUBLE, compute)),
  javaScript("hive_java_double", [DOUBLE], VARCHAR, printDouble),
  javaScript("hive_java_float", [FLOAT], VARCHAR, printFloat),
  javaScript("hive_pow", [DOUBLE, DOUBLE], DOUBLE, pow),
  javaScript("hive_printf_text", [VARCHAR, ...directive], VARCHAR, printText),
  javaScript("hive_printf_whole", [BIGINT, ...directive], VARCHAR, printInteger),
  javaScript("hive_printf_real", [DOUBLE, ...directive], VARCHAR, printFloatingPoint),
  javaScript("hive_regex_test", [VARCHAR, VARCHAR], BOOLEAN, regexTest),
  javaScript("hive_regex_extract", [VARCHAR, VARCHAR, INTEGER], VARCHAR, regexExtract),
  javaScript("hive_regex_replace", [VARCHAR, VARCHAR, VARCHAR], VARCHAR, regexReplace),
  javaScript("hive_regex_split", [VARCHAR, VARCHAR], LIST(VARCHAR), regexSplit),
  javaScript("hive_percentile_of", [LIST(DOUBLE), DOUBLE], DOUBLE, percentileOf),
  javaScript("hive_long_year", [BIGINT], VARCHAR, longYear),
  javaScript("hive_zone_seconds", [VARCHAR], INTEGER, zoneSeconds),
  javaScript("hive_json_object", [VARCHAR, VARCHAR], VARCHAR, jsonObject),
  javaScript("hive_json_member", [VARCHAR, VARCHAR], VARCHAR, jsonMember),
];

/** The method of a connection of `@duckdb/node-api` by which it takes functions, whatever that package's version. */
export interface FunctionRegistry {
  registerScalarFunction(scalarFunction: never): void;
}

/** Registers the functions on a connection. */
export function register(connection: FunctionRegistry): void {
  const registry = connection as DuckDBConnection;
  for (const { name, parameters, returns, compute } of javaScriptFunctions) {
    registry.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        parameterTypes: parameters,
        returnType: returns,
        mainFunction: (_info, input, output) => {
          const columns = Array.from({ length: input.columnCount }, (_unused, index) => input.getColumnVector(index));
          for (let row = 0; row < input.rowCount; row += 1) {
            const values = columns.map((column) => column.getItem(row));
            output.setItem(row, values.includes(null) ? null : compute(...values));
          }
          output.flush();
        },
      }),
    );
  }
}

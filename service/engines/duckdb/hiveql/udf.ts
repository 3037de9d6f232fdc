/** Functions in JavaScript, where no SQL form exists. */
import {
  type DuckDBConnection,
  DuckDBScalarFunction,
  DOUBLE,
  type DuckDBType,
  INTEGER,
  VARCHAR,
} from "@duckdb/node-api";
import { addDecimals, divideDecimals, multiplyDecimals, remainderDecimals, subtractDecimals } from "./decimals";
import { hashDecimal, hashDouble, hashFloat, hashText } from "./javaHash";

/** A function of non-NULL values; NULL where an argument is NULL or the result is. */
export interface JavaScriptFunction {
  readonly name: string;
  readonly parameters: readonly DuckDBType[];
  readonly returns: DuckDBType;
  readonly compute: (...values: never[]) => string | number | bigint | null;
}

const decimal = (
  name: string,
  compute: (left: string, right: string, scale: number) => string | null,
): JavaScriptFunction => ({
  name: `hive_decimal_${name}`,
  parameters: [VARCHAR, VARCHAR, INTEGER],
  returns: VARCHAR,
  compute: compute as JavaScriptFunction["compute"],
});

export const javaScriptFunctions: readonly JavaScriptFunction[] = [
  decimal("add", addDecimals),
  decimal("subtract", subtractDecimals),
  decimal("multiply", multiplyDecimals),
  decimal("divide", divideDecimals),
  decimal("remainder", remainderDecimals),
  {
    name: "hive_hash_text",
    parameters: [VARCHAR],
    returns: INTEGER,
    compute: hashText as JavaScriptFunction["compute"],
  },
  {
    name: "hive_hash_double",
    parameters: [DOUBLE],
    returns: INTEGER,
    compute: hashDouble as JavaScriptFunction["compute"],
  },
  {
    name: "hive_hash_float",
    parameters: [DOUBLE],
    returns: INTEGER,
    compute: hashFloat as JavaScriptFunction["compute"],
  },
  {
    name: "hive_hash_decimal",
    parameters: [VARCHAR],
    returns: INTEGER,
    compute: hashDecimal as JavaScriptFunction["compute"],
  },
];

/** Makes the functions known on a connection. */
export function register(connection: DuckDBConnection): void {
  for (const { name, parameters, returns, compute } of javaScriptFunctions) {
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        parameterTypes: parameters,
        returnType: returns,
        mainFunction: (_info, input, output) => {
          const columns = Array.from({ length: input.columnCount }, (_unused, index) => input.getColumnVector(index));
          for (let row = 0; row < input.rowCount; row += 1) {
            const values = columns.map((column) => column.getItem(row));
            output.setItem(row, values.includes(null) ? null : compute(...(values as never[])));
          }
          output.flush();
        },
      }),
    );
  }
}

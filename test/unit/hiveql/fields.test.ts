import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { castFromText, register, setupSql, textOf, translate } from "../../../hiveql/index";

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(":memory:")).connect();
  register(connection);
  for (const statement of setupSql) await connection.run(statement);
});
afterAll(() => connection.closeSync());

/** Parses a field of a text file as a type and prints the value. */
async function read(field: string, type: string): Promise<unknown> {
  const value = castFromText(`'${field.replaceAll("'", "''")}'`, type);
  const reader = await connection.runAndReadAll(`SELECT ${textOf(value, type)}`);
  return reader.getRows()[0]?.[0];
}

describe("castFromText: parses a field like Hive's LazySimpleSerDe", () => {
  test.each([
    ["1.5", "int", "1"],
    [" 12", "int", null],
    ["1e3", "int", null],
    ["0x1", "int", null],
    ["300", "tinyint", null],
    ["99999999999999999999", "bigint", null],
    [" 1.5", "double", "1.5"],
    ["1d", "double", "1.0"],
    ["1.5x", "double", null],
    ["1_0", "double", null],
    ["inf", "float", null],
    ["NaN", "float", "NaN"],
    ["TRUE", "boolean", "true"],
    ["False", "boolean", "false"],
    ["T", "boolean", null],
    ["1", "boolean", null],
    ["1.005", "decimal(5,2)", "1.01"],
    ["1000", "decimal(5,2)", null],
    ["1e1", "decimal(5,2)", "10.00"],
    ["1e-99", "decimal(5,2)", "0.00"],
    ["5e-324", "decimal(5,2)", null],
    ["0.5", "decimal(1,1)", "0.5"],
    ["2011-1-1", "date", "2011-01-01"],
    ["2011-01-01 10:00:00", "date", "2011-01-01"],
    ["2011-02-30", "date", null],
    ["220-1-5", "date", null],
    ["99-1-1", "date", null],
    ["220-1-5 ", "date", "0220-01-05"],
    ["20-01-05", "date", "0020-01-05"],
    ["2011-01-01", "timestamp", null],
    ["2011-01-01T10:00:00", "timestamp", "2011-01-01 10:00:00"],
    ["2011-01-01 10:00:00.120", "timestamp", "2011-01-01 10:00:00.12"],
    ["abcdef", "varchar(3)", "abc"],
    ["ab", "char(4)", "ab  "],
    ["YWJj", "binary", "abc"],
    ["YWI", "binary", "ab"],
    ["YQ==", "binary", "a"],
    ["YQ=", "binary", "YQ="],
    ["a b", "binary", "a b"],
    ["ab=c", "binary", "ab=c"],
    ["", "binary", ""],
    ["", "string", ""],
  ])("%j as %s is %j", async (field, type, printed) => {
    expect(await read(field, type)).toBe(printed);
  });

  test("fails for a timestamp with more digits than microseconds", async () => {
    await expect(read("2011-01-01 10:00:00.123456789", "timestamp")).rejects.toThrow("finer than microseconds");
  });

  test("throws for an unknown type", () => {
    expect(() => castFromText("x", "uuid")).toThrow(TypeError);
    expect(() => textOf("x", "decimal(40,2)")).toThrow(TypeError);
  });
});

describe("fileSql: writes a row like Hive's LazySimpleSerDe", () => {
  test("writes a binary as base64 without padding, which can be parsed again", async () => {
    const { fileSql } = translate(
      "select cast('abcd' as binary), unhex('FFFE'), cast(null as binary), 'abcd'",
      () => undefined,
    );
    const [row = []] = (await connection.runAndReadAll(fileSql)).getRows();
    expect(row).toEqual(["YWJjZA", "//4", null, "abcd"]);
    const again = `SELECT hex(${castFromText("'YWJjZA'", "binary")}), hex(${castFromText("'//4'", "binary")})`;
    expect((await connection.runAndReadAll(again)).getRows()).toEqual([["61626364", "FFFE"]]);
  });
});

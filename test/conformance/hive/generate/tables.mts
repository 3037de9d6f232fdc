/** The tables of generated statements, which are the same in both engines. */

/** A group of types that operators and functions accept alike. */
export type Family =
  | "integer"
  | "bigint"
  | "decimal"
  | "double"
  | "text"
  | "boolean"
  | "date"
  | "timestamp"
  | "interval"
  | "binary"
  | "array"
  | "map"
  | "struct";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly family: Family;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /**
   * Hive's file format.
   * @default "TEXTFILE"
   */
  readonly format?: "ORC";
  /** Values as texts for CAST, or as expressions for complex types; null is NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** The fields of a text file, instead of {@link rows}; a row may have fewer or more fields than there are columns. */
  readonly fields?: readonly (readonly string[])[];
}

const column = (name: string, type: string, family: Family): Column => ({ name, type, family });

/**
 * Values at the limits of every type. No text is a number with spaces around it: Hive reads such a text as a number or
 * as NULL, depending on how it runs the statement.
 */
export const limitsTable: Table = {
  name: "pool",
  columns: [
    column("id", "int", "integer"),
    column("ti", "tinyint", "integer"),
    column("si", "smallint", "integer"),
    column("i", "int", "integer"),
    column("bi", "bigint", "bigint"),
    column("dc", "decimal(10,2)", "decimal"),
    column("big", "decimal(38,18)", "decimal"),
    column("f", "float", "double"),
    column("d", "double", "double"),
    column("s", "string", "text"),
    column("w", "string", "text"),
    column("vc", "varchar(10)", "text"),
    column("ch", "char(6)", "text"),
    column("b", "boolean", "boolean"),
    column("dt", "date", "date"),
    column("ts", "timestamp", "timestamp"),
    column("bn", "binary", "binary"),
    column("ai", "array<int>", "array"),
    column("at", "array<string>", "array"),
    column("m", "map<string,int>", "map"),
    column("st", "struct<a:int,b:string>", "struct"),
    column("wide", "decimal(38,4)", "decimal"),
    column("fine", "decimal(38,30)", "decimal"),
  ],
  // prettier-ignore
  rows: [
    ["1", "1", "1", "1", "1", "1.50", "1.5", "1.5", "1.5", "1.5", "hello world", "abc", "abc", "true", "2011-01-31", "2011-01-31 10:11:12", "abc", "array(1, 2, 3)", "array('a', 'b')", "map('a', 1, 'b', 2)", "named_struct('a', 1, 'b', 'x')", "1.5", "1.5"],
    ["2", "-1", "-300", "-70000", "-5000000000", "-2.55", "-0.000000000000000001", "-2.25", "-2.5", "-3", "Hello", "Abc ", "ab", "false", "2012-02-29", "2012-02-29 23:59:59.5", "Ab c", "array(3, 1, 2)", "array('', 'b')", "map('b', -1)", "named_struct('a', -1, 'b', '')", "-3", "-0.000000000000000000000000000009"],
    ["3", "127", "32767", "2147483647", "9223372036854775807", "99999999.99", "12345678901234567890.123456789", "3.4E38", "1.7E308", "1e3", "a,b,c", "12", "12", "true", "1999-12-31", "1999-12-31 00:00:00", "", "array(-1)", "array('12')", "map('', 0)", "named_struct('a', 2147483647, 'b', 'a,b')", "1234567890123456789012345678901234.5678", "12345678.123456789012345678901234567891"],
    ["4", "-128", "-32768", "-2147483648", "-9223372036854775808", "0.00", "0", "1.0E-5", "1.0E-300", "abc", "aXbXc", "", "x", "false", "1970-01-01", "1970-01-01 00:00:00", "12", "array(1, 1)", "array('b', 'a', 'b')", "map('a', 7)", "named_struct('a', 0, 'b', 'abc')", "0", "0"],
    ["5", "0", "0", "0", "0", "0.01", "1", "0", "0", "", "", "2011-01-05", "zz", "true", "1900-03-01", "2024-06-15 12:30:45.123456", "x", "array(0, -2)", "array('hello')", "map('k', 3)", "named_struct('a', 5, 'b', 'Hello')", "100000000000000000000", "0.999999999999999999999999999999"],
    ["6", "7", "100", "12345", "123456789012", "12.34", "3.3", "0.1", "0.1", "2011-01-05 10:00:00", "äÖ é", "%a_", "a_", "false", "2024-12-30", "2000-02-29 01:02:03", "é", "array(7)", "array('é', 'z')", "map('c', 1, 'a', 2)", "named_struct('a', 7, 'b', 'é')", "-99999999999999999999.9999", "0.0000000000000000005"],
    ["7", "33", "255", "1000000", "86400", "100.50", "-99.99", "1234567.9", "12345678.9", "12abc", "foo bar  baz", "NULL", "é", "true", "2015-07-31", "1950-07-08 09:10:11", "zz", "array(33, 32)", "array('NULL')", "map('x', 9)", "named_struct('a', 33, 'b', ' ')", "12.34", "-7.000000000000000001"],
    ["8", "2", "3", "10", "31", "-0.50", "2.5", "2.5", "0.5", "true", "key=1&b=2", "10", "7", "true", "2015-03-01", "2015-03-01 06:00:00.001", "10", "array(10, 9)", "array('10', '9')", "map('1', 1)", "named_struct('a', 10, 'b', '7')", "2.5", "2.5"],
    ["9", null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null],
  ],
};

/** Small values with NULLs and ties, for groups, joins and windows. */
export const salesTable: Table = {
  name: "sales",
  columns: [
    column("id", "int", "integer"),
    column("k", "int", "integer"),
    column("n", "bigint", "bigint"),
    column("p", "decimal(10,2)", "decimal"),
    column("x", "double", "double"),
    column("t", "string", "text"),
    column("u", "string", "text"),
    column("ok", "boolean", "boolean"),
    column("day", "date", "date"),
    column("at", "timestamp", "timestamp"),
    column("tags", "array<string>", "array"),
    column("m", "map<string,int>", "map"),
  ],
  // prettier-ignore
  rows: [
    ["1", "1", "10", "1.50", "0.5", "red", "a", "true", "2020-01-31", "2020-01-31 10:00:00", "array('a', 'b')", "map('a', 1)"],
    ["2", "1", "20", "2.50", "1.5", "red", "b", "false", "2020-02-29", "2020-02-29 00:00:00", "array('b')", "map('a', 2, 'b', 3)"],
    ["3", "1", null, "-1.50", "1.5", "blue", "a", "true", "2020-02-29", "2020-02-29 12:30:00", "array('c', 'a', 'c')", "map('b', 1)"],
    ["4", "2", "20", null, "-2.5", "blue", null, null, "2020-12-31", "2020-12-31 23:59:59", null, null],
    ["5", "2", "30", "0.25", null, "", "10", "false", null, null, "array('d')", "map('c', 5)"],
    ["6", null, "0", "10.00", "4", null, "c", "true", "2019-07-01", "2019-07-01 01:02:03", "array('e')", "map('a', 0)"],
    ["7", null, "-5", "3.00", "0", null, "a", "true", "2020-01-31", "2020-01-31 10:00:00", "array('a')", "map('d', -1)"],
    ["8", "3", "7", "3.00", "2.5", "green", "2", "false", "2021-03-28", "2021-03-28 02:30:00", null, "map('a', 1)"],
  ],
};

/** A table to join with {@link salesTable}; some of its keys have no match there. */
export const itemsTable: Table = {
  name: "items",
  columns: [
    column("id", "int", "integer"),
    column("k", "int", "integer"),
    column("q", "bigint", "bigint"),
    column("c", "decimal(8,3)", "decimal"),
    column("t", "string", "text"),
    column("day", "date", "date"),
    column("s", "smallint", "integer"),
    column("f", "float", "double"),
    column("e", "decimal(20,10)", "decimal"),
    column("ch", "char(5)", "text"),
    column("vc", "varchar(4)", "text"),
    column("ok", "boolean", "boolean"),
    column("at", "timestamp", "timestamp"),
    column("bn", "binary", "binary"),
  ],
  // prettier-ignore
  rows: [
    ["1", "1", "20", "1.500", "red", "2020-02-29", "1", "0.5", "1.5", "red", "red", "true", "2020-02-29 00:00:00", "a"],
    ["2", "1", "10", "0.125", "blue", "2020-01-31", "10", "1.5", "0.1234567891", "a", "10", "false", "2020-01-31 10:00:00", "b"],
    ["3", "3", null, "3.000", null, null, null, null, null, null, null, null, null, null],
    ["4", null, "30", null, "green", "2021-03-28", "-5", "-2.5", "9999999999.9999999999", "green", "b", "true", "2021-03-28 02:30:00.5", "10"],
    ["5", "9", "7", "-1.500", "1", "2020-12-31", "3", "0.1", "-1.5", "1", "1", null, "1969-12-31 23:59:59", ""],
  ],
};

/** A table without rows. */
export const emptyTable: Table = {
  name: "nobody",
  columns: [
    column("id", "int", "integer"),
    column("k", "int", "integer"),
    column("c", "decimal(10,2)", "decimal"),
    column("x", "double", "double"),
    column("t", "string", "text"),
    column("day", "date", "date"),
    column("tags", "array<string>", "array"),
  ],
  rows: [],
};

const noInts = "array_except(array(1), array(1))";

/** Nested values, stored as ORC because text files do not distinguish empty arrays from NULL. */
export const nestedTable: Table = {
  name: "deep",
  format: "ORC",
  columns: [
    column("id", "int", "integer"),
    column("aa", "array<array<int>>", "array"),
    column("st", "array<struct<a:int,b:string>>", "array"),
    column("ma", "map<string,array<int>>", "map"),
    column("s", "struct<a:int,c:struct<d:string,e:array<int>>>", "struct"),
    column("mi", "map<int,string>", "map"),
    column("ai", "array<int>", "array"),
    column("t", "string", "text"),
  ],
  // prettier-ignore
  rows: [
    ["1", "array(array(1, 2), array(3))", "array(named_struct('a', 1, 'b', 'x'), named_struct('a', 2, 'b', 'y'))", "map('k', array(1, 2), 'l', array(3))", "named_struct('a', 1, 'c', named_struct('d', 'x', 'e', array(1, 2)))", "map(1, 'x', 2, 'y')", "array(3, 1, 2)", "k"],
    ["2", `array(${noInts}, array(4))`, "array(named_struct('a', cast(null as int), 'b', ''))", `map('k', ${noInts})`, `named_struct('a', 2, 'c', named_struct('d', cast(null as string), 'e', ${noInts}))`, "map(0, '')", noInts, "l"],
    ["3", null, null, null, null, null, null, null],
    ["4", "array(array(5))", "array(named_struct('a', 0, 'b', 'é'))", "map('m', array(7))", "named_struct('a', cast(null as int), 'c', named_struct('d', 'z', 'e', array(9)))", "map(-1, 'é')", "array(7, 7)", "m"],
  ],
};

export const tables: readonly Table[] = [limitsTable, salesTable, itemsTable, emptyTable, nestedTable];

/** Returns HiveQL that selects a table's rows, or one row of NULLs when the table is empty. */
export function rowsOf({ columns, rows }: Table): string {
  const structs = (rows.length > 0 ? rows : [[]]).map(
    (row) => `struct(${columns.map((each, index) => value(each, row[index] ?? null)).join(", ")})`,
  );
  return `SELECT inline(array(${structs.join(",\n")}))`;
}

/**
 * Returns HiveQL that selects the same rows for the embedded engine, which refuses some casts of literals in structs,
 * expressions that make chars, and array_except. It holds a char as a text without its trailing spaces.
 */
export const unionOfRows = ({ columns, rows }: Table): string =>
  (rows.length > 0 ? rows : [[]])
    .map(
      (row) => `SELECT ${columns.map((each, index) => heldValue(each, row[index] ?? null)).join(", ")} ${fromNoInts}`,
    )
    .join(" UNION ALL ");

const fromNoInts = "FROM (SELECT collect_list(CAST(NULL AS int)) AS ints) n";

function heldValue(held: Column, text: string | null): string {
  const { type } = held;
  if (!type.startsWith("char")) return value(held, text).replaceAll(noInts, "n.ints");
  return `rtrim(${value({ ...held, type: `var${type}` }, text)})`;
}

/** Returns a column's distinct values as HiveQL expressions. */
export function columnLiterals({ columns, rows }: Table, name: string): string[] {
  const index = columns.findIndex((each) => each.name === name);
  const found = columns[index];
  return found ? [...new Set(rows.map((row) => value(found, row[index] ?? null)))] : [];
}

function value({ type, family }: Column, text: string | null): string {
  const isComplex = family === "array" || family === "map" || family === "struct";
  if (text === null) return isComplex ? `if(true, null, ${sample[type] ?? "null"})` : `cast(null as ${type})`;
  return isComplex ? text : `cast('${text}' as ${type})`;
}

/** A value of each complex type, for typed NULLs. */
const sample: Readonly<Record<string, string>> = {
  "array<int>": "array(1)",
  "array<string>": "array('')",
  "array<array<int>>": "array(array(1))",
  "array<struct<a:int,b:string>>": "array(named_struct('a', 1, 'b', ''))",
  "map<string,array<int>>": "map('', array(1))",
  "map<int,string>": "map(1, '')",
  "struct<a:int,c:struct<d:string,e:array<int>>>": "named_struct('a', 1, 'c', named_struct('d', '', 'e', array(1)))",
  "map<string,int>": "map('', 1)",
  "struct<a:int,b:string>": "named_struct('a', 1, 'b', '')",
};

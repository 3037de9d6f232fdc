/** Generates a text file whose fields are read as every type, to compare which texts are values and which are NULL. */
import fc from "fast-check";
import type { Table } from "./generate/tables.mts";

/** The columns' types. */
// prettier-ignore
const types = [
  "string", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)", "decimal(38,18)", "boolean",
  "date", "timestamp", "varchar(5)", "char(5)", "binary",
];

/** Texts that are values of some type, almost values, or values at the type's limits. */
// prettier-ignore
const known = [
  "", " ", "\\N", "NULL", "0", "1", "-1", "+1", "007", "127", "128", "-129", "32768", "2147483647", "2147483648",
  "9223372036854775807", "9223372036854775808", "-9223372036854775808", "99999999999999999999", "1.5", "-0.5", ".5", "5.",
  "1.005", "12345678.995", "99999999.99", "123456789.1", "1e2", "1E-3", "1e400", "1d", "1f", "1L", "0x1F", "1_000", "1,000",
  "NaN", "nan", "Infinity", "-Infinity", "inf", "-0.0", "true", "TRUE", "False", "t", "yes", "on", "2020-01-05", "2020-1-5",
  "2020-02-30", "2020-13-01", "0001-01-01", "9999-12-31", "10000-01-01", "2020-01-05 10:11:12", "2020-01-05 10:11:12.5",
  "2020-01-05 10:11:12.123456", "2020-01-05T10:11:12", "2020-01-05T10:11:12Z", "2020-01-05 10:11", "2020-01-05 24:00:00",
  "2020-01-05 1:2:3", " 12 ", "12 ", "\t12", "1 2", "abc", "abcdef", "a  ", "éa", "aGVsbG8=", "aGVsbG8", "YQ==", "a=b",
];
const alphabet = [..."0123456789+-.eEdfL:TZ /,_\\Nnaté=٣"];

/** Generates a known text, or one with a character inserted, removed or replaced. */
const text = fc
  .tuple(fc.constantFrom(...known), fc.nat(3), fc.nat(30), fc.constantFrom(...alphabet))
  .map(([whole, change, at, letter]) => {
    const letters = [...whole];
    const place = at % (letters.length + 1);
    if (change === 0) return whole;
    return letters.toSpliced(place, change === 1 ? 0 : 1, ...(change === 2 ? [] : [letter])).join("");
  });

/**
 * Returns the table `dirty`: each row has one text in a field of every type. Every tenth row has missing fields at its
 * end or an extra field.
 * @param count number of generated texts besides the known ones.
 */
export function dirtyTable(seed: number, count: number): Table {
  // Both make the embedded engine fail: years of more than four digits, on which Hive's own modes disagree, and seconds
  // with more than six decimals.
  const texts = [...new Set([...known, ...fc.sample(text, { numRuns: count, seed })])].filter(
    (each) => !/\d{5,}-|:\d+\.\d{7}/.test(each),
  );
  const fields = texts.map((each, index) => {
    const row = [String(index), ...types.map(() => each)];
    if (index % 10 !== 9) return row;
    return index % 20 === 9 ? row.slice(0, 2 + (index % types.length)) : [...row, "more"];
  });
  const columns = [
    { name: "id", type: "int", family: "integer" as const },
    ...types.map((type, index) => ({ name: `c${index}`, type, family: "text" as const })),
  ];
  return { name: "dirty", columns, rows: [], fields };
}

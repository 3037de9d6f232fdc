import { expect, test } from "vitest";
import {
  defaultNames,
  isHeader,
  repeatsNames,
  SampledRows,
} from "../../../../../../../service/engines/duckdb/tables/undeclared/inference";

test.each<[readonly (string | null)[], boolean]>([
  [["id", "name"], true],
  [["Cost Total $", "naïve", "_x", " spaced "], true],
  [["id", "7"], false],
  [["id", "1.5"], false],
  [["id", "2020-01-01"], false],
  [["id", "-1"], false],
  [["id", ""], false],
  [["id", null], false],
  [["id", "ID"], false],
  [["id", "true"], false],
  [["id", "NaN"], false],
  [[], false],
])("isHeader: %j is %s", (row, expected) => expect(isHeader(row)).toBe(expected));

test.each<[readonly (string | null)[], string]>([
  [["1", "-2", "0"], "bigint"],
  [["1", "2.5", "1e10"], "double"],
  [["1.0"], "double"],
  [["true", "False"], "boolean"],
  [["2020-02-29", "1999-12-31"], "date"],
  [["2020-02-29 00:00:00", "2020-02-29 00:00:00.5"], "timestamp"],
  [["2020-02-29", "2020-02-29 00:00:00"], "string"],
  [["2021-02-29"], "string"],
  [["007"], "string"],
  [["+1"], "string"],
  [["-0"], "double"],
  [[" 1"], "string"],
  [["1", "x"], "string"],
  [["9999999999999999999"], "string"],
  [["9999999999999.9998"], "string"],
  [["99999999999999.99"], "string"],
  [["-1.0", "123456789.123456789"], "string"],
  [["1.00000000000000001"], "string"],
  [["0.30000000000000004", "2.220446049250313e-16", "1.1805916207174113E+21"], "double"],
  [["0.10000000000000001", "-73.982154846191406", "73.981109619140625"], "double"],
  [["125.29849243164062", "125.29849243164063"], "double"],
  [["1.0000000000000001"], "string"],
  [["0.012345678901234567", "0.00012345678901234567"], "double"],
  [["51.12345678901234567"], "string"],
  [["1.000000000000000056e-01", "-8.999999999999999667E-02", "0.000000000000000000e+00"], "double"],
  [["0.100000001490116119", "-125.694297387179304"], "double"],
  [["1.5e-120", "5e-324", "4.9E-324", "1.7976931348623157E308", "0e-400"], "double"],
  [["1e999"], "string"],
  [["1e-400"], "string"],
  [["1234567890123456.0", "9007199254740992.0"], "double"],
  [["0.5", "1234567890123456", "-0"], "double"],
  [["9.5", "0.10000000000000001", "12345678901234568"], "double"],
  [["0.1", "100000000000000000000"], "double"],
  [["0.5", "12345678901234567"], "string"],
  [["0.5", "9007199254740993"], "string"],
  [["12345678901234567000"], "string"],
  [["9007199254740993.0"], "string"],
  [["10.500000000000000", "-0.0000000000000000", "999999999999999.90"], "double"],
  [["NaN"], "string"],
  [["1", "", null], "bigint"],
  [["", null], "string"],
  [[], "string"],
])("SampledRows: %j are %s", (cells, type) => {
  const sample = new SampledRows();
  for (const cell of cells) sample.add([cell]);
  const isUnseen = cells.every((cell) => cell === null || cell === "");
  const columns = sample.columns(["a"]).map(({ nonNumber: _why, ...column }) => column);
  expect(columns).toEqual([{ name: "a", type, ...(isUnseen && { isUnseen }) }]);
});

test("SampledRows: short rows count as empty, and the widest row is the width", () => {
  const sample = new SampledRows();
  for (const row of [["1"], ["2", "3"]]) sample.add(row);
  expect(sample.width).toBe(2);
  expect(sample.columns(["a", "b"])).toEqual([
    { name: "a", type: "bigint" },
    { name: "b", type: "bigint" },
  ]);
});

test("repeatsNames: compares the names in order, ignoring case and spaces", () => {
  const names = ["a", "b c"];
  expect(repeatsNames(["A", " B c "], names)).toBe(true);
  expect(repeatsNames(["a"], names)).toBe(false);
  expect(repeatsNames(["b c", "a"], names)).toBe(false);
  expect(repeatsNames(undefined, names)).toBe(false);
});

test("defaultNames: _c0, _c1, …", () => expect(defaultNames(2)).toEqual(["_c0", "_c1"]));

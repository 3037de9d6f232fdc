import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "./answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** Checks the text that Hive prints for each expression. */
function prints(cases: readonly (readonly [expression: string, value: string])[]) {
  test.each(cases)("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
}

function hasType(cases: readonly (readonly [expression: string, type: string])[]) {
  test.each(cases)("%s has the type %s", (expression, type) => {
    expect(answers.typesOf(`select ${expression}`)).toEqual([type]);
  });
}

describe("arithmetic: Hive's types and limits", () => {
  prints([
    ["2147483647 + 1", "-2147483648"],
    ["cast(127 as tinyint) + cast(1 as tinyint)", "-128"],
    ["9223372036854775807 * 2", "-2"],
    ["5 / 2", "2.5"],
    ["6 / 3", "2.0"],
    ["5 / 0", "NULL"],
    ["5 % 0", "NULL"],
    ["5.0 / 0", "NULL"],
    ["7 div 2", "3"],
    ["-7 div 2", "-3"],
    ["-7 % 3", "-1"],
    ["'3' + 4", "7.0"],
    ["'x' + 1", "NULL"],
    ["0.1 + 0.2", "0.3"],
    ["1.5 * 1.5", "2.25"],
    ["- '5'", "-5.0"],
    ["5 & 3 | 8 ^ 1", "9"],
    ["~5", "-6"],
    ["1 + null", "NULL"],
  ]);
  hasType([
    ["1 + 1", "int"],
    ["1 + 1L", "bigint"],
    ["1Y + 1S", "smallint"],
    ["1.5 + 1", "decimal(3,1)"],
    ["1.5 * 2L", "decimal(4,1)"],
    ["1.5 / 3", "decimal(7,6)"],
    ["1.5 * 2 * 3", "decimal(6,1)"],
    ["1 / 2", "double"],
    ["'1' + 1.5", "double"],
    ["cast(1 as float) + 1.5", "float"],
    ["cast(1 as decimal(38,18)) * cast(1 as decimal(38,18))", "decimal(38,6)"],
    ["cast(1 as decimal(38,18)) / cast(1 as decimal(10,2))", "decimal(38,16)"],
    ["7 div 2", "bigint"],
    ["9223372036854775808", "decimal(19,0)"],
    ["1e3", "double"],
  ]);
  test("the precision of a literal in arithmetic with a column is its number of digits", () => {
    const items = ["cast(n as decimal(10,2)) * 2", "cast(n as decimal(10,2)) / 12L", "cast(n as decimal(10,2)) + n"];
    expect(answers.typesOf(`select ${items.join(", ")} from visits`)).toEqual([
      "decimal(12,2)",
      "decimal(14,6)",
      "decimal(22,2)",
    ]);
  });
});

describe("cast: text that cannot be parsed is NULL", () => {
  prints([
    ["cast('1.5' as int)", "1"],
    ["cast(' 12 ' as int)", "12"],
    ["cast('1e3' as int)", "NULL"],
    ["cast('300' as tinyint)", "NULL"],
    ["cast(300 as tinyint)", "44"],
    ["cast('abc' as double)", "NULL"],
    ["cast('1d' as double)", "1.0"],
    ["cast(1e20 as int)", "2147483647"],
    ["cast(-1.9 as int)", "-1"],
    ["cast('' as boolean)", "false"],
    ["cast('no' as boolean)", "false"],
    ["cast('x' as boolean)", "true"],
    ["cast(true as string)", "TRUE"],
    ["cast(concat('2011-02', '-30') as date)", "NULL"],
    ["cast('2011-1-5 10:00:00' as date)", "2011-01-05"],
    ["cast('2011-01-01 10:00' as timestamp)", "2011-01-01 10:00:00"],
    ["cast('2011-01-01 10:00:00.120' as timestamp)", "2011-01-01 10:00:00.12"],
    ["cast(cast('1.122' as decimal(38,18)) as double)", "1.122"],
    ["cast(cast('1.122' as decimal(38,18)) as float)", "1.122"],
    ["cast(cast('16777217.1' as decimal(10,1)) as float)", "1.6777218E7"],
    ["cast(1.55 as decimal(2,1))", "1.6"],
    ["cast('123.45' as decimal(4,2))", "NULL"],
    ["cast('abcdef' as varchar(3))", "abc"],
  ]);
});

describe("comparison: the type that Hive compares in", () => {
  prints([
    ["'9' > 10", "false"],
    ["'9' > '10'", "true"],
    ["1 = '1.0'", "true"],
    ["'a' = 1", "NULL"],
    ["null = null", "NULL"],
    ["null <=> null", "true"],
    ["1 == 1", "true"],
    ["not 1 = 2", "true"],
    ["! 1 = 1", "false"],
    ["cast('2011-01-01' as date) = '2011-01-01'", "true"],
    ["cast('2011-01-01 00:00:00' as timestamp) = '2011-01-01'", "true"],
    ["'x' < cast('2011-01-01' as date)", "NULL"],
    ["1 in ('1', 'x')", "true"],
    ["2 in (1, null)", "NULL"],
    ["1 not in (2, 3)", "true"],
    ["5 between 1 and 10", "true"],
    ["5 not between 1 and 10", "false"],
    ["null is null", "true"],
    ["true is not false", "true"],
    ["cast('NaN' as double) = cast('NaN' as double)", "true"],
  ]);
});

describe("strings: quotes, escapes, patterns", () => {
  prints([
    [String.raw`"it's"`, "it's"],
    [String.raw`'it\'s'`, "it's"],
    ["'abc' like 'a%'", "true"],
    ["'abc' not like '_b_'", "false"],
    [String.raw`'a_b' like 'a\\_b'`, "true"],
    [String.raw`'axb' like 'a\\_b'`, "false"],
    ["'abc' rlike 'b.?$'", "true"],
    ["'abc' regexp '^b'", "false"],
    ["'abc' like any ('x%', 'a%')", "true"],
    ["'a' || 1 || 2.50", "a12.5"],
    ["concat('a', null)", "NULL"],
    ["concat_ws(',', 'a', null, 'b')", "a,b"],
    ["concat_ws(substr('a-b', 2, 1), 'x', null, 'y', array('z'))", "x-y-z"],
    ["concat_ws(substr('a-b', 2, 1), array())", ""],
    ["replace('', '', 'x')", "x"],
    ["concat(-0.0D, ' ', -0e0, ' ', 0.0D, ' ', -cast(0 as double))", "-0.0 -0.0 0.0 -0.0"],
    ["substr('hello', 0, 2)", "he"],
    ["substr('hello', -3)", "llo"],
    ["substr('hello', -10)", ""],
    ["lpad('hi', 5, 'ab')", "abahi"],
    ["initcap('hELLO wORLD')", "Hello World"],
    ["instr('hello', 'l')", "3"],
    ["locate('l', 'hello', 4)", "4"],
    ["split('a,b,,', ',')", '["a","b","",""]'],
    ["regexp_replace('foobar', '(o+)', '[$1]')", "f[oo]bar"],
    ["regexp_extract('a-12-b', '([a-z])-([0-9]+)', 2)", "12"],
    ["format_number(12345.675, 2)", "12,345.68"],
    ["format_number(2.5, 0)", "2"],
    ["conv('ff', 16, 10)", "255"],
    ["bround(1e300)", "1.0E300"],
    ["bround(2.5)", "2"],
    ["bround(2.5e0)", "2.0"],
    ["bround(-125, -1)", "-120"],
    ["bround(cast('0.125' as decimal(10,3)), 2)", "0.12"],
    ["hex('abc')", "616263"],
    ["md5('a')", "0cc175b9c0f1b6a831c399e269772661"],
    ["crc32('abc')", "891568578"],
    ["parse_url('http://u@h.org:1/p?q=1#r', 'HOST')", "h.org"],
    ["soundex('Miller')", "M460"],
    ["levenshtein('kitten', 'sitting')", "3"],
    ["ascii('é')", "-61"],
  ]);
});

describe("numbers: rounding and printing", () => {
  prints([
    ["1.0 / 3", "0.333333"],
    ["0.005 / 86400L", "0.000000058"],
    ["pow(1, cast('Infinity' as double))", "NaN"],
    ["cast('12.25' as decimal(10,2)) * cast('12345678901234567890.123456789012345678' as decimal(38,18))", "NULL"],
    ["cos(cast('Infinity' as double))", "NaN"],
    ["asin(cast('NaN' as double))", "NaN"],
    ["acos(2)", "NULL"],
    ["cast(300.5 as tinyint)", "NULL"],
    ["round(1e19 * 1)", "1.0E19"],
    ["true < isnotfalse(true)", "false"],
    ["isnottrue(false) <> isnottrue(cast(null as boolean))", "false"],
    ["isnotfalse(false)", "false"],
    ["isnotfalse(cast(null as boolean))", "true"],
    ["sort_array(array(isnottrue(true) = isnotfalse(true), istrue(true) = isfalse(false)))", "[false,true]"],
    ["round(2.5)", "3"],
    ["round(-2.5)", "-3"],
    ["round(1.005e0, 2)", "1.01"],
    ["round(1234, -2)", "1200"],
    ["floor(-1.5)", "-2"],
    ["ceil(1.2e0)", "2"],
    ["1e7", "1.0E7"],
    ["1e-4", "1.0E-4"],
    ["123456789.125e0", "1.23456789125E8"],
    ["cast(1.1 as float)", "1.1"],
    ["sqrt(-1)", "NULL"],
    ["log2(8)", "3.0"],
    ["greatest(1, 2.5)", "2.5"],
    ["least(1, null)", "NULL"],
    ["pmod(-7, 3)", "2"],
    ["factorial(21)", "NULL"],
    ["shiftleft(1, 33)", "2"],
    ["shiftrightunsigned(-1, 28)", "15"],
  ]);
  hasType([
    ["round(1.55, 1)", "decimal(3,1)"],
    ["floor(1.5)", "decimal(2,0)"],
    ["floor(1)", "bigint"],
    ["abs(1Y)", "int"],
    ["sum(1.5)", "decimal(12,1)"],
    ["avg(1.5)", "decimal(6,5)"],
    ["null + 1.5", "double"],
    ["null * null", "void"],
    ["null / null", "double"],
    ["shiftleft(null, 1)", "bigint"],
    ["~null", "bigint"],
    ["sum(1)", "bigint"],
    ["sum('1')", "double"],
  ]);
});

describe("conditions: one type for all branches", () => {
  prints([
    ["if(null, 1, 2)", "2"],
    ["coalesce(null, 1, 2.5)", "1.0"],
    ["nvl(null, 'x')", "x"],
    ["case 2 when 1 then 'a' when '2' then 'b' end", "b"],
    ["case when false then 1 end", "NULL"],
    ["nullif(1, 1)", "NULL"],
  ]);
  hasType([
    ["if(true, 1, 1.5)", "decimal(11,1)"],
    ["if(true, 1, 'a')", "string"],
    ["coalesce(1, 1e0)", "double"],
    ["coalesce(cast('a' as varchar(5)), cast('b' as varchar(10)))", "varchar(10)"],
    ["array(1, 1.5)", "array<decimal(11,1)>"],
  ]);
});

describe("dates: intervals", () => {
  prints([
    ["date '2011-01-31' + interval '1' month", "2011-02-28"],
    ["date '2012-01-01' + 30 days", "2012-01-31 00:00:00"],
    ["date '2011-01-02' - date '2011-01-01'", "1 00:00:00.000000000"],
    ["interval '1-2' year to month", "1-2"],
    ["interval '1 02:03:04.5' day to second", "1 02:03:04.500000000"],
    ["interval '1' day > interval '23' hour", "true"],
  ]);
});

describe("complex values", () => {
  prints([
    ["array(1, null)", "[1,null]"],
    ["map('a', 1)", '{"a":1}'],
    ["named_struct('a', 'x\"y', 'b', 1.5e0)", '{"a":"x\\"y","b":1.5}'],
    ["array(1, 2)[1]", "2"],
    ["array(1, 2)[5]", "NULL"],
    ["map('a', 1)['b']", "NULL"],
  ]);
});

describe("dates: an int on the right is a number of days", () => {
  prints([
    ["date '2020-01-31' + 1", "2020-02-01"],
    ["date '2020-01-31' - 1 - 30", "2019-12-31"],
    ["to_date('2020-02-28 10:00:00') + 1 * 2", "2020-03-01"],
    ["date '2020-01-31' + cast(null as int)", "NULL"],
  ]);

  test.each(["1 + joined", "joined + 1L", "cast(joined as timestamp) + 1", "joined + 1.5", "joined * 2"])(
    "%s is refused, as by Hive",
    async (expression) => {
      await expect(answers.answer(`select ${expression} from people`)).rejects.toThrow("needs numbers, not");
    },
  );
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers, refusal } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

const is = (expression: string, value: string, type: string) => [expression, value, type] as const;

describe("strings: values and types are Hive's", () => {
  test.each([
    is("concat(cast('ab' as varchar(4)), cast('c' as varchar(2)))", "abc", "varchar(6)"),
    is("concat(1, cast('c' as varchar(2)))", "1c", "string"),
    is("concat(true, date '2011-01-01')", "TRUE2011-01-01", "string"),
    is("upper(cast('abc' as varchar(5)))", "ABC", "varchar(5)"),
    is("lower(1.5)", "1.5", "string"),
    is("upper('Straße ﬁn ŉ')", "STRASSE FIN ʼN", "string"),
    is("upper('élan')", "ÉLAN", "string"),
    is("lower('ΟΔΟΣ ΟΔΟΣ.')", "οδος οδος.", "string"),
    is("lower('İSTANBUL')", "i̇stanbul", "string"),
    is("initcap('ß ßa élan')", "ß ßa Élan", "string"),
    is("initcap('a\\u00a0b\\tc')", "A\u00a0b\tC", "string"),
    is("initcap('ქართული')", "ქართული", "string"),
    is("substring_index('aaaa', 'aa', 2)", "a", "string"),
    is("substring_index('www-.-apache-.-org', '-.-', 2)", "www-.-apache", "string"),
    is("substring_index('www-.-apache-.-org', '-.-', -1)", ".-org", "string"),
    is("substring_index('www-.-apache-.-org', '-.-', cast('-2147483648' as int))", "www-.-apache-.-org", "string"),
    is("substring_index('aab', 'aab', -1)", "ab", "string"),
    is("substring_index('éaéa', 'éa', -3)", "éaéa", "string"),
    is("substring_index('aab', 'aa', 0)", "", "string"),
    is("substring_index(cast(null as string), 'aa', 0)", "NULL", "string"),
    is("instr('😀ab', 'b')", "4", "int"),
    is("instr('äb😀', 'b')", "2", "int"),
    is("instr('😀', 'b')", "0", "int"),
    is("locate('b', '😀ab')", "3", "int"),
    is("locate('a', 'abc', cast(null as int))", "0", "int"),
    is(
      "concat(trim(both 'x' from 'xax'), trim(leading 'x' from 'xbx'), trim(trailing 'x' from 'xcx'))",
      "abxxc",
      "string",
    ),
    is("lpad('äb', 4, 'é')", "ééäb", "string"),
    is("lpad(null, 4, '😀')", "NULL", "string"),
    is("reverse('ae\\u0301😀')", "😀\u0301ea", "string"),
    is("substr('abc', 2147483648)", "NULL", "string"),
    is("substr('abc', 1, 2147483648)", "NULL", "string"),
    is("substr('abc', -9223372036854775807, 2)", "NULL", "string"),
    is("substr('abc', cast(null as int), 0)", "NULL", "string"),
    is("substr(cast('abc' as binary), 2)", "bc", "binary"),
    is("substr(cast('abc' as binary), -2, 1)", "b", "binary"),
    is("substr(cast('abc' as binary), 0, 2)", "ab", "binary"),
    is("substr(cast('abc' as binary), 5)", "", "binary"),
    is("substring(cast('abc' as binary), 2)", "bc", "string"),
    is("'abc' rlike ''", "false", "boolean"),
    is("'' rlike ''", "false", "boolean"),
    is("regexp_replace('a', 'b', null)", "NULL", "string"),
    is("hex(chr(200))", "C388", "string"),
    is("chr(2147483647)", "ÿ", "string"),
    is("hex(1.50)", "312E35", "string"),
    is("hex(2.5e0)", "322E35", "string"),
    is("hex(date '2011-01-01')", "323031312D30312D3031", "string"),
    is("hex(17Y)", "11", "string"),
    is("format_number(123456789012345678901e0, 2)", "123,456,789,012,345,680,000.00", "string"),
    is("format_number(0.1e0, 20)", "0.10000000000000000000", "string"),
    is("format_number(2.5e0, 0)", "2", "string"),
    is("format_number(12332.123456, '#,##0.00')", "12,332.12", "string"),
    is("format_number(12332.123456, '########.###')", "12332.123", "string"),
    is("format_number(1234567, '#,###')", "1,234,567", "string"),
    is("format_number(0.5, '#.##')", "0.5", "string"),
    is("format_number(0, '#,###.00')", ".00", "string"),
    is("format_number(0.5, '#,##0.0##')", "0.5", "string"),
    is("format_number(100, '#,##0.0##')", "100.0", "string"),
    is("format_number(0.135D, '0.00')", "0.14", "string"),
    is("format_number(2.675D, '#.##')", "2.67", "string"),
    is("format_number(0.0D, '#.#')", "0", "string"),
    is("format_number(-0.001D, '0.0')", "-0.0", "string"),
    is("format_number(-70000, '$0')", "-$70000", "string"),
    is("format_number(12.5, '$#,##0.00')", "$12.50", "string"),
    is("format_number(1.5D, '#.# x')", "1.5 x", "string"),
    is("format_number(cast('NaN' as double), '$0.0')", "NaN", "string"),
    is("format_number(cast('Infinity' as double), '0.0')", "∞", "string"),
    is("format_number(1.005e0, 2)", "1.00", "string"),
  ])("%s is %s of type %s", async (expression, value, type) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
    expect(answers.typesOf(`select ${expression}`)).toEqual([type]);
  });

  test.each([
    ["map(1, cast('ab' as binary))", "{1:ab}"],
    ["named_struct('a', cast('x' as binary))", '{"a":x}'],
    ["array(interval '1' day)", "[1 00:00:00.000000000]"],
    ["array(date '2011-01-01')", '["2011-01-01"]'],
  ])("complex values: %s prints as %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });

  test.each([
    "lpad('😀ab', 5, '*')",
    "rpad('a', 4, '😀')",
    "initcap('ǆe')",
    "unhex('-1')",
    "decode(unhex('ff'), 'UTF-8')",
  ])("%s fails", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow("HiveQL: ");
  });

  test("replace: of the empty text of a row fails with an expression that does not", async () => {
    await expect(answers.answer("select replace(name, substr(name, 99), 'x') from people")).rejects.toThrow(
      "write if(part = '', s, replace(s, part, by))",
    );
  });

  test("decode: reads UTF-8, and NULL as NULL", async () => {
    const texts = "decode(encode('é😀', 'UTF-8'), 'UTF-8'), decode(unhex('zz'), 'UTF-8')";
    expect(await answers.answer(`select ${texts}`)).toEqual(["é😀|NULL"]);
  });

  test("unhex: fails for characters beyond ASCII, whose bytes Hive counts", async () => {
    await expect(answers.answer("select unhex(concat('é', name)) from people")).rejects.toThrow(
      "unhex of a string with a sign, or with characters beyond ASCII",
    );
  });

  test("unhex: takes the text of a timestamp, whose conversion may fail", async () => {
    const digits = "unhex(replace(replace(cast(cast(joined as timestamp) as string), ':', ''), '-', ''))";
    expect(await answers.answer(`select ${digits} is null from people where id = 1`)).toEqual(["true"]);
  });

  test("substring_index: refuses a delimiter whose first character Hive cuts in half", () => {
    expect(refusal("select substring_index('a', '😀', -1)")).toMatchObject({ construct: "function substring_index" });
  });

  test("substring_index: refuses a delimiter that is no literal", () => {
    const { construct, reason } = refusal("select substring_index(name, team, 1) from people");
    expect([construct, reason]).toEqual([
      "function substring_index",
      expect.stringContaining("has a delimiter that is empty or not a literal"),
    ]);
  });

  test("stack: refuses more than 1000 rows", () => {
    expect(() => answers.typesOf("select stack(2147483647, 'a')")).toThrow(HiveQLError);
  });
});

describe("concatenations of chars and varchars: have the sum of the lengths", () => {
  test.each([["cast(name as varchar(5)) || 'x'", "string"]])("%s is a %s", (expression, type) => {
    expect(answers.typesOf(`select ${expression} from people`)).toEqual([type]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("hash: Java's", () => {
  test.each([
    ["hash(1)", "1"],
    ["hash(1,'a',null)", "3968"],
    ["hash(null)", "0"],
    ["hash('hello world')", "1794106052"],
    ["hash('日本')", "-844066782"],
    ["hash(1.5d)", "1073217536"],
    ["hash(cast(1.5 as float))", "1069547520"],
    ["hash(1234567890123)", "1912276436"],
    ["hash(date '2020-01-01')", "18262"],
    ["hash(timestamp '2020-01-01 10:00:00')", "394468200"],
    ["hash(true,false)", "31"],
    ["hash(1.50)", "466"],
    ["hash(cast('abc' as varchar(5)))", "126145"],
    ["hash(-1Y, 2S)", "-29"],
    ["hash(timestamp '1969-12-31 23:59:59')", "1073741823"],
    ["hash(1,timestamp '1969-12-31 23:59:59')", "1073741854"],
    ["hash(timestamp '1969-12-31 23:59:59.5')", "573741823"],
    ["hash(1,timestamp '1969-12-31 23:59:59.5')", "573741854"],
    ["hash(timestamp '1970-01-01 00:00:00')", "0"],
    ["hash(1,timestamp '1970-01-01 00:00:00')", "31"],
    ["hash(timestamp '1900-03-04 05:06:07.123456')", "410135439"],
    ["hash(1,timestamp '1900-03-04 05:06:07.123456')", "410135470"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("get_json_object: the paths that Hive supports", () => {
  test.each([
    ['get_json_object(\'{"a":1,"b":{"c":[1,2,{"d":"x"}]}}\',\'$.a\')', "1"],
    ['get_json_object(\'{"a":1,"b":{"c":[1,2,{"d":"x"}]}}\',\'$.b\')', '{"c":[1,2,{"d":"x"}]}'],
    ['get_json_object(\'{"a":1,"b":{"c":[1,2,{"d":"x"}]}}\',\'$.b.c[2].d\')', "x"],
    ['get_json_object(\'{"a":1,"b":{"c":[1,2,{"d":"x"}]}}\',\'$.b.c[*]\')', '[1,2,{"d":"x"}]'],
    ['get_json_object(\'{"a":1,"b":{"c":[1,2,{"d":"x"}]}}\',\'$.b.c[5]\')', "NULL"],
    ['get_json_object(\'{"a":1,"b":{"c":[1,2,{"d":"x"}]}}\',\'$.b.c.d\')', '["x"]'],
    ['get_json_object(\'{"a":1,"b":{"c":[1,2,{"d":"x"}]}}\',\'$\')', '{"a":1,"b":{"c":[1,2,{"d":"x"}]}}'],
    ["get_json_object('[1,2.50,3]','$')", "[1,2.5,3]"],
    ["get_json_object('[1,2.50,3]','$[1]')", "2.5"],
    ["get_json_object('[{\"a\":1},{\"a\":2}]','$[*].a')", "[1,2]"],
    ["get_json_object('[{\"a\":1},{\"a\":2}]','$.[0].a')", "1"],
    ["get_json_object('{\"a\":1.0}','$.a')", "1.0"],
    ["get_json_object('{\"a\":1e10}','$.a')", "1.0E10"],
    ["get_json_object('{\"a\":123456789012345678901234567890}','$.a')", "123456789012345678901234567890"],
    ["get_json_object('{\"a\":true,\"b\":null}','$.a')", "true"],
    ["get_json_object('{\"a\":true,\"b\":null}','$.b')", "NULL"],
    ["get_json_object('{\"a\":\"x\\\\ty\\\\u00e9\"}','$.a')", "x\tyé"],
    ['get_json_object(\'{"a":["x\\\\ty","\\\\u00e9/"]}\',\'$.a\')', '["x\\ty","é/"]'],
    ["get_json_object('{\"a\":1} trailing','$.a')", "1"],
    ["get_json_object('{\"a\":1','$.a')", "NULL"],
    ["get_json_object('{a:1}','$.a')", "NULL"],
    ["get_json_object('','$.a')", "NULL"],
    ["get_json_object('{\"a\":1}','a')", "NULL"],
    ["get_json_object('{\"a\":1}','$a')", "NULL"],
    ["get_json_object('{\"a\":1}','')", "NULL"],
    ["get_json_object('{\"a b\":1}','$.a b')", "1"],
    ["get_json_object('{\"a-b\":1,\"c:d\":2}','$.a-b')", "1"],
    ["get_json_object('{\"a\":[[1,2],[3]]}','$.a[0][1]')", "2"],
    ["get_json_object('{\"a\":[[1,2],[3]]}','$.a[*][0]')", "[1,3]"],
    ["get_json_object('{\"a\":[[1,2],[3]]}','$.a[*]')", "[[1,2],[3]]"],
    ['get_json_object(\'{"2":1,"1":2,"a":3}\',\'$\')', '{"2":1,"1":2,"a":3}'],
    ['get_json_object(\'{"a":[{"b":[1,2]},{"b":3},{"c":1}]}\',\'$.a.b\')', "[1,2,3]"],
    ["get_json_object('{\"a\":1}','$.')", "NULL"],
    ["get_json_object('{\"a\":1}','$..a')", "NULL"],
    ["get_json_object('5','$')", "NULL"],
    ["get_json_object('\"x\"','$')", "NULL"],
    ['get_json_object(\'{"a":"b","a":"c"}\',\'$.a\')', "c"],
    ["get_json_object('{\"a\":0.001}','$.a')", "0.001"],
    ["get_json_object('{\"a\":1.5E-5}','$.a')", "1.5E-5"],
    ["get_json_object('{\"a\":-0}','$.a')", "0"],
    ["get_json_object('{\"a\":[null,1]}','$.a[0]')", "NULL"],
    ["get_json_object('{\"a\":[null,1]}','$.a')", "[null,1]"],
    ["get_json_object(null,'$.a')", "NULL"],
    ["get_json_object('{\"a\":{}}','$.a')", "{}"],
    ["get_json_object('{\"a\":\"\"}','$.a')", ""],
    ["get_json_object('{\"a\":01}','$.a')", "NULL"],
    ["get_json_object('{\"a\":.5}','$.a')", "NULL"],
    ["get_json_object('{\"a\":[1,2,3]}','$.a[1')", "[1,2,3]"],
    ["get_json_object('{\"a\":\"\\\\x\"}','$.a')", "x"],
    ["get_json_object(' {\"a\":1}','$.a')", "1"],
    ["get_json_object('{\"a\":[1,]}','$.a')", "NULL"],
    ['get_json_object(\'{"a":"x","b":[1, ]}\',\'$.a\')', "NULL"],
    ["get_json_object('{\"a\":\"x\",}','$.a')", "NULL"],
    ['get_json_object(\'{"a":"x","b":NaN}\',\'$.a\')', "NULL"],
    ['get_json_object(\'{"a":"x","b":[1, -Infinity]}\',\'$.a\')', "NULL"],
    ['get_json_object(\'{"b":inf,"a":"x"}\',\'$.a\')', "NULL"],
    ['get_json_object(\'{"a":"x","b":"infinite, NaN,}"}\',\'$.a\')', "x"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("typeof and conversion functions", () => {
  test.each([
    ["typeof(1)", "int"],
    ["typeof(null)", "void"],
    ["typeof(map('a',array(1)))", "map<string,array<int>>"],
    ["int('5')", "5"],
    ["string(1.50)", "1.5"],
    ["bigint('x')", "NULL"],
    ["double('1e3')", "1000.0"],
    ["float(1.1d)", "1.1"],
    ["boolean('false')", "false"],
    ["smallint(70000)", "4464"],
    ["tinyint(1)", "1"],
    ["binary('a')", "a"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("other functions: as Hive answers", () => {
  test.each([
    ["current_database()", "default"],
    ["assert_true(true)", "NULL"],
    ["assert_true(1)", "NULL"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each(["hash()", "rand(5)", "uuid(1)"])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});

describe("random: different each time", () => {
  test("rand is from 0 to 1, uuid is a version 4", async () => {
    const [row = ""] = await answers.answer("select rand(), rand(), uuid(), uuid()");
    const [first, second, id, other] = row.split("|");
    for (const value of [first, second]) {
      expect(Number(value)).toBeGreaterThanOrEqual(0);
      expect(Number(value)).toBeLessThan(1);
    }
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(other).not.toBe(id);
  });
});

describe("assert_true: fails the query", () => {
  test.each(["assert_true(false)", "assert_true(null)", "assert_true(1 > 2)"])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow("ASSERT_TRUE");
  });
});

test("current_user: the user of the translation, or anonymous", async () => {
  expect(await answers.answer("select current_user()", { user: "A'K" })).toEqual(["A'K"]);
  expect(await answers.answer("select current_user()")).toEqual(["anonymous"]);
});

test("cast: Java reads no second sign", async () => {
  const read = "cast(x as double), cast(x as float), cast(x as int), cast(x as decimal(5,1))";
  expect(await answers.answer(`select ${read} from (select explode(array('+-129', '-+1', '+1')) x) t`)).toEqual([
    "NULL|NULL|NULL|NULL",
    "NULL|NULL|NULL|NULL",
    "1.0|1.0|1|1.0",
  ]);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("size: -1 for NULL", () => {
  test.each([
    ["size(null)", "-1"],
    ["size(array(1,null))", "2"],
    ["size(map('a',1,'b',2))", "2"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("constructors: arrays, maps and structs", () => {
  test.each([
    ["array()", "[]"],
    ["array(null)", "[null]"],
    ["array(1,2.5)", "[1,2.5]"],
    ["array('a',1,null)", '["a","1",null]'],
    ["map('a',1,'b',2,'a',3)", '{"a":3,"b":2}'],
    ["map()", "{}"],
    ["map('a',null)", '{"a":null}'],
    ["map(concat('a',''),1,concat('a',''),2)", '{"a":2}'],
    ["struct(1,'a',null)", '{"col1":1,"col2":"a","col3":null}'],
    ["named_struct('A',1,'b','x')", '{"a":1,"b":"x"}'],
    ["named_struct('a',array(1,2),'b',struct(1)).b.col1", "1"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("maps: keys in order of first occurrence, with their last values", () => {
  test.each([
    ["map_keys(map('a',1,'b',2,'a',3))", '["a","b"]'],
    ["map_values(map('a',1,'b',2,'a',3))", "[3,2]"],
    ["str_to_map('a:1,b:2,a:3')", '{"a":"3","b":"2"}'],
    ["str_to_map('b:1,a:,b:1,b:')", '{"b":"","a":""}'],
    [
      "str_to_map('a:1,b:2,c:3,d:4,e:5,f:6,g:7,h:8,i:9,j:10,k:11,l:12,m:13,n:14,o:15,p:16,a:17')",
      '{"a":"17","b":"2","c":"3","d":"4","e":"5","f":"6","g":"7","h":"8","i":"9","j":"10","k":"11","l":"12","m":"13","n":"14","o":"15","p":"16"}',
    ],
    ["str_to_map('a=1;b=2',';','=')", '{"a":"1","b":"2"}'],
    ["str_to_map('')", '{"":null}'],
    ["str_to_map('a')", '{"a":null}'],
    ["str_to_map(',a:1,,b:2,,')", '{"":null,"a":"1","b":"2"}'],
    ["str_to_map('a:b:c')", '{"a":"b:c"}'],
    ["str_to_map('a|b','\\\\|',':')", '{"a":null,"b":null}'],
    ["str_to_map(':1')", '{"":"1"}'],
    ["str_to_map('axxb','xx')", '{"a":null,"b":null}'],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("sorting: NULL first", () => {
  test.each([
    ["sort_array(array('b','a',null,'B'))", '[null,"B","a","b"]'],
    [
      "sort_array(array(struct(2,'a'),struct(1,'b'),struct(1,null),struct(1,'a')))",
      '[{"col1":1,"col2":null},{"col1":1,"col2":"a"},{"col1":1,"col2":"b"},{"col1":2,"col2":"a"}]',
    ],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("arrays: search and distinct values", () => {
  test.each([
    ["array_contains(array(1,2),2)", "true"],
    ["array_contains(array(1,null),2)", "false"],
    ["array_contains(array(1,2),cast(null as int))", "false"],
    ["array_contains(array(cast('NaN' as double)), cast('NaN' as double))", "true"],
    ["array_min(array(3,null,1))", "1"],
    ["array_max(array('a','Z',null))", "a"],
    ["array_max(array(cast(null as int)))", "NULL"],
    ["array_max(array(cast('NaN' as double),1d))", "NaN"],
    ["array_distinct(array(3,1,null,1,null))", "[3,1,null]"],
    ["array_distinct(array(0d,-0d))", "[0.0]"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each([
    "map_keys(str_to_map(cast(null as string)))",
    "str_to_map(cast(null as string))",
    "array_contains(array(1,2),cast(2 as bigint))",
    "array_contains(array(1,2),null)",
    "array_contains('a','b')",
    "array_max(array(struct(1)))",
    "map(1)",
    "map(array(1),2)",
    "map(null,1)",
    "named_struct('a')",
    "size('a')",
    "str_to_map('a.b','.',':')",
    "array(1,true)",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});

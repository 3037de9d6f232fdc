import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";
import { catalog, openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("XPath functions: as Java evaluates", () => {
  test.each([
    ["xpath('<a><b>b1</b><b>b2</b><b>b3</b><c>c1</c><c>c2</c></a>', 'a/b/text()')", '["b1","b2","b3"]'],
    ["xpath('<a><b>b1</b><b>b2</b></a>', 'a/b')", "[]"],
    ["xpath('<a><b id=\"1\"/><b id=\"2\"/></a>', '//@id')", '["1","2"]'],
    ["xpath('<a z=\"1\" b=\"2\"/>', 'a/@*')", '["2","1"]'],
    ["xpath('<a>x<![CDATA[y]]>z</a>', 'a/text()')", '["x"]'],
    ["xpath('<a>x<!-- c --></a>', 'a/node()')", '["x"," c "]'],
    ["xpath('', 'a')", "[]"],
    ["xpath('<a/>', '')", "[]"],
    ["xpath_string('<a><b>bb</b><c>cc</c></a>', 'a/b')", "bb"],
    ["xpath_string('<a><b>bb</b><c>cc</c></a>', 'a')", "bbcc"],
    ["xpath_string('<a><b>bb</b></a>', 'a/d')", ""],
    ["xpath_string('<a><b>b1</b><b>b2</b></a>', '//b')", "b1"],
    ["xpath_string('<a><b>b1</b><b id=\"x\">b2</b></a>', 'a/b[@id=\"x\"]')", "b2"],
    ["xpath_string('<a><b>1</b><b>2</b></a>', 'sum(a/b) div 4')", "0.75"],
    ["xpath_string('<a>1</a>', '1 div 0')", "Infinity"],
    ["xpath_string('<a>1</a>', '0.0000001')", "0.0000001"],
    ["xpath_string('<a>1</a>', '-0.0000001')", "-0.0000001"],
    ["xpath_string('<a>1</a>', 'a = 1')", "true"],
    ["xpath_string('<a>&lt;&#233;&amp;</a>', 'a')", "<é&"],
    ["xpath_string('', 'a')", "NULL"],
    ["xpath_string(null, 'a')", "NULL"],
    ["xpath_string('<a/>', null)", "NULL"],
    ["xpath_string('<a xmlns=\"u\"><b>1</b></a>', 'a/b')", "1"],
    ["xpath_string('<n:a xmlns:n=\"u\"><n:b>1</n:b></n:a>', 'a/b')", "1"],
    ["xpath_string('<a>\\r\\nx</a>', 'a')", "\nx"],
    ["xpath_string('<a b=\"x\\ny\"/>', 'a/@b')", "x y"],
    ["xpath_boolean('<a><b>b</b></a>', 'a/b')", "true"],
    ["xpath_boolean('<a><b>b</b></a>', 'a/c')", "false"],
    ["xpath_boolean('<a><b>10</b></a>', 'a/b < 10')", "false"],
    ["xpath_boolean('<a><b class=\"odd\">1</b></a>', 'a/b/@class = \"odd\"')", "true"],
    ["xpath_int('<a>b</a>', 'a = 10')", "0"],
    [
      'xpath_int(\'<a><b class="odd">1</b><b class="even">2</b><b class="odd">4</b></a>\', \'sum(a/*[@class="odd"])\')',
      "5",
    ],
    ["xpath_int('<a>this is not a number</a>', 'a')", "0"],
    ["xpath_int('<a>2000000000</a>', 'a * 40000000000')", "2147483647"],
    ["xpath_int('<a>-1.9</a>', 'a')", "-1"],
    ["xpath_short('<a>70000</a>', 'a')", "4464"],
    ["xpath_short('<a>-99999999999</a>', 'a')", "0"],
    ["xpath_long('<a>2000000000</a>', 'a * 4000')", "8000000000000"],
    ["xpath_long('<a>-99999999999999999999</a>', 'a')", "-9223372036854775808"],
    ["xpath_float('<a>1.1</a>', 'a')", "1.1"],
    ["xpath_double('<a>1.1</a>', 'a')", "1.1"],
    ["xpath_double('<a>x</a>', 'a')", "NaN"],
    ["xpath_double('<a>1e3</a>', 'a')", "NaN"],
    ["xpath_double('<a>5.</a>', 'a')", "5.0"],
    ["xpath_number('<a><b>1</b><b>2</b></a>', 'count(a/b)')", "2.0"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });
});

describe("XPath functions: fail where Hive does", () => {
  test.each([
    "xpath('<a/>', 'count(a)')",
    "xpath(null, 'a')",
    "xpath('<a>', 'a')",
    "xpath(true, 'a')",
    "xpath_string('<a>1', 'a')",
    "xpath_string(1, 'a')",
    "xpath_number(null, 'a')",
    "xpath_int('', 'a')",
    "xpath_int('<a/>', '')",
    "xpath_boolean('<a/>', null)",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow("HiveQL: ");
  });
});

describe("XPath functions: refuse types that Hive refuses", () => {
  test.each(["xpath(array('a'), 'a')", "xpath_string(true, 'a')"])("%s", (expression) => {
    expect(() => translate(`select ${expression}`, catalog)).toThrow(HiveQLError);
  });
});

describe("XPath functions: fail for paths that Java evaluates differently from the standard", () => {
  test.each([
    "xpath_string('<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>', 'a')",
    "xpath_string('<?xml version=\"1.1\"?><a>1</a>', 'a')",
    "xpath_string('<a>1</a>', 'id(1)')",
    "xpath_string('<a>1</a>', 'a%')",
    "xpath_string('<a>1</a>', 'text ()')",
    "xpath_string('<a>1</a>', '2.')",
    "xpath_string('<a>1</a>', 'a[1and 2]')",
    "xpath_string('<a>1</a>', 'position(a)')",
    "xpath_string('<a>1</a>', '$x')",
    "xpath_string('<a>1</a>', 'n:a')",
    "xpath_string('<a><b/><c/></a>', 'a/b/following::c')",
    "xpath_string('<a><b/><c/></a>', '//b/preceding-sibling::c')",
    "xpath_string('<a><b/><c/></a>', 'a/*[1.5]')",
    "xpath_string('<n:a><n:b/></n:a>', '//b')",
    "xpath_string('<a><![CDATA[x]]></a>', '//text()')",
    "xpath_string('<a>😀x</a>', 'substring(a, 2)')",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow("HiveQL: ");
  });
});

describe("xpath and xpath_string: are empty and NULL for an invalid path, whatever the document is", () => {
  test.each(["a[", "/a/", "1 +", "foo(a)", "'x'/a", ".5/a", "ancester::a/b", "(", "a b"])("%s", async (path) => {
    const text = `"${path}"`;
    expect(await answers.answer(`select xpath('<a>1</a>', ${text}), xpath_string('<a', ${text})`)).toEqual(["[]|NULL"]);
    await expect(answers.answer(`select xpath_boolean('<a/>', ${text})`)).rejects.toThrow("HiveQL: ");
    await expect(answers.answer(`select xpath_int('<a/>', ${text})`)).rejects.toThrow("HiveQL: ");
  });
});

test("xpath_string: steps after a dot are not steps of a literal", async () => {
  const xml = "'<a><b>x</b></a>'";
  const statement = `select xpath_string(${xml}, './/b'), xpath_string(${xml}, './a/b'), xpath_string(${xml}, 'a/../a/b')`;
  expect(await answers.answer(statement)).toEqual(["x|x|x"]);
});

test("XPath functions: accept documents and paths from columns", async () => {
  const rows = `(select stack(3, '<a>1</a>', 'a/text()', '', 'a', '<a>1</a>', '') as (x, p)) t`;
  expect(await answers.answer(`select xpath(x, p), xpath_string(x, p) from ${rows}`)).toEqual([
    '["1"]|1',
    "[]|NULL",
    "[]|NULL",
  ]);
  const nulls = `(select stack(2, cast(null as string), 'a', '<a/>', cast(null as string)) as (x, p)) t`;
  expect(await answers.answer(`select xpath_string(x, p) from ${nulls}`)).toEqual(["NULL", "NULL"]);
  await expect(answers.answer(`select xpath_int(x, p) from ${nulls}`)).rejects.toThrow("with NULL as XML");
});

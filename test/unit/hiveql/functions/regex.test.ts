import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";
import { compileJavaRegex } from "../../../../hiveql/runtime/java/regex/compile";
import { UnsupportedRegex } from "../../../../hiveql/runtime/java/regex/reader";
import { catalog, openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("rlike, regexp_replace, regexp_extract, split: as Java matches", () => {
  test.each([
    ["'foobar' rlike '(?<=foo)bar'", "true"],
    ["'book' rlike '(.)\\\\1'", "true"],
    ["regexp_replace('aaabbc', '(.)\\\\1+', '$1')", "abc"],
    ["regexp_replace('añb', '[^\\\\x00-\\\\x7F]', '')", "ab"],
    ["regexp_replace('a\\tb', '[\\\\x00-\\\\x1F]', '.')", "a.b"],
    ["'foobar' rlike 'foo(?!bar)'", "false"],
    ["'abab' rlike '^(ab)\\\\1$'", "true"],
    ["'aaa' rlike 'a*+a'", "false"],
    ["'aaa' rlike '(?>a*)a'", "false"],
    ["'idx' rlike '^(idx|id)?+.+$'", "false"],
    ["'a b' rlike '\\\\bb'", "true"],
    ["'été' rlike 't\\\\b'", "false"],
    ["'abc' rlike ''", "false"],
    ["'' rlike ''", "false"],
    ["'' rlike '^$'", "true"],
    ["'abc' rlike cast(null as string)", "NULL"],
    ["cast(null as string) rlike 'a'", "NULL"],
    ["'ABC' rlike '(?i)abc'", "true"],
    ["'É' rlike '(?i)é'", "false"],
    ["'a\\nb' rlike 'a$'", "false"],
    ["'a\\n' rlike 'a$'", "true"],
    ["'a\\nb' rlike '(?m)a$'", "true"],
    ["'a\\nb' rlike 'a.b'", "false"],
    ["'a\\nb' rlike '(?s)a.b'", "true"],
    ["regexp_replace('foobar', '(?<=o)(o)', '<$1>')", "fo<o>bar"],
    ["regexp_replace('abc', '', '-')", "-a-b-c-"],
    ["regexp_replace('abc', 'x*', '-')", "-a-b-c-"],
    ["regexp_replace('aaa', 'a*', '-')", "--"],
    ["regexp_replace('a, b ,c', '(\\\\s*,\\\\s*)+', ';')", "a;b;c"],
    ["regexp_replace('baac', 'a*', '-')", "-b--c-"],
    ["regexp_replace('abc', '(?<x>b)', concat('[$', '{x}]'))", "a[b]c"],
    ["regexp_replace('abc', '(b)', '$10')", "ab0c"],
    ["regexp_replace('abc', '(b)', '\\\\$1')", "a$1c"],
    ["regexp_replace('abc', '(b)|(x)', '[$2]')", "a[]c"],
    ["regexp_replace('abc', 'z', '$1')", "abc"],
    ["regexp_replace('a1b22', '\\\\d+', '#')", "a#b#"],
    ["regexp_replace('  a  b ', '^\\\\s+|\\\\s+$', '')", "a  b"],
    ["regexp_replace('a\\n', '$', 'x')", "ax\nx"],
    ["regexp_replace(12345, '(\\\\d)(?=(\\\\d{3})+$)', '$1,')", "12,345"],
    ["regexp_replace(date '2020-01-02', '-', '/')", "2020/01/02"],
    ["regexp_replace(cast('ab' as varchar(5)), ' *$', 'x')", "abx"],
    ["regexp_replace('😀a', 'a', 'b')", "😀b"],
    ["regexp_replace('😀a', '.', 'b')", "bb"],
    ["regexp_replace(null, 'a', 'b')", "NULL"],
    ["regexp_replace('a', null, 'b')", "NULL"],
    ["regexp_replace('a', 'a', null)", "NULL"],
    ["regexp_replace('a', 1, 'b')", "a"],
    ["regexp_replace('a1', 1, 2)", "a2"],
    ["regexp_extract('foothebar', 'foo(.*?)(bar)', 2)", "bar"],
    ["regexp_extract('foothebar', 'foo(.*?)(bar)')", "the"],
    ["regexp_extract('foothebar', 'foo(.*?)(bar)', 0)", "foothebar"],
    ["regexp_extract('foothebar', 'foo(x)?', 1)", "NULL"],
    ["regexp_extract('foothebar', 'zzz(x)?', 1)", ""],
    ["regexp_extract('abc', '(a)|(b)', 2)", "NULL"],
    ["regexp_extract('abb', '(b)+', 1)", "b"],
    ["regexp_extract('abb', '([a-z])+', 1)", "b"],
    ["regexp_extract('a1b2c3', '(([a-z])([0-9]))+', 2)", "c"],
    ["regexp_extract('a1b2', '(?:([a-z])[0-9])+', 1)", "b"],
    ["regexp_extract('2024-01-02', '([0-9]+)(-([0-9]+))*', 3)", "02"],
    ["regexp_extract('key=val; k2=v2', '(?<=k2=)(\\\\w+)', 1)", "v2"],
    ["regexp_extract(123, '(2)', 1)", "2"],
    ["split('abc', '')", '["a","b","c",""]'],
    ["split('', '')", '[""]'],
    ["split('', ',')", '[""]'],
    ["split('a,b,', ',')", '["a","b",""]'],
    ["split(',a', ',')", '["","a"]'],
    ["split('a1b2c', '\\\\d')", '["a","b","c"]'],
    ["split('aXbXc', '(?i)x')", '["a","b","c"]'],
    ["split('aBcD', '(?=[A-Z])')", '["a","Bc","D"]'],
    ["split('aBcD', '(?<=[A-Z])')", '["aB","cD",""]'],
    ["split('a,b;c', '[,;]')", '["a","b","c"]'],
    ["split('a  b', ' *')", '["a","","b",""]'],
    ["split('a||b', '\\\\|\\\\|')", '["a","b"]'],
    ["split('a||b', '|')", '["a","|","|","b",""]'],
    ["split(null, ',')", "NULL"],
    ["split(123, 2)", '["1","3"]'],
    ["split('a.b', '.')", '["","","",""]'],
    ["split('a\\nb\\n', '$')", '["a\\nb","\\n",""]'],
    ["split('0049123', '^0')", '["","049123"]'],
    ["split('abc', '^.')", '["","bc"]'],
    ["split('aab', '\\\\Aa')", '["","ab"]'],
    ["split('aa-b', '^a|-')", '["","a","b"]'],
    ["split('aab', '(?:^a)')", '["","ab"]'],
    ["split('aab', '\\\\ba')", '["","ab"]'],
    ["split('aab', '\\\\Bb')", '["aa",""]'],
    ["split('aaab', '(?<!a)a')", '["","aab"]'],
    ["split('a^b^', '\\\\^')", '["a","b",""]'],
    ["split('a1b', '[^a-z]')", '["a","b"]'],
    ["'abc' regexp cast('c$' as varchar(3))", "true"],
    ["'x' rlike '\\\\p{Alpha}'", "true"],
    ["'é' rlike '\\\\p{L}'", "true"],
    ["'é' rlike '\\\\p{IsLatin}'", "true"],
    ["'é' rlike '\\\\w'", "false"],
    ["'я' rlike '\\\\p{IsCyrillic}'", "true"],
    ["'tab\tx' rlike '\\\\h'", "true"],
    ["'a' rlike '\\\\Qa\\\\E'", "true"],
    ["'a.b' rlike '^\\\\Qa.b\\\\E$'", "true"],
    ["'K' rlike '(?i)k'", "true"],
    ["'ſ' rlike '(?i)s'", "false"],
    ["'AbC-9' rlike '(?i)^[a-c]+-[0-9x]$'", "true"],
    ["'AbC_' rlike '(?i)^[a-c_-]+$'", "true"],
    ["regexp_replace('FooBAR', '(?i)[aeiou]', '*')", "F**B*R"],
    ["regexp_replace('FooBAR', '(?i)o+b', '*')", "F*AR"],
    ["regexp_extract('FooBAR', '(?i)o(b[ -a])', 1)", "BA"],
    ["'@' rlike '(?i)[9-b]'", "true"],
    ["'B' rlike '(?i)[9-b]'", "true"],
    ["'_' rlike '(?i)[A-b]'", "true"],
    ["'foo' rlike 'f(?i)OO'", "true"],
    ["'z' rlike '(?i)\\\\x5A'", "true"],
    ["regexp_replace('aXbxc', '(?i)x', '')", "abc"],
    ["'Straße' rlike '(?i)STRASSE'", "false"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });
});

describe("rlike: a literal with an anchor between other pieces, or an empty group, matches as in Java", () => {
  test.each([
    ["a^", "false"],
    ["da^", "false"],
    [String.raw`a\\A`, "false"],
    ["[a]^", "false"],
    ["(?:a)^", "false"],
    ["^A^", "false"],
    ["A^da", "false"],
    [String.raw`\\zA`, "false"],
    [String.raw`A\\zda`, "false"],
    ["^^", "true"],
    ["^^Ada$", "true"],
    [String.raw`a\\z\\z`, "true"],
    ["x|a^", "false"],
    ["(x|^)Ada", "true"],
    ["(^A)+d", "true"],
    ["d(?:)", "true"],
    ["(?i:)d", "true"],
    ["^(?:(?:))", "true"],
    ["(?:)", "true"],
  ])("%s is %s", async (pattern, expected) => {
    // DuckDB rewrites the matches of columns only.
    expect(await answers.answer(`select name rlike '${pattern}' from people where id = 1`)).toEqual([expected]);
    const called = `select regexp(name, '${pattern}') from people where id = 1`;
    expect(await answers.answer(called)).toEqual([expected]);
  });
});

describe("compileJavaRegex: RE2 matches patterns with anchors at their edges, and split those without a beginning", () => {
  test.each([
    [String.raw`[^a]\^`, false],
    [String.raw`\Q^a\E`, false],
    [String.raw`a$|b\z`, false],
    ["^a", true],
    [String.raw`(x|\Aa)b`, true],
    ["a^", undefined],
    [String.raw`\za`, undefined],
    ["(^a)?b", undefined],
  ])("%s", (pattern, hasBegin) => {
    expect(compileJavaRegex(pattern).re2?.hasBegin).toBe(hasBegin);
  });
});

test("rlike, regexp_replace, regexp_extract, split: a literal with anchors matches as the same pattern in a column", async () => {
  const anchors = ["^", "$", String.raw`\\A`, String.raw`\\z`, String.raw`\\Z`, String.raw`\\b`];
  const pieces = [...anchors, ..."Aabd.|()?", "(?:", "[^d]", "(?m)"];
  const pattern = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 })
    .map((list) => list.join(""))
    .filter((written) => readable(written.replaceAll("\\\\", "\\")) !== undefined);
  const matched = (of: string) =>
    `select name rlike ${of}, regexp_replace(name, ${of}, '<$0>'), regexp_extract(name, ${of}, 0), split(name, ${of})`;
  await fc.assert(
    fc.asyncProperty(pattern, async (written) => {
      const inColumn = await answers.answer(
        `${matched("p")} from (select name, id, '${written}' p from people) t order by id`,
      );
      expect(await answers.answer(`${matched(`'${written}'`)} from people order by id`)).toEqual(inColumn);
    }),
    { numRuns: 60 },
  );
});

const samples = String.raw`(select stack(8,
  'foobar', 'o+', '<$0>', 0, 'foobar', '(o)\\1', '$1$1', 1, 'abc', '', '-', 0, cast(null as string), 'a', 'b', 0,
  'a', cast(null as string), 'b', 0, 'a', 'a', cast(null as string), 0, 'b', 'a', 'b', cast(null as int), 'xéy', '[xy]', '_', 0)
  as (s, p, r, g)) t`;

test("rlike, regexp_replace, regexp_extract, split: accept patterns, replacements and groups from columns", async () => {
  expect(await answers.answer(`select s rlike p, regexp_replace(s, p, r), split(s, p) from ${samples}`)).toEqual([
    'true|f<oo>bar|["f","bar"]',
    'true|foobar|["f","bar"]',
    'false|-a-b-c-|["a","b","c",""]',
    "NULL|NULL|NULL",
    "NULL|NULL|NULL",
    'true|NULL|["",""]',
    'false|b|["b"]',
    'true|_é_|["","é",""]',
  ]);
  expect(await answers.answer(`select regexp_extract(s, p, g) from ${samples} where g is not null`)).toEqual([
    "oo",
    "o",
    "",
    "NULL",
    "NULL",
    "a",
    "x",
  ]);
});

test("rlike, regexp_replace, regexp_extract, split: match no half of a character beyond U+FFFF", async () => {
  const calls = [
    String.raw`s rlike '\\bfoo\\b'`,
    "regexp_replace(s, '^', '> ')",
    "regexp_replace(s, '$', '!')",
    "regexp_replace(s, 'o*', '-')",
    "regexp_replace(s, '(?<!o)', '-')",
    String.raw`regexp_replace(s, '\\B', '-')`,
    "regexp_extract(s, '([^o]*)$')",
    "split(s, '')",
    "s rlike '(?<=[^a])[^b]$'",
  ];
  const texts = "(select '😀 foo😀' s union all select '😀' s)";
  expect(await answers.answer(`select ${calls.join(", ")} from ${texts} t`)).toEqual([
    'true|> 😀 foo😀|😀 foo😀!|-😀- -f--😀-|-😀- -f-oo😀-|-😀- f-o-o😀-|😀|["😀"," ","f","o","o","😀",""]|true',
    'false|> 😀|😀!|-😀-|-😀-|-😀-|😀|["😀",""]|false',
  ]);
});

describe("rlike, regexp_replace, regexp_extract: fail where Java does, and where ECMAScript can match differently", () => {
  test.each([
    ["select 'a' rlike p from (select '[' p) t", "the pattern '[' has"],
    ["select regexp_extract('a', '(a)', g) from (select 2 g) t", "No group 2"],
    [
      "select regexp_extract('a', '(a)', g) from (select cast(null as int) g) t",
      "group number of a regular expression is NULL",
    ],
    ["select regexp_replace(s, 'a', '$1') from (select 'a' s) t", "No group 1"],
    ["select regexp_replace(s, 'a', concat('$', '{x}')) from (select 'a' s) t", "No group with name"],
    ["select regexp_replace(s, 'a', '$') from (select 'a' s) t", "without a group or character after it"],
    ["select regexp_extract(s, p, 1) from (select 'ab' s, '(?:(a)|b)*' p) t", "the capture of an earlier attempt"],
  ])("%s: %s", async (statement, message) => {
    await expect(answers.answer(statement)).rejects.toThrow(message);
  });
});

describe("rlike, regexp_replace, regexp_extract: refuse literals that ECMAScript or another Java release can match differently", () => {
  test.each([
    "regexp_replace('abc', '[', 'x')",
    "regexp_replace(true, 'a', 'b')",
    "regexp_extract('foothebar', 'foo(.*?)(bar)', 3)",
    "regexp_extract('abc', 'abc')",
    "regexp_extract('abcb', '(?:a|(b))+', 1)",
    "regexp_extract('a1b2b2', '(([a-z])([0-9]))+b2', 2)",
    "regexp_extract('a', '(a)', cast(1 as bigint))",
    "regexp_extract('a', '(a)', '1')",
    "regexp_extract('a', '(a)', 1.0)",
    "regexp_extract('a', '(a)', -1)",
    "split('a', null)",
    "regexp(1, '1')",
    "regexp('1', 1)",
    "'1' rlike 1",
    "'abc' rlike 'a{2'",
    "'abc' rlike '(?x)a b c'",
    "'ABC' rlike '(?iu)abc'",
    "'é' rlike '(?U)\\\\w'",
    "'я' rlike '\\\\p{InCyrillic}'",
    "'a' rlike '(?:|a)*b'",
    "'a' rlike '(a)?\\\\1'",
    "'a' rlike '[^a[b]]'",
    "'a' rlike '[a&&&b]'",
    "'abc' rlike '[a-z&&[^b]]{2}'",
    "'a' rlike '(?>a'",
    "'a' rlike 'a{2}{3}'",
    "'a' rlike '\\\\G'",
    "'aaa' rlike '(a|b)*+a'",
    "'a' rlike '\\\\R'",
    "'a' rlike '(?:a|(b))\\\\1'",
    "'a' rlike '[\\\\p{L}&&[^a]]'",
  ])("%s", (expression) => {
    expect(() => translate(`select ${expression}`, catalog)).toThrow(HiveQLError);
  });
});

test("patterns: any text is translated or refused, and translated patterns run", () => {
  const escapes = [String.raw`\b`, String.raw`\p{L}`, String.raw`\R`, String.raw`\1`, String.raw`\Q`];
  const pieces = [..."ab1.^$|()[]{}*+?-&é😀", "(?:", "(?=", "(?<!", "(?>", "(?i)", "&&", "{1,2}", "[^", ...escapes];
  const pattern = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((list) => list.join(""));
  fc.assert(
    fc.property(pattern, fc.string({ unit: "grapheme", maxLength: 8 }), (source, text) => {
      const regex = readable(source);
      return !regex || (regex.expression.exec(text)?.length ?? Infinity) >= regex.groups.length;
    }),
  );
});

function readable(source: string) {
  try {
    return compileJavaRegex(source);
  } catch (error) {
    if (error instanceof UnsupportedRegex) return undefined;
    throw error;
  }
}

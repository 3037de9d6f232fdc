/** NULL and empty strings in arrays and structs; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("results of a job: an array or struct of one NULL or empty string is read back as NULL or empty", () => {
  test.each([
    ["array(pay)", "NULL", "[20.0]"],
    ["array(pay, pay)", "[null,null]", "[20.0,20.0]"],
    ["array(array(pay))", "NULL", "[[20.0]]"],
    ["array(array(pay), array(1D))", "[null,[1.0]]", "[[20.0],[1.0]]"],
    ["named_struct('a', pay)", "NULL", '{"a":20.0}'],
    ["named_struct('a', pay, 'b', 1)", '{"a":null,"b":1}', '{"a":20.0,"b":1}'],
    ["named_struct('a', array(pay), 'b', 1)", '{"a":null,"b":1}', '{"a":[20.0],"b":1}'],
    ["named_struct('a', named_struct('b', pay))", "NULL", '{"a":{"b":20.0}}'],
    ["map('a', array(pay))", '{"a":null}', '{"a":[20.0]}'],
    ["map('a', pay)", '{"a":null}', '{"a":20.0}'],
    ["array('')", "[]", "[]"],
    ["array('', '')", '["",""]', '["",""]'],
    ["array(array(''))", "[]", "[]"],
    ["array(named_struct('a', ''))", "[]", "[]"],
    ["named_struct('a', '')", '{"a":""}', '{"a":""}'],
  ])("%s", async (expression, ofNull, ofNumber) => {
    const statement = `select ${expression} from people where id in (3, 4) order by id`;
    expect(await answers.answer(statement)).toEqual([ofNull, ofNumber]);
  });

  test("expressions read the values before that", async () => {
    const statement = "select size(a), count(*) from (select array(pay) as a from people) t group by size(a)";
    expect(await answers.answer(statement)).toEqual(["1|5"]);
  });
});

describe("results without a job: values are unchanged", () => {
  test.each([
    ["array(pay)", "[null]"],
    ["array(array(pay), array(1D))", "[[null],[1.0]]"],
    ["named_struct('a', pay)", '{"a":null}'],
    ["array('')", '[""]'],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression} from people where id = 3`)).toEqual([expected]);
  });
});

describe("join keys: NULL in an array or struct fails the query", () => {
  const left = "(select id, array(pay) as a from people where id > 2) l";
  test.each([
    `select l.id, r.id from ${left} join (select id, array(pay) as a from people) r on l.a = r.a`,
    `select id from ${left} where a in (select array(pay) from people)`,
  ])("%s", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow("HiveQL: NULL in an array or struct used as a join key");
  });

  test("keys without NULL join", async () => {
    const some = "(select id, named_struct('a', pay, 'b', 1) as a from people where pay is not null)";
    const statement = `select l.id, r.id from ${some} l join ${some} r on l.a = r.a where l.id < r.id`;
    expect(await answers.answer(statement)).toEqual(["2|5"]);
  });
});

describe("results of a job: years that its file cannot hold fail the query", () => {
  const days = "(select id, date_add('9999-12-30', id) as d from people where id < 3) t";
  test.each([
    `select d from ${days} order by id`,
    `select array(d) from ${days} order by id`,
    `select named_struct('a', d) from ${days} order by id`,
    `select t.d from ${days} join people p on t.id = p.id`,
    `select d from ${days} union all select d from ${days}`,
  ])("%s", async (statement) => {
    await expect(answers.answer(statement)).rejects.toThrow("HiveQL: a date beyond the year 9999");
  });

  test.each([
    [`select d from ${days}`, ["9999-12-31", "+10000-01-01"]],
    [`select cast(d as string) from ${days} order by id`, ["9999-12-31", "+10000-01-01"]],
    [`select id from ${days} order by d desc`, ["2", "1"]],
  ])("%s", async (statement, expected) => {
    expect(await answers.answer(statement)).toEqual(expected);
  });
});

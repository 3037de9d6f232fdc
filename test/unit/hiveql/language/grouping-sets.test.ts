import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

/** Returns the first column of the grand total row. */
async function total(statement: string): Promise<string | undefined> {
  const rows = await answers.answer(statement);
  return rows.find((row) => row.endsWith("|total"))?.split("|")[0];
}

/** A statement whose last grouping set is the empty one. */
const over = (key: string, from: string, second = "name") =>
  `select ${key}, if(grouping(${key}) + grouping(${second}) = 2, 'total', '') from ${from} group by ${key}, ${second} with rollup`;

describe("grouping sets: a key is NULL in rows that aggregate it away, whatever the conditions are", () => {
  test.each([
    over("team", "people where team = 'red'"),
    over("team", "people where 'red' = team and id > 0"),
    over("team", "people where team in ('red', 'red')"),
    over("team", "people where team = 'red' or team = 'red'"),
    over("team", "people where (team = 'red' and id = 1) or (team = 'red' and id = 2)"),
    over("team", "people where team >= 'red' and team <= 'red'"),
    over("team", "people where not (team <> 'red')"),
    over("team", "people where team = lower('RED')"),
    over("team", "people where team = 'nobody'"),
    over("id", "people where id = '2'"),
    over("id", "people where id = 2.0"),
    over("pay", "people where pay = 8"),
    over("joined", "people where joined = '2020-01-15'"),
    over("year(joined)", "people where year(joined) = 2020"),
    over("year(joined)", "people where joined = '2020-01-15'"),
    over("id % 2", "people where id % 2 = 0"),
    over("x", "(select 'a' x, name from people) q"),
    over("t", "(select distinct team t, name from people where team = 'red') q"),
    over("t", "(select team t, name, count(*) from people where team = 'red' group by team, name) q"),
    over("t", "(select team t, name from people where team = 'red' order by id limit 1) q"),
    over("k", "(select 'a' k, name from people union all select 'a', place from visits) q"),
    over("p.id", "people p join visits v on p.id = v.person where p.id = 1", "place"),
    over("p.id", "people p join visits v on p.id = 1", "place"),
    over("p.team", "people p left join visits v on p.id = v.person where p.team = 'red'", "place"),
    over("v.place", "people p left join visits v on p.id = v.person where v.place = 'inn'", "p.name"),
    over("team", "people left semi join visits on id = person and team = 'red'"),
    over("x", "people lateral view explode(split(team, '')) q as x where x = 'e'"),
    over("team", "people where team like 'red'"),
    over("team", "people where team <=> 'red'"),
    over("team", "people where upper(team) = 'RED'"),
    over("team", "people where team = 'red' or id = 3"),
    over("team", "people where team between 'red' and 'red'"),
    over("team", "people where team = name"),
    over("name", "people where name = 5", "team"),
    over("b", "(select id > 1 b, name from people) q where b = true"),
    over("k", "(select 'a' k, name from people union all select 'b', place from visits) q"),
    over("v.place", "people p left join visits v on p.id = v.person and v.place = 'inn'", "p.name"),
    over("q.k", "people p left join (select person, 'a' k from visits) q on cast(p.id as string) = q.person", "p.name"),
    over("q.team", "(select * from people where team = 'red') q full join visits v on q.id = v.n", "v.place"),
    over("team", "people lateral view explode(split(name, '')) q as x where team = 'red'", "x"),
    over("team", "people") + " having team = 'red' or team is null",
  ])("%s", async (statement) => {
    expect(await total(statement)).toBe("NULL");
  });

  test("in HAVING, ORDER BY and expressions", async () => {
    const base = "from people where team = 'red' group by team, name with rollup";
    expect(await answers.answer(`select team ${base} having team is null`)).toEqual(["NULL"]);
    expect(await answers.answer(`select nvl(team, 'all'), count(*) n ${base} order by n desc, team limit 2`)).toEqual([
      "red|2",
      "all|2",
    ]);
    expect(
      await answers.answer(`select upper(team), count(team), grouping__id ${base} having grouping__id = 3`),
    ).toEqual(["NULL|2|3"]);
  });

  test("in the outer query", async () => {
    const inner = "select team, name, count(*) n from people where team = 'red' group by team, name with rollup";
    expect(await answers.answer(`select count(*) from (${inner}) q where team is null`)).toEqual(["1"]);
  });
});

test("grouping sets: grouping of a single set of all keys is 0", async () => {
  const statement =
    "select team, grouping(team), grouping__id from people where id = 1 group by team grouping sets ((team))";
  expect(await answers.answer(statement)).toEqual(["red|0|0"]);
});

describe("grouping sets: DISTINCT of a key counts its values", () => {
  const statement = (aggregate: string) => `select team, id, ${aggregate} from people group by team, id with rollup`;

  test.each([
    ["count(distinct team)", "NULL|NULL|2"],
    ["sum(distinct id)", "NULL|NULL|15"],
  ])("%s", async (aggregate, last) => {
    expect(await answers.answer(statement(aggregate))).toContain(last);
  });

  test("other values are counted", async () => {
    const rows = await answers.answer(statement("count(distinct upper(team)), count(id)"));
    expect(rows.filter((row) => row.startsWith("blue|NULL"))).toEqual(["blue|NULL|1|2"]);
  });
});

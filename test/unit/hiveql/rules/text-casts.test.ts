/** CASTs of CASTs to text; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers, refusal } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const first = (value: string) => hive.answer(`select ${value} from people where id = 1`);

const float = "cast(pay / 7.5e0 as float)";

describe("cast: of a text that CAST makes of a number or char, which Hive's optimizer reads instead", () => {
  it.each([
    [`cast(cast(${float} as string) as double)`, "cast of string to double"],
    [`double(string(${float}))`, "cast of string to double"],
    [`cast(cast(${float} as varchar(15)) as double)`, "cast of varchar(15) to double"],
    [`cast(cast(cast(${float} as varchar(30)) as varchar(28)) as double)`, "cast of varchar(28) to double"],
    [`cast(cast(${float} as string) as decimal(6,3))`, "cast of string to decimal(6,3)"],
    ["cast(cast(pay as varchar(5)) as int)", "cast of varchar(5) to int"],
    ["cast(cast(id + 4999999999 as string) as int)", "cast of string to int"],
    ["cast(cast(id - 1 as string) as boolean)", "cast of string to boolean"],
    ["cast(cast(cast(id - 1 as decimal(10,2)) as varchar(14)) as boolean)", "cast of varchar(14) to boolean"],
    ["cast(cast(cast(id as decimal(38,30)) as string) as int)", "cast of string to int"],
    [`cast(${float} as string) = 1.4e0`, "cast of string to double"],
    [`cast(${float} as string) in (1.4e0, 2)`, "cast of string to double"],
    [`cast(${float} as string) + 0`, "cast of string to double"],
    [`case cast(${float} as string) when 1.4e0 then 'text' end`, "cast of string to double"],
    [`avg(cast(${float} as string))`, "cast of string to double"],
  ])("%s is refused", (value, construct) => {
    expect(refusal(`select ${value} from people`)).toMatchObject({ problem: "unsupported", construct });
  });

  it.each([
    ["cast(cast(cast(1.4e0 as float) as string) as double)", "1.4"],
    ["cast(cast(id as string) as bigint)", "1"],
    [`cast(concat(${float}) as double)`, "1.4"],
    [`- cast(${float} as string)`, "-1.4"],
  ])("%s reads the text: it is a char, a literal, long enough or no operand of CAST", async (value, expected) => {
    expect(await first(value)).toEqual([expected]);
  });

  it("reads the text when Hive plans the statement without its optimizer", async () => {
    const statement = `select cast(cast(${float} as string) as double) from people where id = 1`;
    expect(await hive.answer(`set hive.cbo.enable=false; ${statement}`)).toEqual(["1.4"]);
  });
});

describe("cast: of a decimal literal to a whole number", () => {
  it("fails over rows when it does not fit, because Hive wraps it or not depending on other expressions", async () => {
    await expect(first("cast(300.5 as tinyint)")).rejects.toThrow("does not fit");
    expect(
      await first(
        "cast(127.5 as tinyint), cast(cast(pay as decimal(4,1)) * 300.5 as tinyint), cast(cast(null as decimal(3,1)) as int)",
      ),
    ).toEqual(["127|NULL|NULL"]);
    expect(await hive.answer("select cast(300.5 as tinyint)")).toEqual(["NULL"]);
  });
});

describe("cast: of a text column of a subquery", () => {
  const text = `cast(${float} as string) as s`;

  it.each([
    `select id, ${text} from people`,
    `select id, ${text}, count(*) from people group by id, pay`,
    `select id, ${text}, row_number() over (order by id) from people`,
  ])("is refused for %s, which Hive merges with the outer query", (inner) => {
    expect(refusal(`select cast(s as double) from (${inner}) q where id = 1`)).toMatchObject({
      construct: "cast of string to double",
    });
  });

  it.each([
    `select distinct id, ${text} from people`,
    `select id, ${text} from people limit 5`,
    `select id, max(cast(${float} as string)) as s from people group by id`,
    `select id, ${text} from people union all select 9, 'a' from people`,
  ])("reads the text of %s", async (inner) => {
    expect(await hive.answer(`select cast(s as double) from (${inner}) q where id = 1`)).toEqual(["1.4"]);
  });
});

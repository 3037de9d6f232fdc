/** CASTs of CASTs to text; the answers are those of Hive 4.0.1. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers, refusal } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const first = (value: string) => hive.answer(`select ${value} from people where id = 1`);

describe("cast: of a cast to a text type that holds the whole number is a cast of the number", () => {
  it.each([
    ["cast(cast(cast(pay / 3 as float) as string) as double)", "3.5"],
    ["cast(cast(cast(pay / 7.5e0 as float) as string) as double)", "1.399999976158142"],
    ["double(string(cast(pay / 7.5e0 as float)))", "1.399999976158142"],
    ["cast(cast(cast(pay / 7.5e0 as float) as varchar(15)) as double)", "1.399999976158142"],
    ["cast(cast(cast(cast(pay / 7.5e0 as float) as varchar(30)) as varchar(28)) as double)", "1.399999976158142"],
    ["cast(cast(cast(pay / 7.5e0 as float) as string) as decimal(6,3))", "1.400"],
    ["cast(cast(pay * 1000000 as string) as bigint)", "10500000"],
    ["cast(cast(id + 4999999999 as string) as int)", "705032704"],
    ["cast(cast(id + 4999999999 as varchar(20)) as int)", "705032704"],
    ["cast(cast(id - 1 as string) as boolean)", "false"],
    ["cast(cast(pay - 10.5e0 as string) as boolean)", "false"],
    ["cast(cast(cast(id - 1 as decimal(10,2)) as varchar(14)) as boolean)", "false"],
    ["cast(cast(cast(name as char(5)) as string) as binary)", "Ada  "],
    ["cast(cast(cast(name as char(5)) as varchar(5)) as binary)", "Ada  "],
  ])("%s", async (value, expected) => {
    expect(await first(value)).toEqual([expected]);
  });

  it.each([
    ["cast(cast(cast(pay / 7.5e0 as float) as char(30)) as double)", "1.4"],
    ["cast(cast(cast(1.4e0 as float) as string) as double)", "1.4"],
    ["cast(cast(id + 4999999999 as varchar(19)) as int)", "NULL"],
    ["cast(cast(cast(id - 1 as decimal(10,2)) as varchar(13)) as boolean)", "true"],
    ["cast(cast(cast(name as char(5)) as varchar(4)) as binary)", "Ada"],
    ["cast(concat(cast(pay / 7.5e0 as float)) as double)", "1.4"],
    ["- cast(cast(pay / 7.5e0 as float) as string)", "-1.4"],
    ["case cast(cast(pay / 7.5e0 as float) as string) when 1.4e0 then 'text' end", "text"],
  ])("%s reads the text: it is a char, a literal, too short or no operand of CAST", async (value, expected) => {
    expect(await first(value)).toEqual([expected]);
  });

  it("refuses a varchar that is too short for a double, for which Hive reads the whole double", () => {
    const error = refusal("select cast(cast(pay as varchar(5)) as int) from people");
    expect(error).toMatchObject({ construct: "cast of varchar(5) to int" });
  });

  it("applies to comparisons, IN and arithmetic", async () => {
    const text = "cast(cast(pay / 7.5e0 as float) as string)";
    expect(
      await first(
        `${text} = 1.4e0, ${text} <=> 1.4e0, ${text} in (1.4e0, 2), ${text} between 1.4e0 and 1.4e0, ${text} + 0`,
      ),
    ).toEqual(["false|false|false|false|1.399999976158142"]);
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
  const text = "cast(cast(pay / 7.5e0 as float) as string) as s";

  it.each([
    `select id, ${text} from people`,
    `select id, ${text}, count(*) from people group by id, pay`,
    `select id, ${text}, row_number() over (order by id) from people`,
  ])("reads the number of %s, which Hive merges with the outer query", async (inner) => {
    expect(await hive.answer(`select cast(s as double) from (${inner}) q where id = 1`)).toEqual(["1.399999976158142"]);
  });

  it.each([
    `select distinct id, ${text} from people`,
    `select id, ${text} from people limit 5`,
    `select id, max(cast(cast(pay / 7.5e0 as float) as string)) as s from people group by id`,
    `select id, ${text} from people union all select 9, 'a' from people`,
  ])("reads the text of %s", async (inner) => {
    expect(await hive.answer(`select cast(s as double) from (${inner}) q where id = 1`)).toEqual(["1.4"]);
  });
});

/** CASTs of CASTs to text, and of decimal literals. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const first = (value: string) => hive.answer(`select ${value} from people where id = 1`);

const float = "cast(pay / 7.5e0 as float)";

describe("cast: of a text that CAST makes of a number reads the text", () => {
  it.each([
    [`cast(cast(${float} as string) as double)`, "1.4"],
    [`double(string(${float}))`, "1.4"],
    [`cast(cast(${float} as varchar(15)) as double)`, "1.4"],
    [`cast(cast(cast(${float} as varchar(30)) as varchar(28)) as double)`, "1.4"],
    [`cast(cast(${float} as string) as decimal(6,3))`, "1.400"],
    ["cast(cast(pay as varchar(5)) as int)", "10"],
    ["cast(cast(id + 4999999999 as string) as int)", "NULL"],
    ["cast(cast(id - 1 as string) as boolean)", "false"],
    ["cast(cast(cast(id - 1 as decimal(10,2)) as varchar(14)) as boolean)", "true"],
    ["cast(cast(cast(id as decimal(38,30)) as string) as int)", "1"],
    [`cast(${float} as string) = 1.4e0`, "true"],
    [`cast(${float} as string) in (1.4e0, 2)`, "true"],
    [`cast(${float} as string) + 0`, "1.4"],
    [`case cast(${float} as string) when 1.4e0 then 'text' end`, "text"],
    ["cast(cast(id as string) as bigint)", "1"],
    [`cast(concat(${float}) as double)`, "1.4"],
    [`- cast(${float} as string)`, "-1.4"],
  ])("%s", async (value, expected) => {
    expect(await first(value)).toEqual([expected]);
  });

  it("in a subquery, whatever Hive merges it with", async () => {
    const text = `cast(${float} as string) as s`;
    for (const inner of [
      `select id, ${text} from people`,
      `select id, ${text}, count(*) from people group by id, pay`,
      `select id, ${text}, row_number() over (order by id) from people`,
      `select distinct id, ${text} from people`,
      `select id, ${text} from people union all select 9, 'a' from people`,
    ])
      expect(await hive.answer(`select cast(s as double) from (${inner}) q where id = 1`)).toEqual(["1.4"]);
  });
});

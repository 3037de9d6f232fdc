import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { families } from "../../../../hiveql/functions";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("table-generating functions", () => {
  test.each([
    [
      `json_tuple('{"a":1,"b":[1,2,{"c":"x"}],"d":null,"e":1.50,"f":true,"g.h":"y","i":{"j":1.0}}','a','b','d','e','f','g.h','i','zz')`,
      `1|[1,2,{"c":"x"}]|NULL|1.5|true|y|{"j":1.0}|NULL`,
    ],
    [`json_tuple('[1,2]','a')`, "NULL"],
    [`json_tuple('bad','a')`, "NULL"],
    [`json_tuple('','a')`, "NULL"],
    [`json_tuple(cast(null as string),'a')`, "NULL"],
    [
      `json_tuple('{"a":"","b":12345678901234567890,"c":1e3,"d":-0.0}','a','b','c','d')`,
      "|12345678901234567890|1000.0|-0.0",
    ],
    [`json_tuple('{"a":1,"a":2} trailing','a','A')`, "2|NULL"],
    [`json_tuple('{"a":{"b":[1.50,null,true]}}','a')`, `{"b":[1.5,null,true]}`],
    ["parse_url_tuple('http://h.org/p?k=1', 'HOST', 'QUERY:k')", "h.org|1"],
    ["stack(2, 'a', 'b', 'c')", "a|b\nc|NULL"],
    ["posexplode(array('x', 'y'))", "0|x\n1|y"],
    ["inline(array(struct(1, 'x')))", "1|x"],
    ["explode(map('a', 1))", "a|1"],
  ])("%s gives %j", async (call, rows) => {
    expect((await answers.answer(`select ${call}`)).join("\n")).toBe(rows);
  });

  test.each([
    ["stack(2, initcap(name), id + 1, upper(team), id * 2) v as x, y", ["Ada|2", "RED|2"]],
    ["explode(map(concat(name, 'a'), id + 1, initcap(team), id + 2)) v as x, y", ["Adaa|2", "Red|3"]],
    ["inline(array(struct(initcap(team), id + 1))) v as x, y", ["Red|2"]],
    [
      "explode(map(round(months_between(joined, add_months(joined, id + 1)) + round(pay * 1.5e0, 2) + id + 1, 1), 1)) v as x, y",
      ["15.8|1"],
    ],
  ])("computes values in a lateral view: %s", async (call, rows) => {
    const statement = `select v.x, v.y from people p lateral view ${call} where p.id = 1`;
    expect((await answers.answer(statement)).toSorted()).toEqual(rows.toSorted());
  });

  test("noop: returns the rows of its table", async () => {
    expect(await answers.answer("select count(*) from noop(on people)")).toEqual(
      await answers.answer("select count(*) from people"),
    );
  });

  test("every table-generating function is tested here", () => {
    const names = (families["Table-generating functions"] ?? []).flatMap((entry) => entry.names);
    expect(names.toSorted()).toEqual([
      "explode",
      "inline",
      "json_tuple",
      "noop",
      "noopstreaming",
      "noopwithmap",
      "noopwithmapstreaming",
      "parse_url_tuple",
      "posexplode",
      "stack",
    ]);
  });
});

import { describe, expect, test } from "vitest";
import type { TableDefinition } from "../../../service/core/ports/engine";
import { columns } from "../../contract/engine/harness";
import { useEngines } from "../harness";

const engines = useEngines("hive");
const { machine } = engines;

async function same(statement: string, table: TableDefinition) {
  const answer = await machine.run(engines.remote, statement, [table]);
  expect(answer).toBe(await machine.run(engines.embedded, statement, [table]));
  return answer;
}

describe("json tables", () => {
  test("members of every type, missing members and other spellings", async () => {
    const rows = [
      '{"id":1,"Name":"a,b","price":1.5,"ok":true,"day":"2026-01-02","t":"2026-01-02 03:04:05.6","m":1.25}',
      '{"id":2,"name":null,"price":"2.5","ok":"TRUE","day":"x","t":"x","m":"1e1"}',
      '{"id":3,"name":"l1\\nl2","extra":[1],"v":"abcdef"}',
      '{"id":4,"name":{"a":[1,2]},"price":1e2,"ok":1}',
      '{"id":"5x","name":"","price":" 7 "}',
      '{"id":9007199254740993,"name":7}',
      "{}",
    ];
    const list = columns(
      "id bigint, name string, price double, ok boolean, day date, t timestamp, m decimal(10,2), v varchar(3)",
    );
    const table = machine.tableOf([`${rows.join("\n")}\n`], { format: "json", columns: list });
    await same("SELECT * FROM t ORDER BY id, name", table);
  });

  test("undeclared columns", async () => {
    const table = machine.tableOf(['{"id":1,"v":"x"}\n{"id":2,"v":"y","w":1.5}\n'], { format: "json" });
    expect(await same("SELECT id, v, w FROM t ORDER BY id", table)).toBe("1,x,\\N\n2,y,1.5\n");
  });

  test("a line that is no object fails the select", async () => {
    const table = machine.tableOf(['{"n":1}\n', '{"n":2\n'], { format: "json", columns: columns("n int") });
    await expect(machine.run(engines.remote, "SELECT sum(n) FROM t", [table])).rejects.toThrow();
  });
});

import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { memberName, SampledMembers } from "../../../../../../../service/engines/duckdb/tables/json/columns";

test("SampledMembers: keys that differ in the case of any letter are one column, as for a query of all rows", () => {
  const members = new SampledMembers();
  members.add('{"İd":1,"\u212a":3,"É":5,"ΑΣ":7}');
  members.add('{"id":2,"k":4,"é":6,"ασ":8}');
  expect(members.columns().map(({ name }) => name)).toEqual(["id", "k", "é", "ασ"]);
});

test("memberName: writes each letter of the scripts of Europe as DuckDB does", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const reader = await connection.runAndReadAll("SELECT chr(i::INT), lower(chr(i::INT)) FROM range(1, 7296) t(i)");
  const wrong = reader.getRowsJson().filter(([letter, lower]) => memberName(String(letter)) !== lower);
  expect(wrong).toEqual([]);
});

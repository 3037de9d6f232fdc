import { expect, test } from "vitest";
import { fromKept, toKept } from "../../../../../service/engines/hiveserver2/running-statement";

const handle = (text: string) => ({ guid: Buffer.from(`${text} guid`), secret: Buffer.from(`${text} secret`) });

const statement = {
  address: "hive2://host:10000",
  session: { sessionId: handle("session") },
  operation: { operationId: handle("operation"), operationType: 0, hasResultSet: false },
  written: { bucket: "out", key: "tmp/7/1.attempt-0a/" },
  columns: [{ name: "guid", type: "decimal(10,2)" }],
};

test("toKept: a statement that is kept as a text is the same when it is read", () => {
  expect(fromKept(toKept(statement))).toEqual(statement);
});

test("fromKept: a statement of a version that did not keep its columns has none", () => {
  const { columns: _, ...earlier } = statement;
  expect(fromKept(toKept(earlier))).toEqual(earlier);
});

test.each(["", "job 7", "null", "7", "{}", '{"address":"hive2://host:10000"}'])(
  "fromKept: %j, which another kind of engine may have kept, is none",
  (text) => {
    expect(fromKept(text)).toBeUndefined();
  },
);

/** Comparisons with NaN; the answers are those of Hive 4.0.1. */
import { describe, expect, test } from "vitest";
import { refusal } from "../answers";

describe("comparisons with NaN: are refused for a column, because Hive's filters match no row", () => {
  test.each([
    "select id from people where pay = cast('NaN' as double)",
    "select cast('NaN' as float) < pay from people",
    "select id from people where pay between 1 and cast('nan' as double)",
    "select case pay when cast('NaN' as double) then 1 end from people",
  ])("%s", (statement) => {
    expect(refusal(statement)).toMatchObject({ problem: "unsupported", construct: "NaN" });
  });
});

import { describe, expect, test } from "vitest";
import { formatTable } from "../../../../tools/quickstart/table.mts";

describe("formatTable", () => {
  test("aligns text to the left and numbers to the right", () => {
    const lines = formatTable(
      ["day", "events"],
      [
        ["2026-01-01", "7"],
        ["2026-01-02", "10432"],
      ],
    ).split("\n");
    expect(lines).toEqual(["day         events", "──────────  ──────", "2026-01-01       7", "2026-01-02   10432"]);
  });

  test("shows NULL for null and for missing cells", () => {
    expect(
      formatTable(["a", "b"], [[null], ["x", "1.5"]])
        .split("\n")
        .slice(2),
    ).toEqual(["NULL  NULL", "x      1.5"]);
  });

  test("shows the column names when there are no rows", () => {
    expect(formatTable(["a", "b"], [])).toBe("a  b\n─  ─");
  });
});

/** Checks docs/refusals.md: each refusal is what the translator says, and what to write instead is translated. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../hiveql/index";

const page = readFileSync(resolve(__dirname, "../../../docs/refusals.md"), "utf8");

const tables = new Map(
  [...page.matchAll(/^\| `(\w+)` \| `(.+)` \|$/gm)].map(([, name = "", columns = ""]) => [
    name,
    columns.split(", ").map((column) => {
      const [columnName = "", type = ""] = column.split(/ (.*)/);
      return { name: columnName, type };
    }),
  ]),
);

/** The sections: a refused statement, the refusal, and the statement to write instead. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [refused = "", instead = ""] = [...section.matchAll(/```sql\n([^`]*(?:`[^`]+`[^`]*)*)```/g)].map(
      ([, statement = ""]) => statement.trim(),
    );
    return { title: section.split("\n", 1)[0] ?? "", refused, message: /^> (.*)$/m.exec(section)?.[1], instead };
  });

const answer = (statement: string) =>
  translate(statement, (_database, table) => {
    const columns = tables.get(table);
    return columns && { columns, relation: `"${table}"` };
  });

test("docs/refusals.md: has at least ten refusals", () => {
  expect(sections.length).toBeGreaterThanOrEqual(10);
});

describe("docs/refusals.md: shows a refusal as the translator says it, and what it takes instead", () => {
  test.each(sections)("$title", ({ refused, message, instead }) => {
    let said: unknown;
    try {
      answer(refused);
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(HiveQLError);
    expect((said as HiveQLError).message).toBe(message);
    expect(answer(instead).columns.length).toBeGreaterThan(0);
  });
});

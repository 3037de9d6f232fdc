import fc from "fast-check";
import { expect, test } from "vitest";
import { type Column, partitionFolders } from "../../../../../../contract";
import type { EngineTable } from "../../../../../../service/engines/duckdb/files";
import { partitionsOf } from "../../../../../../service/engines/duckdb/tables/partitions/index";

const nullFolder = "__HIVE_DEFAULT_PARTITION__";

const escaped = new Set("\"#%'*/:=?\\{[]^\u007f");

/** Writes a value as Hive names its folder. */
const folderOf = (value: string | null) =>
  value === null
    ? nullFolder
    : Array.from(value, (character) => {
        const code = character.codePointAt(0)!;
        if (code >= 32 && !escaped.has(character)) return character;
        return `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
      }).join("");

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const value = fc.option(
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }).filter((text) => !text.includes("\0")),
);

const foldersOf = (path: string) => partitionFolders(path).map(({ folder: _folder, ...rest }) => rest);

function tableOf(names: readonly string[], options: { columns?: Column[]; partitions?: Column[] } = {}): EngineTable {
  const files = names.map((each) => ({ path: `/t/${each}`, location: `dag://d/t/${each}`, name: each, size: 1 }));
  return { database: "d", table: "t", format: "csv", checked: false, files, ...options };
}

test("partitionFolders: reads what Hive writes", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (levels) => {
      const path = [...levels.map(([key, text]) => `${key}=${folderOf(text)}`), "part-0"].join("/");
      expect(foldersOf(path)).toEqual(levels.map(([key, text]) => ({ name: key, value: text })));
    }),
  );
});

test.each([
  ["a.csv", []],
  ["x/dt=1/a.csv", []],
  ["dt=1/x/b=2/a.csv", [{ name: "dt", value: "1" }]],
  ["dt=/a.csv", [{ name: "dt", value: "" }]],
  ["=1/a.csv", []],
  ["a=b=c/a.csv", [{ name: "a", value: "b=c" }]],
  ["k=YWJj==/a.csv", [{ name: "k", value: "YWJj==" }]],
  ["dt=1", []],
  ["DT=A/a", [{ name: "dt", value: "A" }]],
  ["a=100%/x", [{ name: "a", value: "100%" }]],
  ["a=%zz%20/x", [{ name: "a", value: "%zz " }]],
  ["city=Z%C3%BCrich/x", [{ name: "city", value: "Zürich" }]],
  ["a=%F0%9F%A6%89%3A/x", [{ name: "a", value: "🦉:" }]],
  ["a=%E9/x", [{ name: "a", value: "é" }]],
])("partitionFolders: %s", (path, expected) => {
  expect(foldersOf(path)).toEqual(expected);
});

test("partitionsOf: every file has the values of its folders", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(value, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      (names, rows) => {
        const values = rows.map((row) => row.slice(0, names.length));
        const paths = values.map((row, index) =>
          [...row.map((text, level) => `${names[level]}=${folderOf(text)}`), `f${index}`].join("/"),
        );
        const found = partitionsOf(tableOf(paths));
        expect(found.partitionColumns).toEqual(names.map((each) => ({ name: each, type: "string" })));
        expect(found.files.map(({ partition }) => found.partitionRows[partition])).toEqual(values);
        expect(new Set(found.partitionRows.map((row) => JSON.stringify(row))).size).toBe(found.partitionRows.length);
      },
    ),
  );
});

test("partitionsOf: empty objects lie anywhere, and files without folders are one partition", () => {
  const table = tableOf(["dt=1/a", "dt=2/a"]);
  const marker = { path: "/t/m", location: "dag://d/t/m", name: "dt=1_$folder$", size: 0 };
  expect(partitionsOf({ ...table, files: [marker, ...table.files] }).partitionRows).toEqual([["1"], ["2"]]);
  expect(partitionsOf(tableOf(["a", "b"])).partitionRows).toEqual([[]]);
});

test("partitionsOf: declared columns have no partitions unless they are declared too", () => {
  const columns = [{ name: "n", type: "int" }];
  expect(partitionsOf(tableOf(["dt=1/a"], { columns })).partitionColumns).toEqual([]);
  const partitions = [{ name: "dt", type: "int" }];
  expect(partitionsOf(tableOf(["dt=1/a"], { columns, partitions })).partitionColumns).toEqual(partitions);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errors, formatColumns, parseColumns, type Column } from "../../../contract";
import { resultOrError } from "./result-or-error";

const type = fc.oneof(
  fc.constantFrom("tinyint", "int", "bigint", "boolean", "double", "string", "timestamp", "date", "binary"),
  fc
    .integer({ min: 1, max: 38 })
    .chain((precision) => fc.integer({ min: 0, max: precision }).map((scale) => `decimal(${precision},${scale})`)),
  fc.integer({ min: 1, max: 65_535 }).map((length) => `varchar(${length})`),
  fc.integer({ min: 1, max: 255 }).map((length) => `char(${length})`),
);
const name = fc.oneof(
  fc.stringMatching(/^[a-z_][a-z0-9_]{0,20}$/),
  fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.replaceAll("`", "'").toLowerCase()),
);
const columns: fc.Arbitrary<Column[]> = fc.uniqueArray(fc.record({ name, type }), {
  minLength: 1,
  maxLength: 8,
  selector: (column) => column.name,
});

describe("parseColumns: nested types", () => {
  const nested = (levels: number, open: string) => `${open.repeat(levels)}int${">".repeat(levels)} c`;

  it.each(["struct<f:", "array<", "map<string,"])("refuses more levels of %s than can be read", (open) => {
    const most = open === "struct<f:" ? 32 : 8;
    expect(parseColumns(nested(most, open), { nested: true })[0]!.name).toBe("c");
    for (const levels of [most + 1, 20_000])
      expect(() => parseColumns(nested(levels, open), { nested: true })).toThrow(
        "schema cannot be used: a type can have 32 levels, of which 8 are arrays or maps: leave the column out, or nest it less",
      );
  });

  it.each<[string, Column[]]>([
    ["array<int> a", [{ name: "a", type: "array<int>" }]],
    [
      "Map<String, Decimal(10, 2)> `m`, int b",
      [
        { name: "m", type: "map<string,decimal(10,2)>" },
        { name: "b", type: "int" },
      ],
    ],
    ["struct<Street Name : string> s", [{ name: "s", type: "struct<street name:string>" }]],
    [
      "struct<`New One`:int,`b`:array<struct<`c d`:date>>> `my s`",
      [{ name: "my s", type: "struct<new one:int,b:array<struct<c d:date>>>" }],
    ],
    ["struct<A: int, b:array<struct<c:date>>> s", [{ name: "s", type: "struct<a:int,b:array<struct<c:date>>>" }]],
  ])("%s", (text, expected) => expect(parseColumns(text, { nested: true })).toEqual(expected));

  it.each([
    "array<> a",
    "array<int,int> a",
    "map<int> m",
    "map<array<int>,int> m",
    "struct<int> s",
    "struct<`a:b`:int> s",
    "struct<` a`:int> s",
    "list<int> a",
    "array<int a",
  ])("refuses %s", (text) =>
    expect(() => parseColumns(text, { nested: true, field: "columns" })).toThrow(/^columns cannot be /),
  );

  it("refuses them where they are not allowed", () => {
    expect(() => parseColumns("array<int> a")).toThrow(errors.InvalidSchema);
    expect(() => parseColumns("array<int> a")).toThrow(
      "has a nested type, which neither a text nor the name of a folder can have: use string",
    );
  });
});

describe("parseColumns", () => {
  it("reads back what formatColumns writes", () => {
    fc.assert(fc.property(columns, (value) => void expect(parseColumns(formatColumns(value))).toEqual(value)));
  });

  it.each<[string, Column[]]>([
    ["string name", [{ name: "name", type: "string" }]],
    [
      "  INT   Id ,DECIMAL( 10 , 2 ) price",
      [
        { name: "id", type: "int" },
        { name: "price", type: "decimal(10,2)" },
      ],
    ],
    [
      "integer a, numeric b, decimal c",
      [
        { name: "a", type: "int" },
        { name: "b", type: "decimal(10,0)" },
        { name: "c", type: "decimal(10,0)" },
      ],
    ],
    [
      "decimal(5) a, varchar(20)b, char(1)`c d`",
      [
        { name: "a", type: "decimal(5,0)" },
        { name: "b", type: "varchar(20)" },
        { name: "c d", type: "char(1)" },
      ],
    ],
    [
      "int `a,b`, string `c(d`, string `e)`",
      [
        { name: "a,b", type: "int" },
        { name: "c(d", type: "string" },
        { name: "e)", type: "string" },
      ],
    ],
  ])("%s", (text, expected) => expect(parseColumns(text)).toEqual(expected));

  it.each([
    "name",
    "int",
    "int a b",
    "int a,",
    ",int a",
    "int a;drop",
    "int a, , int b",
    "decimal(x,2) a",
    "int(",
    "int `a",
    "1int a",
  ])("InvalidSchema: %j is not a column definition list", (text) => {
    expect(() => parseColumns(text)).toThrow(errors.InvalidSchema);
    expect(() => parseColumns(text)).toThrow(/^schema cannot be parsed: /);
  });

  it.each([
    ["", "no column"],
    ["  ", "no column"],
    ["int a, string A", 'the column "a" twice'],
    ["blob a", '"blob"'],
    ["constructor a", '"constructor"'],
    ["decimal(39,2) a", "precision of 1 to 38"],
    ["decimal(3,4) a", "scale of 0 up to the precision"],
    ["decimal(1,1,1) a", "decimal"],
    ["varchar a", '"varchar"'],
    ["varchar(0) a", "length of 1 to 65535"],
    ["char(256) a", "length of 1 to 255"],
    ["int(5) a", '"int(5)"'],
  ])("InvalidDDLStatement: %j cannot be used (%s)", (text, reason) => {
    expect(() => parseColumns(text)).toThrow(errors.InvalidDDLStatement);
    expect(() => parseColumns(text)).toThrow(reason);
  });

  it("returns columns or throws one of its two errors for any text", () => {
    const text = fc.string({
      unit: fc.constantFrom("int", "decimal", " ", ",", "(", ")", "`", "a", "1", "_", "\n", "é"),
    });
    fc.assert(
      fc.property(text, (value) => {
        const outcome = resultOrError(() => parseColumns(value).length);
        const refused = outcome instanceof errors.InvalidSchema || outcome instanceof errors.InvalidDDLStatement;
        expect(refused || (outcome as number) > 0).toBe(true);
      }),
    );
  });
});

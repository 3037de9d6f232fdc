import { describe, expect, test } from "vitest";
import { constructs, semantics } from "../../../tools/generate/hiveql/constructs.mts";
import { refusedFunctions } from "../../../hiveql/functions/refused";
import { families, functionsNamed } from "../../../hiveql/functions";

const entries = Object.values(families).flat();

describe("function declarations", () => {
  test.each(entries.map((entry) => [entry.names[0] ?? "", entry] as const))(
    "%s: has a signature and consistent parameters",
    (_name, entry) => {
      expect(entry.signature).not.toBe("");
      expect(entry.optional ?? 0).toBeLessThanOrEqual(entry.takes.length);
      expect(entry.doc.endsWith(".")).toBe(false);
      for (const name of entry.names) expect(functionsNamed(name)).toContain(entry);
    },
  );

  test("a refused function is none of the table", () => {
    const refused = refusedFunctions.flatMap(({ names }) => names);
    expect(refused.filter((name) => functionsNamed(name).length > 0)).toEqual([]);
  });

  test("no two functions of one kind share a name", () => {
    const keys = entries.flatMap((entry) => entry.names.map((name) => `${entry.kind} ${name}`));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});

describe("construct declarations", () => {
  test("partly supported constructs have a note", () => {
    const parts = Object.values(constructs)
      .flat()
      .filter(({ support }) => support === "partly");
    expect(parts.filter(({ note }) => note === "")).toEqual([]);
  });

  test("semantics are sentences", () => {
    expect(semantics.filter((line) => !/^[A-Z`].*\.$/.test(line))).toEqual([]);
  });
});

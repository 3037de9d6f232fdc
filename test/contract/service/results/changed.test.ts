/** Results beside which, or in whose place, are other objects. */
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ended } from "../caller";
import { codes, fixture, path, read, run, table, write } from "./support";

describe("a result with other objects", () => {
  test.each([
    ["with an object beside it", () => write("dag://mart/names/more.csv", "cd,CD\n"), 2],
    ["with a changed object", () => write("dag://mart/names/000000_0", "cd,CD\nef,EF\ngh,GH\n"), 3],
    ["with another object of the same size", () => write("dag://mart/names/000000_0", "cd,CD\n"), 1],
    ["with an object in a folder", () => write("dag://mart/names/below/000000_0", "cd,CD\n"), 2],
  ])("results: one %s is an ordinary folder, and says so, until a query writes it again", async (_, change, count) => {
    await run(codes(["ab"]), "dag://mart/names/");
    change();
    const described = await table("names");
    expect(described).toMatchObject({ source: "folder", isInferred: true });
    expect(described.note).toMatch(/^table mart\.names is read as an ordinary folder: .*query \d+ wrote its result/);
    const log = await run("SELECT count(*) FROM mart.names", "dag://out/count/");
    expect(log).toContain(described.note);
    // Objects with such names have no header.
    expect(readFileSync(path("dag://out/count/000000_0"), "utf8")).toBe(`${count}\n`);
    await run(codes(["ab"]), "dag://mart/names/");
    expect(await table("names")).toMatchObject({ source: "select" });
    expect(await table("names")).not.toHaveProperty("note");
    expect(await run("SELECT count(*) FROM mart.names", "dag://out/count/")).not.toContain("ordinary folder");
  });

  test("results: one whose added object was removed again is a result again", async () => {
    const rows = (n: number) =>
      `SELECT x, y FROM (SELECT 'a' AS x, 'b' AS y) t LATERAL VIEW explode(array(${n})) e AS z`;
    await run(rows(1), "dag://mart/parts/");
    copyFileSync(path("dag://mart/parts/000000_0"), path("dag://mart/parts/000001_0"));
    expect((await table("parts")).note).toContain("were changed, removed or added since query");
    rmSync(path("dag://mart/parts/000001_0"));
    expect(await table("parts")).toMatchObject({ source: "select" });
  });

  test("results: a small one that was copied without its times is shown, and of a large one the reason says so", async () => {
    const shown = async (query: string) => {
      const { queryId } = (await fixture.select({ query, outputResourcePath: "dag://out/copied/" })).json;
      await ended(fixture.service, queryId);
      utimesSync(path("dag://out/copied/000000_0"), 1, 1);
      return (await fixture.call("GET", `/results/${queryId}`)).json;
    };
    expect(await shown(codes(["ab"]))).toMatchObject({ sample: { rows: [["ab", "AB"]] } });
    const large = await shown(
      "SELECT pos FROM (SELECT 1 AS x) t LATERAL VIEW posexplode(split(space(20000), ' ')) p AS pos, y",
    );
    expect(large.sample.rows).toEqual([]);
    expect(large.replaced.reason).toMatch(
      /were changed, removed or added since query \d+ .*, or copied without their times$/,
    );
  });

  test("results: the table of a split with an object beside it keeps its format and schema, and says so", async () => {
    write("dag://raw/in.csv", "ab,1\n");
    const { json } = await fixture.split({
      inputObjectKeys: ["dag://raw/in.csv"],
      outputDatabase: "mart",
      outputTable: "cut",
      schema: "string code, int n",
    });
    expect(await ended(fixture.service, json.queryId)).toMatchObject({ status: "finished" });
    expect(await table("cut")).not.toHaveProperty("note");
    write("dag://mart/cut/more.csv", "cd,2\n");
    const note = `table mart.cut is read with the format and schema of its split: query ${json.queryId} wrote its result to dag://mart/cut/, and not dag://mart/cut/more.csv`;
    expect(await table("cut")).toMatchObject({ source: "split", note, columns: [{ name: "code" }, { name: "n" }] });
    expect(await run("SELECT sum(n) FROM mart.cut", "dag://out/sum/")).toContain(note);
    expect(readFileSync(path("dag://out/sum/000000_0"), "utf8")).toBe("3\n");
  });

  test("results: markers, which hold no rows, change nothing", async () => {
    await run(codes(["ab"]), "dag://mart/names/");
    write("dag://mart/names/_SUCCESS", "");
    write("dag://mart/names/.DS_Store", "x");
    expect(await table("names")).toMatchObject({ source: "select" });
    expect(readdirSync(path("dag://mart/names/")).toSorted()).toEqual([".DS_Store", "000000_0", "_SUCCESS"]);
    expect(statSync(path("dag://mart/names/000000_0")).size).toBe(6);
  });

  test("results: of an unknown folder, objects that Hive names have no header, any other may have one", async () => {
    write("dag://mart/hive/000000_0", "code,name\nab,AB\n");
    write("dag://mart/hive/000001_0", "cd,CD\n");
    write("dag://mart/people/part.csv", "code,name\nab,AB\n");
    expect(await read("SELECT count(*) FROM mart.hive")).toEqual(["3"]);
    expect(await table("hive")).toMatchObject({
      source: "folder",
      columns: [{ name: "_c0" }, { name: "_c1" }],
      sample: {
        rows: [
          ["code", "name"],
          ["ab", "AB"],
          ["cd", "CD"],
        ],
      },
    });
    expect(await read("SELECT code FROM mart.people")).toEqual(["ab"]);
  });
});

/** Partitions that selects wrote. */
import { renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { codes, columnsOf, fixture, path, read, run, table, write } from "./support";

describe("partitions that selects wrote", () => {
  test("are one table with their columns and that of the folders, also when they were moved", async () => {
    await run(codes(["ab"]), "dag://mart/days/dt=2026-01-01/", "tsv");
    await run(codes(["cd, ef"]), "dag://mart/days/dt=2026-01-02/", "tsv");
    const check = async (name: string) => {
      expect(await columnsOf(name)).toEqual(["code string", "name string", "dt string"]);
      expect(await read(`SELECT dt, code FROM mart.${name} ORDER BY dt`)).toEqual([
        "2026-01-01\tab",
        "2026-01-02\tcd, ef",
      ]);
      expect(await read(`SELECT name FROM mart.${name} WHERE dt = '2026-01-02'`)).toEqual(["CD, EF"]);
      expect(await table(name)).toMatchObject({ source: "select", partitionColumns: ["dt"] });
    };
    await check("days");
    renameSync(path("dag://mart/days/"), path("dag://mart/moved/"));
    await check("moved");
    await run(codes(["gh"]), "dag://mart/moved/dt=2026-01-03/", "tsv");
    expect(await read("SELECT count(*) FROM mart.moved")).toEqual(["3"]);
    rmSync(path("dag://mart/moved/dt=2026-01-01"), { recursive: true });
    expect(await read("SELECT count(*) FROM mart.moved")).toEqual(["2"]);
    expect(await table("moved")).toMatchObject({ source: "select" });
  });

  test("with other columns, other formats or foreign objects are an ordinary folder that says so", async () => {
    await run(codes(["a,b"]), "dag://mart/days/dt=1/", "tsv");
    await run("SELECT 1 AS n, 'b' AS name", "dag://mart/days/dt=2/", "tsv");
    expect((await table("days")).note).toMatch(/queries \d+ and \d+ wrote results with different columns or formats/);
    expect(await columnsOf("days")).toEqual(["_c0 string", "_c1 string", "dt string"]);
    expect(await read("SELECT `_c0` FROM mart.days ORDER BY dt")).toEqual(["a,b", "1"]);
    await run("SELECT 1 AS n, 'b' AS name", "dag://mart/days/dt=2/", "csv");
    // The first has tabs, the second commas.
    const refused = await fixture.select({ query: "SELECT * FROM mart.days", outputResourcePath: "dag://out/no/" });
    expect(refused.json.message).toMatch(/dt=2\/000000_0 have one cell each.*different columns or formats/);
    await run(codes(["ab"]), "dag://mart/days/dt=1/");
    await run(codes(["cd"]), "dag://mart/days/dt=2/");
    expect(await columnsOf("days")).toEqual(["code string", "name string", "dt string"]);
    write("dag://mart/days/dt=3/own.csv", "ef,EF\n");
    const { note } = await table("days");
    expect(note).toContain("and not dag://mart/days/dt=3/own.csv");
    expect(await read("SELECT count(*) FROM mart.days")).toEqual(["3"]);
  });

  test("without names of partitions are folders of one table", async () => {
    await run(codes(["ab"]), "dag://mart/all/one/");
    await run(codes(["cd"]), "dag://mart/all/two/");
    expect(await columnsOf("all")).toEqual(["code string", "name string"]);
    expect(await read("SELECT code FROM mart.`all` ORDER BY code")).toEqual(["ab", "cd"]);
  });
});

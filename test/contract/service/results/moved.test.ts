/** Results that were moved, copied or restored. */
import { cpSync, renameSync, utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ended } from "../caller";
import { codes, columnsOf, fixture, path, read, run, table, write } from "./support";

describe("a result that was moved or copied", () => {
  const content = () => codes(["ab", "cd, ef", "gh"]);
  const isRead = async (name: string) => {
    expect(await columnsOf(name)).toEqual(["code string", "name string"]);
    expect(await read(`SELECT code FROM mart.${name} ORDER BY code`)).toEqual(["ab", "cd, ef", "gh"]);
  };

  test.each(["csv", "tsv"])(
    "results: a moved folder of %s is read as what it is, also when another result took its place",
    async (format) => {
      await run(content(), "dag://mart/names/", format);
      renameSync(path("dag://mart/names/"), path("dag://mart/old_names/"));
      await isRead("old_names");
      await run("SELECT 1 AS n", "dag://mart/names/", "csv");
      await isRead("old_names");
      expect(await columnsOf("names")).toEqual(["n int"]);
    },
  );

  test.each([true, false])(
    "results: a copy is read as what it is, with its times kept: %s",
    async (preserveTimestamps) => {
      await run(content(), "dag://mart/names/", "tsv");
      cpSync(path("dag://mart/names/"), path("dag://mart/copied/"), { recursive: true, preserveTimestamps });
      await isRead("names");
      await isRead("copied");
    },
  );

  test("results: a restored folder, whose objects have other times, is read as what it is", async () => {
    await run(content(), "dag://mart/names/", "tsv");
    await run("SELECT code AS other, name FROM mart.names", "dag://mart/others/", "tsv");
    for (const name of ["names", "others"]) utimesSync(path(`dag://mart/${name}/000000_0`), new Date(0), new Date(0));
    await isRead("names");
    expect(await columnsOf("others")).toEqual(["other string", "name string"]);
    expect(await table("others")).not.toHaveProperty("note");
  });

  test("results: a copy of one that was read under other names has the columns of the result, and says so", async () => {
    await run("SELECT 'ab' AS one, 7 AS `Two`, array(1) AS three", "dag://mart/names/");
    const copy = (to: string, from = "names") =>
      cpSync(path(`dag://mart/${from}/`), path(`dag://mart/${to}/`), { recursive: true });
    copy("before");
    const columns = ["one string", "two int", "three string"];
    expect(await columnsOf("before")).toEqual(columns);
    await run("SELECT * FROM mart.names", "dag://mart/again/");
    copy("meanwhile");
    expect(await table("meanwhile")).not.toHaveProperty("note");
    await run("SELECT one AS other, two, three FROM mart.names", "dag://mart/others/");
    copy("after");
    copy("other_copy", "others");
    for (const name of ["names", "before", "meanwhile", "after", "other_copy"]) {
      expect(await columnsOf(name)).toEqual(columns);
      expect(await read(`SELECT one, two + 1 FROM mart.${name}`)).toEqual(["ab\t8"]);
    }
    expect(await columnsOf("others")).toEqual(["other string", "two int", "three string"]);
    expect(await table("names")).not.toHaveProperty("note");
    const { note } = await table("after");
    expect(note).toMatch(
      /^table mart\.after is read as the first of two results .*: query \d+ \(csv: string one, .* and query \d+ \(csv: string other, /,
    );
    expect(await run("SELECT * FROM mart.after", "dag://out/log/")).toContain(note);
  });

  test("results: a copy of one column is read as what it is, after it was read in another format", async () => {
    await run("SELECT 'ab' AS one", "dag://mart/names/", "csv");
    await run("SELECT * FROM mart.names", "dag://out/tsv/", "tsv");
    cpSync(path("dag://mart/names/"), path("dag://mart/copied/"), { recursive: true });
    expect(await read("SELECT one FROM mart.copied")).toEqual(["ab"]);
  });

  test("results: a copy of what two queries with columns of other types wrote is an ordinary folder that says so", async () => {
    await run("SELECT '10' AS n UNION ALL SELECT '9'", "dag://mart/names/");
    await run("SELECT cast(n AS int) AS n FROM mart.names", "dag://mart/numbers/");
    cpSync(path("dag://mart/names/"), path("dag://mart/copied/"), { recursive: true });
    expect(await columnsOf("names")).toEqual(["n string"]);
    expect(await columnsOf("copied")).toEqual(["_c0 bigint"]);
    const { note } = await table("copied");
    expect(note).toMatch(
      /ordinary folder: query \d+ \(csv: string n\) and query \d+ \(csv: int n\) wrote the objects that/,
    );
    expect(await run("SELECT * FROM mart.copied", "dag://out/log/")).toContain(note);
    await expect(run("SELECT n FROM mart.copied", "dag://out/log/")).rejects.toThrow(`; ${note}`);
  });

  test("results: the moved table of a split without a schema has the header that its objects have", async () => {
    write("dag://raw/in.csv", "code,name\nab,AB\n");
    const { json } = await fixture.split({
      inputObjectKeys: ["dag://raw/in.csv"],
      outputDatabase: "mart",
      outputTable: "cut",
    });
    expect(await ended(fixture.service, json.queryId)).toMatchObject({ status: "finished" });
    expect(await read("SELECT code FROM mart.cut")).toEqual(["ab"]);
    renameSync(path("dag://mart/cut/"), path("dag://mart/moved/"));
    expect(await read("SELECT code FROM mart.moved")).toEqual(["ab"]);
  });
});

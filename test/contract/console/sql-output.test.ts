/** What `dag-service sql --output` replaces, and what `sql` says of its query's notes. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ended } from "../service/caller";
import { useService } from "../service/fixture";
import { commandFor } from "./command";

const fixture = useService({ buckets: ["out", "mart"] });
beforeEach(async () => {
  await fixture.service.reset();
  const folder = join(fixture.service.bucketsDirectory, "mart");
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
});

const start = commandFor(fixture);
const run = (...args: readonly string[]) => start(args).ended;

function write(path: string, content: string): void {
  const file = join(fixture.service.bucketsDirectory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

async function split(outputTable: string): Promise<number> {
  const { json } = await fixture.split({ outputDatabase: "mart", outputTable });
  expect((await ended(fixture.service, json.queryId)).status).toBe("finished");
  return json.queryId;
}

test("sql: a text with line separators of Unicode is one cell", async () => {
  write("mart/texts/a.csv", "n,t\n1,a\u2028b\u2029c\u0085d\n2,e\n");
  const { stdout, stderr } = await run("sql", "--format", "tsv", "select n, t, 5 x from mart.texts");
  expect(stderr).toBe("");
  expect(stdout).toBe("n\tt\tx\n1\ta\u2028b\u2029c\u0085d\t5\n2\te\t5\n");
});

describe("sql --output", () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      "objects of unknown origin",
      () => write("mart/t/mine.csv", "1\n"),
      /mart\/t\/ has 1 object, such as dag:\/\/mart\/t\/mine.csv, which no query published there/,
    ],
    [
      "the table of a split",
      () => split("t"),
      /mart\/t\/ has 1 object, such as dag:\/\/mart\/t\/000000_0, which query \d+ wrote as a table/,
    ],
    [
      "a result to which an object was added",
      async () => {
        await run("sql", "--output", "dag://mart/t/", "select 1 n");
        write("mart/t/mine.csv", "1\n");
      },
      /has 2 objects, such as dag:\/\/mart\/t\/mine.csv, changed since query \d+ published its result there/,
    ],
    [
      "a result to which an object was added that is no row",
      async () => {
        await run("sql", "--output", "dag://mart/t/", "select 1 n");
        write("mart/t/_mine", "1\n");
      },
      /has 2 objects, such as dag:\/\/mart\/t\/_mine, which query \d+ did not publish/,
    ],
    [
      "the results of other folders in it",
      () => run("sql", "--output", "dag://mart/t/dt=1/", "select 1 n"),
      /has 1 object, such as dag:\/\/mart\/t\/dt=1\/000000_0, which query \d+ published to dag:\/\/mart\/t\/dt=1\//,
    ],
  ])("%s: refused before anything runs, and replaced with --overwrite", async (_, prepare, reason) => {
    await prepare();
    const before = fixture.entries("mart");
    const submitted = async () => (await fixture.call("GET", "/v1/?query")).json.queries.length;
    const queries = await submitted();
    const refused = await run("sql", "--output", "dag://mart/t", "select 42 n");
    expect(refused).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(reason) });
    expect(refused.stderr).toContain(": name another folder with --output, or replace what it has with --overwrite");
    expect([fixture.entries("mart"), await submitted()]).toEqual([before, queries]);
    const replaced = await run("sql", "--csv", "--overwrite", "--output", "dag://mart/t", "select 42 n");
    expect([replaced.code, replaced.stdout]).toEqual([0, "n\n42\n"]);
    expect(replaced.stderr).toMatch(/^dag-service: warning: dag:\/\/mart\/t\/ had .*: the result replaces them/);
    expect(fixture.get("mart/t/000000_0")).toBe("42\n");
  });

  test("the result of a select is replaced, and the command names its query", async () => {
    const first = await run("sql", "--csv", "--output", "dag://mart/new/", "select 1 n");
    expect(first).toEqual({ code: 0, stdout: "n\n1\n", stderr: "" });
    const again = await run("sql", "--csv", "--output", "dag://mart/new/", "select 2 n");
    expect([again.code, again.stdout]).toEqual([0, "n\n2\n"]);
    expect(again.stderr).toMatch(
      /^dag-service: query (\d+) replaces the result of query \d+ in dag:\/\/mart\/new\/\n$/,
    );
  });

  test.each([
    [["--output", "nowhere"], /InvalidOutputResourcePath|InvalidParameter/],
    [["--output", "dag://missing/x/"], /OutputBucketIsNotFound/],
    [["--overwrite"], /--overwrite needs --output/],
  ])("%j is refused with its reason", async (options, reason) => {
    const { code, stdout, stderr } = await run("sql", ...options, "select 1");
    expect([code > 0, stdout]).toEqual([true, ""]);
    expect(stderr).toMatch(reason);
  });
});

test("GET /outputs: what a result would replace", async () => {
  const get = async (path: string) => (await fixture.call("GET", `/outputs/${path}`)).json;
  expect(await get("mart/none")).toEqual({ location: "dag://mart/none/" });
  expect(await get("missing/none/")).toEqual({ location: "dag://missing/none/" });
  write("mart/t/mine.csv", "1\n");
  expect(await get("mart/t")).toMatchObject({ others: expect.stringContaining("which no query published there") });
  const { json } = await fixture.select({ outputResourcePath: "dag://mart/result/" });
  await ended(fixture.service, json.queryId);
  expect(await get("mart/result/")).toEqual({ location: "dag://mart/result/", queryId: json.queryId });
  const queryId = await split("around");
  const { split: whole } = await get("mart/around/");
  expect(whole).toEqual({ queryId });
  write("mart/around/_mine", "1\n");
  const { split: marked } = await get("mart/around/");
  expect(marked).toEqual({ queryId, change: `query ${queryId} did not publish dag://mart/around/_mine` });
  rmSync(join(fixture.service.bucketsDirectory, "mart/around/_mine"));
  const inside = expect.stringContaining("is in the folder of mart.around, which a split wrote");
  expect(await get("mart/around/sub/")).toEqual({ location: "dag://mart/around/sub/", others: inside, isInside: true });
  expect((await get("mart/..%2Fx")).code).toBe("InvalidParameter");
});

test("select: the log warns of a table of a split that the result replaces", async () => {
  const id = await split("t");
  const { json } = await fixture.select({ outputResourcePath: "dag://mart/t/" });
  await ended(fixture.service, json.queryId);
  const { log } = (await fixture.call("GET", `/v1/${json.queryId}/log?query`)).json;
  expect(log).toContain(
    `warning: dag://mart/t/ had 1 object, such as dag://mart/t/000000_0, which query ${id} wrote as a table: the result`,
  );
});

test("sql --output: a folder within the table of a split is refused, and the log warns", async () => {
  await split("t");
  const lost =
    /dag:\/\/mart\/t\/x\/ is in the folder of mart\.t, which a split wrote: with the result in it, the table loses/;
  const refused = await run("sql", "--output", "dag://mart/t/x/", "select 1 n");
  expect(refused).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(lost) });
  const written = await run("sql", "--overwrite", "--output", "dag://mart/t/x/", "select 1 n");
  expect([written.code, written.stderr]).toEqual([0, expect.stringMatching(lost)]);
});

test("sql: the notes of the query's log are on standard error, the rows alone on standard output", async () => {
  write("mart/years/a.csv", "city,2023,2024\nberlin,1,2\n");
  const years = await run("sql", "--csv", "select count(*) n from mart.years");
  expect([years.code, years.stdout]).toEqual([0, "n\n2\n"]);
  expect(years.stderr).toMatch(
    /^dag-service: warning: the first row of dag:\/\/mart\/years\/a.csv \(city, 2023, 2024\) is read as data[^\n]*\n$/,
  );
  write("mart/texts/a.csv", "alice,berlin\nbob,paris\n");
  const texts = await run("sql", "--csv", "select count(*) n from mart.texts where alice < '2024-02-31'");
  expect(texts.stderr).toMatch(/^dag-service: note: the first row of dag:\S+ is taken for the names of the columns/);
});

test.each(["--port", "--host"])("%s is refused with the option that there is", async (option) => {
  const { code, stderr } = await run(option, "8080");
  expect([code, stderr]).toEqual([
    2,
    `dag-service: there is no option ${option}: use --listen ADDRESS:PORT, such as --listen 127.0.0.1:8080\n`,
  ]);
});

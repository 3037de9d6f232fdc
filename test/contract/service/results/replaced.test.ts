/** Objects that are replaced while statements read them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ended } from "../caller";
import { fixture, path, run, write } from "./support";

/** Writes a table of the numbers from 0. */
const writeNumbers = (count: number) =>
  write("dag://raw/seq/a.csv", Array.from({ length: count }, (_, n) => `${n}\n`).join(""));

/** Submits a statement; `refused` is the message when it is not accepted. */
async function submit(query: string, outputResourcePath: string): Promise<{ refused?: string; id: number }> {
  const { status, json } = await fixture.select({ query, outputResourcePath });
  return status === 202 ? { id: json.queryId } : { id: 0, refused: json.message };
}

/** Returns the row that a reader of the table has got, or why it has got none. */
async function readEnd(to: string): Promise<string> {
  const { refused, id } = await submit("SELECT min(a), min(b) FROM mart.t", to);
  if (refused !== undefined) return refused;
  const { status } = await ended(fixture.service, id);
  if (status === "finished") return readFileSync(path(`${to}000000_0`), "utf8");
  return (await fixture.call("GET", `/v1/${id}/log?query`)).json.log;
}

const reason = /dag:\/\/mart\/t\/000000_0 was replaced while it was read: submit the query again/;

test("select: a result that another query replaces meanwhile is never read with the columns of the earlier one", async () => {
  writeNumbers(5100);
  const layouts = ["`_c0` AS a, 1000000 + `_c0` AS b", "1000000 + `_c0` AS b, `_c0` AS a"];
  await run(`SELECT ${layouts[0]} FROM raw.seq WHERE \`_c0\` < 5000`, "dag://mart/t/");
  const right: string[] = [];
  const ends: string[] = [];
  for (let round = 1; round <= 40; round += 1) {
    const count = 5000 + round;
    const writer = await submit(`SELECT ${layouts[round % 2]} FROM raw.seq WHERE \`_c0\` < ${count}`, "dag://mart/t/");
    await sleep((round * 7) % 50);
    ends.push(await readEnd(`dag://out/read-${round}/`));
    if (ends.at(-1) === "0,1000000\n") right.push(ends.pop()!);
    expect(await ended(fixture.service, writer.id)).toMatchObject({ status: "finished" });
  }
  // For a moment, the folder is not there.
  const inWords = /(?:replaced|deleted) while it was read|does not exist|changed or deleted/;
  expect(ends.filter((end) => !inWords.test(end) || end.includes("ordinary folder"))).toEqual([]);
  expect(right.length).toBeGreaterThan(0);
});

test("select: an object that is overwritten while it is read ends the query, in words", async () => {
  writeNumbers(40_000);
  await run("SELECT `_c0` AS n FROM raw.seq", "dag://mart/t/");
  const slow = "SELECT count(*), sum(length(sha2(repeat(cast(n AS string), 4000), 256))) FROM mart.t";
  const { id } = await submit(slow, "dag://out/slow/");
  for (;;) {
    const { json } = await fixture.call("GET", `/v1/${id}?query`);
    if (json.stage === 2) break;
    await sleep(5);
  }
  writeFileSync(path("dag://mart/t/000000_0"), "1\n");
  expect(await ended(fixture.service, id)).toMatchObject({ status: "error" });
  expect((await fixture.call("GET", `/v1/${id}/log?query`)).json.log).toMatch(reason);
});

test("split: an input that is overwritten meanwhile ends the query, and makes no table", async () => {
  const row = `${"x".repeat(99)}\n`;
  write("dag://raw/big.csv", row.repeat(2_500_000));
  const { json } = await fixture.split({
    inputObjectKeys: ["dag://raw/big.csv"],
    outputDatabase: "mart",
    outputTable: "cut",
  });
  const attempt = path(`dag://mart/tmp/${json.queryId}/1`);
  while (!existsSync(attempt) || readdirSync(attempt).length === 0) await sleep(1);
  writeFileSync(path("dag://raw/big.csv"), "y\n");
  expect(await ended(fixture.service, json.queryId)).toMatchObject({ status: "error" });
  expect((await fixture.call("GET", "/catalog/mart/cut")).json.code).toBe("InvalidTableName");
});

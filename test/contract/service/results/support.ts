/** Statements that read what selects have written, and what became of it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect } from "vitest";
import { ended } from "../caller";
import { useService } from "../fixture";

export const fixture = useService({ buckets: ["mart", "out", "raw"], objects: {}, tables: [] });
beforeEach(async () => {
  await fixture.service.reset();
  for (const bucket of ["mart", "out", "raw"]) {
    const folder = join(fixture.service.bucketsDirectory, bucket);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
});

let serial = 0;
export const path = (location: string) => join(fixture.service.bucketsDirectory, location.slice("dag://".length));

/** Writes an object. */
export function write(location: string, content: string): void {
  mkdirSync(dirname(path(location)), { recursive: true });
  writeFileSync(path(location), content);
}

/** Runs a statement to its end, and returns its log. */
export async function run(query: string, outputResourcePath: string, outputFormat = "csv"): Promise<string> {
  const { status, json } = await fixture.select({ query, outputResourcePath, outputFormat });
  if (status !== 202) throw new Error(json.message);
  const record = await ended(fixture.service, json.queryId);
  const { log } = (await fixture.call("GET", `/v1/${json.queryId}/log?query`)).json;
  expect(record.status, log).toBe("finished");
  return log;
}

/** Runs a statement, and returns its rows, cells separated by tabs. */
export async function read(query: string): Promise<string[]> {
  const to = `dag://out/read-${(serial += 1)}/`;
  await run(query, to, "tsv");
  const content = readFileSync(path(`${to}000000_0`), "utf8");
  return content === "" ? [] : content.replace(/\n$/, "").split("\n");
}

export const table = async (name: string) => (await fixture.call("GET", `/catalog/mart/${name}`)).json;
export const columnsOf = async (name: string) =>
  (await table(name)).columns.map((column: { name: string; type: string }) => `${column.name} ${column.type}`);

export const codes = (values: readonly string[]) =>
  `SELECT code, name FROM (${values.map((value) => `SELECT '${value}' AS code, upper('${value}') AS name`).join(" UNION ALL ")}) t`;

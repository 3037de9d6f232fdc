/** Work on folders with many objects: other requests are answered in the meantime. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { call, send } from "../caller";
import { useService } from "../fixture";

const f = useService({ clusters: [{ name: "c1", instances: [{ grade: "small", quantity: 3 }] }] });
const count = 20_000;
const tables = 50_000;

beforeAll(() => {
  const path = join(f.service.bucketsDirectory, "data/large");
  mkdirSync(path, { recursive: true });
  mkdirSync(join(f.service.bucketsDirectory, "many"));
  for (let index = 0; index < count; index += 1) writeFileSync(join(path, `part-${index}.csv`), "1\n");
});

/** Counts the requests of another caller that are answered, one after another, while work is done. */
async function answeredDuring<Result>(work: Promise<Result>): Promise<{ result: Result; answered: number }> {
  const done = new AbortController();
  let answered = 0;
  const other = (async () => {
    while (!done.signal.aborted) {
      expect((await send(f.service.url, "GET", "/healthz", {})).status).toBe(200);
      if (!done.signal.aborted) answered += 1;
    }
  })();
  const result = await work.finally(() => done.abort());
  await other;
  return { result, answered };
}

test("GET /objects: other requests are answered before 32 lists of a folder of 20,000 objects end", async () => {
  const list = () => call(f.service, "GET", "/objects?prefix=dag://data/large/&max=2");
  const { result, answered } = await answeredDuring(Promise.all(Array.from({ length: 32 }, list)));
  for (const { status, json } of result) {
    expect([status, json.objects.length, json.isTruncated]).toEqual([200, 2, true]);
  }
  expect(answered).toBeGreaterThanOrEqual(8);
});

test("GET /catalog: of a database of 50,000 tables, the first 10,000 are listed while others are answered", async () => {
  for (let index = 0; index < tables; index += 1) mkdirSync(join(f.service.bucketsDirectory, `many/t${index}`));
  const list = () => call(f.service, "GET", "/catalog/many");
  const { result, answered } = await answeredDuring(Promise.all(Array.from({ length: 4 }, list)));
  for (const { status, json } of result) {
    expect([status, json.tables.length, json.isCut]).toEqual([200, 10_000, true]);
    expect(json.tables.slice(0, 3).map(({ table }: { table: string }) => table)).toEqual(["t0", "t1", "t10"]);
  }
  expect(answered).toBeGreaterThanOrEqual(8);
});

test("GET /usage: a time that is none is refused with its name", async () => {
  const { json } = await call(f.service, "GET", "/usage?since=yesterday");
  expect(json).toMatchObject({ code: "InvalidParameter", message: expect.stringContaining('since "yesterday"') });
  expect((await call(f.service, "GET", "/usage?until=1")).json.code).toBe("InvalidParameter");
});

test("GET /objects: a page behind a marker looks at its own objects only", async () => {
  const { json } = await call(
    f.service,
    "GET",
    "/objects?prefix=dag://data/large/&max=2&marker=dag://data/large/part-9.csv",
  );
  expect(json.objects.map(({ location }: { location: string }) => location)).toEqual([
    "dag://data/large/part-90.csv",
    "dag://data/large/part-900.csv",
  ]);
});

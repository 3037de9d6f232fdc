import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ended } from "../service/caller";
import { slow, useService } from "../service/fixture";
import { settings } from "./settings";

const fixture = useService(settings);
beforeEach(() => fixture.service.reset());

const get = (target: string) => fixture.call("GET", target);

describe("queries", () => {
  test("a finished select has its duration and rows, in the list and alone, beside what the API says of it", async () => {
    const { json } = await fixture.select();
    await ended(fixture.service, json.queryId);
    const one = (await get(`/queries/${json.queryId}`)).json;
    expect(one.run).toEqual({ milliseconds: expect.any(Number), rows: 2 });
    const { run, reads: _, ...record } = one;
    expect(record).toEqual((await get(`/v1/${json.queryId}?query`)).json);
    const page = (await get("/queries?max=10")).json;
    expect(page.isTruncated).toBe(false);
    expect(page.queries).toEqual([{ ...(await get("/v1/?query")).json.queries[0], run }]);
  });

  test("a running one says how long it runs, and for how long it has made no progress", async () => {
    const { json } = await fixture.select({ query: slow });
    const one = async () => (await get(`/queries/${json.queryId}`)).json;
    await expect.poll(async () => (await one()).stage).toBe(2);
    fixture.service.clock.advance(600_000);
    const { milliseconds, unmoved, ...rest } = (await one()).run;
    expect(unmoved).toBeGreaterThan(590_000);
    expect(milliseconds).toBeGreaterThanOrEqual(unmoved);
    expect(rest).toEqual({});
  });

  test("the list takes the filters of listQueries, and refuses what it refuses", async () => {
    const first = (await fixture.select({ label: "a" })).json.queryId;
    const second = (await fixture.select({ label: "b" })).json.queryId;
    await Promise.all([first, second].map((id) => ended(fixture.service, id)));
    const ids = async (query: string) => (await get(`/queries?${query}`)).json.queries.map(({ id }: any) => id);
    expect(await ids("labelPrefix=a")).toEqual([first]);
    expect(await ids("order=asc&max=1")).toEqual([first]);
    expect(await ids(`marker=${second}`)).toEqual([first]);
    expect((await get("/queries?max=x")).json.code).toBe("InvalidParameter");
    expect((await get("/queries?nothing=1")).json.code).toBe("InvalidParameter");
    expect((await get("/queries/4711")).json.code).toBe("QueryNotFound");
  });
});

describe("search", () => {
  const ids = async (query: string) => (await get(`/queries?${query}`)).json.queries.map(({ id }: any) => id);
  const run = async (body: Record<string, unknown>): Promise<number> => {
    const { json } = await fixture.select(body);
    await ended(fixture.service, json.queryId);
    return json.queryId;
  };

  test("a text of a statement is found in any case, also far behind the part that a list shows", async () => {
    const first = await run({ query: "select v from data.events where v = 'Needle'" });
    const long = await run({ query: `select 1 -- ${"x".repeat(2000)} needle` });
    const label = await run({ query: "select 1 -- %", label: "needle" });
    expect(await ids("text=nEEdle")).toEqual([long, first]);
    expect(await ids("text=%25")).toEqual([label]);
    expect(await ids("text=needle&labelPrefix=x")).toEqual([]);
    const page = (await get("/queries?text=needle&max=1")).json;
    expect(page).toMatchObject({ isTruncated: true, nextMarker: long, queries: [{ id: long, run: { rows: 1 } }] });
    expect(await ids(`text=needle&max=1&marker=${page.nextMarker}`)).toEqual([first]);
  });

  test("since and until limit the time of the submission", async () => {
    const early = await run({});
    const between = fixture.service.clock.now() + 1000;
    fixture.service.clock.advance(2000);
    const late = await run({});
    expect(await ids(`since=${between}`)).toEqual([late]);
    expect(await ids(`until=${between}`)).toEqual([early]);
    expect(await ids(`since=0&until=${between}&status=finished`)).toEqual([early]);
  });

  test("the longest queries come first, page by page, those that run by their time so far", async () => {
    const quick = await run({});
    const running = (await fixture.select({ query: slow })).json.queryId;
    fixture.service.clock.advance(600_000);
    const other = await run({ clusterName: "c2" });
    const sorted = (await get("/queries?sort=duration")).json.queries;
    expect(sorted[0].id).toBe(running);
    const times = sorted.map(({ run: { milliseconds } }: any) => milliseconds);
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
    const seen: number[] = [];
    for (let marker = ""; ;) {
      const page = (await get(`/queries?sort=duration&max=1${marker}`)).json;
      seen.push(page.queries[0].id);
      if (page.nextMarker === undefined) break;
      marker = `&marker=${page.nextMarker}`;
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual([quick, running, other]);
    expect(seen[0]).toBe(running);
    const gone = (await get("/queries?sort=duration&marker=4711")).json;
    expect(gone).toMatchObject({ code: "InvalidParameter", message: expect.stringContaining("begin again") });
  });

  test.each([
    "sort=size",
    "since=yesterday",
    "until=-1",
    "text=",
    "text=a&order=asc",
    "text=a&nothing=1",
    "stale=true&text=a",
  ])("refuses %s", async (query) => {
    expect((await get(`/queries?${query}`)).json.code).toBe("InvalidParameter");
  });
});

describe("rows", () => {
  const query =
    "select n, concat('a,\\n', cast(n as string)) t, cast(null as string) from data.numbers where n < 250 order by n";

  test.each(["csv", "tsv"])("a %s result is read in pages, each behind the one before", async (outputFormat) => {
    const { json, text } = await fixture.select({ query, outputFormat });
    expect(text).toContain("queryId");
    await ended(fixture.service, json.queryId);
    const rows: (string | null)[][] = [];
    let answer = (await get(`/results/${json.queryId}`)).json;
    expect(answer).toMatchObject({ rows: 250, sample: { isTruncated: true } });
    for (;;) {
      rows.push(...answer.sample.rows);
      if (answer.next === undefined) break;
      answer = (await get(`/results/${json.queryId}?after=${encodeURIComponent(answer.next)}`)).json;
    }
    expect(rows).toEqual(Array.from({ length: 250 }, (_, n) => [String(n), `a,\n${n}`, null]));
    expect(answer.sample.isTruncated).toBe(false);
  });

  test("a place that no answer gave is refused, or has no rows", async () => {
    const { json } = await fixture.select();
    await ended(fixture.service, json.queryId);
    expect((await get(`/results/${json.queryId}?after=x`)).json.code).toBe("InvalidParameter");
    expect((await get(`/results/${json.queryId}?after=0:..%2Fx`)).json.code).toBe("InvalidParameter");
    expect((await get(`/results/${json.queryId}?after=9:zzz`)).json.sample.rows).toEqual([]);
  });

  test("a download has a header, all rows, and the name and type of the format", async () => {
    const { json } = await fixture.select({ query: "select v `a,b`, id from data.events order by id" });
    await ended(fixture.service, json.queryId);
    const answer = await get(`/results/${json.queryId}/download`);
    expect(answer.text).toBe('"a,b",id\nx,1\ny,2\nx,3\n');
    expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(answer.headers["content-disposition"]).toBe(`attachment; filename*=UTF-8''query-${json.queryId}.csv`);
  });

  test("the download of a result that was changed is refused with the reason", async () => {
    const { json } = await fixture.select({ outputResourcePath: "dag://out/gone" });
    await ended(fixture.service, json.queryId);
    const folder = join(fixture.service.bucketsDirectory, "out/gone");
    rmSync(join(folder, "000000_0"));
    writeFileSync(join(folder, "mine.csv"), "1\n");
    const { code, message } = (await get(`/results/${json.queryId}/download`)).json;
    expect(code).toBe("InvalidQueryState");
    expect(message).toContain("cannot be downloaded");
  });
});

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
    expect(message).toContain("no longer there");
  });
});

import { expect, test } from "vitest";
import { searchRuns, type RunSearch } from "../../../../../service/core/inspection/search";
import type { ListedQuery, QueryFilter } from "../../../../../service/core/ports/state";
import type { ServiceContext } from "../../../../../service/core/service-context";

const total = 25_000;
/** Queries with this number are too long for a list, and hold the text behind the part that it has. */
const isLong = (id: number) => id % 2 === 0;

/** A state of queries of which each took as many milliseconds as its ID has, and began a second after the one before. */
function contextOf() {
  const work = { listed: 0, read: 0 };
  const listed = (id: number) =>
    ({
      id,
      status: "finished",
      startTime: id * 1000,
      endTime: id * 1000 + (id % 10_007),
      excerpt: isLong(id) ? "x".repeat(1000) : id === 3 ? "select Needle" : "select 1",
    }) as ListedQuery;
  const queries = {
    list: async ({ marker = total + 1, limit }: QueryFilter) => {
      const found = Array.from({ length: Math.min(limit, marker - 1) }, (_, index) => listed(marker - 1 - index));
      work.listed += found.length;
      return found;
    },
    get: async (id: number) => {
      work.read += 1;
      return { ...listed(id), type: "select", query: `${"x".repeat(2000)}${id % 5000 === 0 ? " needle" : ""}` };
    },
  };
  const context = { state: { queries }, platform: { clock: { now: () => total * 1000 } } } as unknown as ServiceContext;
  return { context, work };
}

/** Reads all pages. */
async function all(search: RunSearch, max = 100): Promise<{ ids: number[]; pages: number }> {
  const { context } = contextOf();
  const ids: number[] = [];
  for (let marker: number | undefined, pages = 1; ; pages += 1) {
    const page = await searchRuns(context, { max, marker }, search);
    ids.push(...page.queries.map(({ id }) => id));
    marker = page.nextMarker;
    if (marker === undefined) return { ids, pages };
  }
}

test("search: finds every query of the text over many pages, each of which does a limited work", async () => {
  expect((await all({ text: "needle" })).ids).toEqual([25_000, 20_000, 15_000, 10_000, 5000, 3]);
  const { context, work } = contextOf();
  const page = await searchRuns(context, { max: 100 }, { text: "needle" });
  expect(page.nextMarker).toBeGreaterThan(0);
  expect(work.read).toBeLessThanOrEqual(1000);
  expect(work.listed).toBeLessThanOrEqual(11_000);
});

test("search: times need no statement, and a page that is full ends with its last query", async () => {
  const { context, work } = contextOf();
  const page = await searchRuns(context, { max: 2 }, { since: 500_000, until: 600_000 });
  expect(page.queries).toEqual([]);
  expect(page.nextMarker).toBe(15_001);
  expect(work.read).toBe(0);
  expect((await all({ since: 500_000, until: 503_000 }, 2)).ids).toEqual([502, 501, 500]);
});

test("search: the longest of the newest 10,000 come first, once each", async () => {
  const { ids } = await all({ sort: "duration" }, 999);
  expect(ids).toHaveLength(10_000);
  expect(new Set(ids).size).toBe(10_000);
  const durations = ids.map((id) => id % 10_007);
  expect(durations).toEqual(durations.toSorted((a, b) => b - a));
  expect(Math.min(...ids)).toBe(15_001);
});

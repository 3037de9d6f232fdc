import { describe, expect, it } from "vitest";
import { MalformedAnswerError } from "../../../../provider/client";
import { paginate } from "../../../../provider/client/pagination";
import { ServiceTime } from "../../../../provider/client/service-time";

interface NumberPage {
  readonly isTruncated: boolean;
  readonly nextMarker?: number | null;
  readonly entries: readonly number[];
}

function list(pages: readonly NumberPage[]) {
  const markers: (number | undefined)[] = [];
  const fetchPage = async (marker: number | undefined) => {
    markers.push(marker);
    return pages[markers.length - 1]!;
  };
  return {
    markers,
    records: paginate(
      "listQueries",
      fetchPage,
      (page) => page.entries,
      (entry) => entry,
    ),
  };
}

async function collect(records: AsyncIterable<number>): Promise<number[]> {
  const collected: number[] = [];
  for await (const record of records) collected.push(record);
  return collected;
}

describe("paginate", () => {
  it("yields the records of all pages, empty ones too, in their order", async () => {
    const { records, markers } = list([
      { isTruncated: true, nextMarker: 5, entries: [1, 2] },
      { isTruncated: true, nextMarker: 9, entries: [] },
      { isTruncated: false, entries: [3] },
    ]);
    expect(await collect(records)).toEqual([1, 2, 3]);
    expect(markers).toEqual([undefined, 5, 9]);
  });

  it("does not fetch pages that are not needed", async () => {
    const { records, markers } = list([{ isTruncated: true, nextMarker: 5, entries: [1, 2] }]);
    for await (const record of records) if (record === 2) break;
    expect(markers).toEqual([undefined]);
  });

  it.each([
    ["missing", [{ isTruncated: true, entries: [1] }]],
    ["null", [{ isTruncated: true, nextMarker: null, entries: [1] }]],
    [
      "the same again",
      [
        { isTruncated: true, nextMarker: 5, entries: [1] },
        { isTruncated: true, nextMarker: 5, entries: [1] },
      ],
    ],
    [
      "cyclic",
      [
        { isTruncated: true, nextMarker: 5, entries: [1] },
        { isTruncated: true, nextMarker: 6, entries: [1] },
        { isTruncated: true, nextMarker: 5, entries: [1] },
      ],
    ],
  ])("MalformedAnswer: the next marker is %s", async (_, pages) => {
    await expect(collect(list(pages).records)).rejects.toBeInstanceOf(MalformedAnswerError);
  });
});

describe("ServiceTime", () => {
  it("is the local time until a response's Date header corrects it", () => {
    let now = Date.parse("2026-11-20T13:46:11Z");
    const time = new ServiceTime({ now: () => now });
    expect(time.dateHeader()).toBe("Fri, 20 Nov 2026 13:46:11 GMT");
    expect(time.synchronize("Fri, 20 Nov 2026 14:06:11 GMT")).toBeUndefined();
    now += 5_000;
    expect(time.dateHeader()).toBe("Fri, 20 Nov 2026 14:06:16 GMT");
    expect(time.synchronize(undefined)).toContain("no Date header");
    expect(time.synchronize("noon")).toContain("no Date header");
    expect(time.dateHeader()).toBe("Fri, 20 Nov 2026 14:06:16 GMT");
  });
});

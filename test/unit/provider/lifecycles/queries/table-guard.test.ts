import { describe, expect, test } from "vitest";
import type { PreflightContext } from "../../../../../provider/lifecycles/lifecycle";
import { objectsToDelete, tableProblem } from "../../../../../provider/lifecycles/queries/table-guard";
import { testContext } from "../context";
import type { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";

const objects = { "dag://wildlife/birds/000000_0": "owl\n", "dag://raw/in/a.csv": "owl\n" };
const table = { outputDatabase: "wildlife", outputTable: "birds", inputObjectKeys: ["dag://raw/in/a.csv"] };

/** What a query would do to the table that split query 1 made. */
function problem(
  folder: string,
  given: Partial<Omit<PreflightContext, "client">> = {},
  then: (service: FakeService) => void = () => {},
  since?: number,
) {
  const context = testContext({ storage: new MemoryStorage(objects) });
  const { service } = context;
  service.finish(service.add("split", table).id);
  then(service);
  return tableProblem(folder, { ...context, ...given }, since);
}

describe("a query that writes to", () => {
  test("the folder of a table deletes it", async () => {
    expect(await problem("dag://wildlife/birds")).toEqual({
      deletes: true,
      reason:
        "outputResourcePath dag://wildlife/birds/ has the table wildlife.birds, which split query 1 made: the query would " +
        "delete it: set another outputResourcePath, or delete the objects first if nobody needs them",
    });
  });

  test("a folder with an input of a table deletes it", async () => {
    expect(await problem("dag://raw/in/")).toMatchObject({
      deletes: true,
      reason: expect.stringContaining(
        "outputResourcePath dag://raw/in/ contains dag://raw/in/a.csv, an input of the table wildlife.birds, which split query 1 made",
      ),
    });
  });

  test("a folder inside a table adds rows to it", async () => {
    expect(await problem("dag://wildlife/birds/part/")).toEqual({
      deletes: false,
      reason:
        "outputResourcePath dag://wildlife/birds/part/ is inside the table wildlife.birds, which split query 1 made: the result will be rows of it",
    });
  });

  test.each(["dag://wildlife/bird/", "dag://raw/other/", "dag://raw/in/a.csv.d/"])(
    "another folder does nothing: %s",
    async (folder) => expect(await problem(folder)).toBeUndefined(),
  );
});

describe("a table that is", () => {
  const others = { "dag://wildlife/birds/mine.csv": "x\n" };

  test("gone is no problem, nor is an input that is gone", async () => {
    const storage = new MemoryStorage({ "dag://raw/in/other.csv": "x\n" });
    expect(await problem("dag://wildlife/birds/", { storage })).toBeUndefined();
    expect(await problem("dag://raw/in/", { storage })).toBeUndefined();
  });

  test("a select's result now, as a later query or the service's catalog tells, is no problem", async () => {
    const storage = new MemoryStorage(others);
    const later = await problem("dag://wildlife/birds/", { storage }, (service) =>
      service.finish(service.add("select", { outputResourcePath: "dag://wildlife/birds/" }).id),
    );
    expect(later).toBeUndefined();
    const serviceTables = { table: () => Promise.resolve({ table: "birds", source: "select" }) } as never;
    expect(await problem("dag://wildlife/birds/", { storage, serviceTables })).toBeUndefined();
  });

  test("not to be seen without storage is refused, with the remedy", async () => {
    for (const folder of ["dag://wildlife/birds/", "dag://raw/in/"]) {
      expect((await problem(folder, { storage: undefined }))?.reason).toContain("no longer exist, set dag:storage");
    }
  });

  test("secret is not quoted", async () => {
    for (const folder of ["dag://wildlife/birds/", "dag://raw/in/"]) {
      const found = await problem(folder, { secret: true });
      expect(found?.deletes).toBe(true);
      expect(found?.reason).not.toMatch(/birds|raw|a\.csv/);
    }
  });
});

describe("a folder in which a query has published since", () => {
  /** What a query would do there, when query 2 has published there after split query 1. */
  const rerun = (folder: string, given: object = {}) => problem(folder, given, () => {}, 2);

  test("has no table any more, whatever the newest 200 queries are", async () => {
    expect(await rerun("dag://wildlife/birds/")).toBeUndefined();
  });

  test("has an input again that is there, and none where nobody can tell", async () => {
    expect((await rerun("dag://raw/in/"))?.deletes).toBe(true);
    expect(await rerun("dag://raw/in/", { storage: undefined })).toBeUndefined();
  });
});

test("an input that is the result of a query may be overwritten", async () => {
  const context = testContext({ storage: new MemoryStorage({ "dag://mart/names/000000_0": "owl\n" }) });
  const inputObjectKeys = ["dag://mart/names/000000_0"];
  context.service.finish(context.service.add("split", { ...table, inputObjectKeys }).id);
  expect(await tableProblem("dag://mart/names/", context)).toBeUndefined();
});

describe("what a query deletes", () => {
  const folder = "dag://out/r/";
  const find = (storage?: MemoryStorage) => objectsToDelete(folder, testContext({ storage }));

  test.each([
    ["without dag:storage", undefined],
    ["with a storage that cannot be read", Object.assign(new MemoryStorage({}), { broken: true })],
  ])("is not checked %s", async (_title, storage) => {
    expect(await find(storage)).toEqual({ mayDelete: true, isUnchecked: true });
  });

  test("is nothing in an empty folder, and all objects in another", async () => {
    expect(await find(new MemoryStorage({}))).toEqual({ mayDelete: false });
    expect(await find(new MemoryStorage({ [`${folder}000000_0`]: "owl\n" }))).toEqual({
      deletes: folder,
      mayDelete: true,
    });
  });
});

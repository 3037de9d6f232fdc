/** Requests that the service refuses for their size: the preview and the delete for a replacement refuse them before. */
import { describe, expect, test } from "vitest";
import { limits } from "../../../../../../contract";
import { encodeRequest } from "../../../../../../provider/client/request";
import { unknown } from "../../../../../../provider/lifecycles";
import { ProgramTables } from "../../../../../../provider/lifecycles/freshness/program-tables";
import { selectQuery, type SelectQueryInputs } from "../../../../../../provider/lifecycles/resources/select-query";
import { splitTable, type SplitTableInputs } from "../../../../../../provider/lifecycles/resources/split-table";
import type { Storage } from "../../../../../../storage";
import { checkOptions, testContext } from "../../context";
import { MemoryStorage } from "../../memory-storage";

const pattern = "dag://raw/many/*.csv";
const query: SelectQueryInputs = { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/a/" };
const table: SplitTableInputs = {
  clusterName: "demo",
  inputObjectKeys: [pattern],
  outputDatabase: "wildlife",
  outputTable: "birds",
  rerunOnInputChange: true,
  deletionPolicy: "purge",
};

const nameOf = (index: number, length: number) => `dag://raw/many/${String(index).padStart(length, "0")}.csv`;

/** A storage with a table's object and that many inputs, whose names have that many characters. */
class ManyObjects extends MemoryStorage {
  readonly #inputs: string[];

  constructor(count: number, length: number) {
    super({ "dag://wildlife/birds/000000_0": "owl,1\n" });
    this.#inputs = Array.from({ length: count }, (_, index) => nameOf(index, length));
  }

  override async *list(folder: Parameters<Storage["list"]>[0]): ReturnType<Storage["list"]> {
    if (folder.bucket !== "raw") return yield* super.list(folder);
    for (const name of this.#inputs) {
      yield { location: { bucket: "raw", key: name.slice("dag://raw/".length) }, size: 1, lastModified: new Date(0) };
    }
  }

  override async head(location: Parameters<Storage["head"]>[0]): ReturnType<Storage["head"]> {
    return location.bucket === "raw" ? undefined : super.head(location);
  }
}

const remedy = "match fewer objects, put them into fewer larger ones, or split them into several tables";
const tooLarge: [string, ManyObjects, RegExp][] = [
  [
    "names of too many bytes",
    new ManyObjects(7_000, 130),
    /^inputObjectKeys is too long: the request body has 10\d{5} bytes, and the service accepts at most 1048576; let "dag:\/\/raw\/many\/\*\.csv" match fewer/,
  ],
  [
    "too many objects",
    new ManyObjects(10_050, 5),
    /^inputObjectKeys has 10,050 objects with those that match, and the service accepts at most 10,000; let "dag:\/\/raw\/many\/\*\.csv" match fewer/,
  ],
];

describe.each(tooLarge)("pattern with %s", (_, storage, reason) => {
  const preflight = async (more: object = {}) => {
    const context = testContext({ storage });
    const { failures = [] } = await splitTable.preflight!(table, { ...context, ...more }, true);
    return { failures, warnings: context.warnings };
  };

  test("preflight: refuses it, and says what to do with a pattern", async () => {
    const { failures } = await preflight();
    expect(failures).toEqual([{ property: "inputObjectKeys", reason: expect.stringMatching(reason) as string }]);
    expect(failures[0]!.reason).toContain(remedy);
  });

  test("preflight: quotes no pattern when an input is secret", async () => {
    const { failures } = await preflight({ secret: true });
    expect(failures[0]!.reason).toContain(`let its patterns ${remedy}`);
    expect(failures[0]!.reason).not.toContain("raw");
  });

  test("preflight: warns where a resource of the program writes the objects", async () => {
    const programTables = new ProgramTables();
    const made = { urn: "query", generation: undefined, exists: true, columns: () => undefined, mayBeDeclared: true };
    programTables.add("dag://raw/many/", made);
    const { failures, warnings } = await preflight({ programTables });
    expect(failures).toEqual([]);
    expect(warnings).toContainEqual(expect.stringMatching(/^"pulumi up" will fail as things are: inputObjectKeys /));
  });

  test("delete: for such a replacement, the table with purge stays", async () => {
    const programTables = new ProgramTables();
    const context = testContext({ storage, programTables });
    programTables.replaces(1, { urn: context.urn, deletionPolicy: "purge", etag: undefined, news: table });
    const state = { queryId: 1, status: "finished", location: "dag://wildlife/birds/" } as never;
    await expect(splitTable.delete("1", { inputs: table, state }, context)).rejects.toThrow(
      /^the table stays, because it could not be made again: inputObjectKeys .* match fewer objects/,
    );
    expect(storage.names()).toEqual(["dag://wildlife/birds/000000_0"]);
  });

  test("create: submits nothing", async () => {
    const context = testContext({ storage });
    await expect(splitTable.create(table, context)).rejects.toThrow(reason);
    expect(context.service.count("submitSplit")).toBe(0);
  });
});

test("preflight: takes a pattern with as many objects as the service accepts", async () => {
  const context = testContext({ storage: new ManyObjects(10_000, 5) });
  expect((await splitTable.preflight!(table, context, true)).failures ?? []).toEqual([]);
});

test("delete: for a replacement whose pattern matches nothing, the table with purge stays", async () => {
  const programTables = new ProgramTables();
  const storage = new ManyObjects(0, 5);
  const context = testContext({ storage, programTables });
  programTables.replaces(1, { urn: context.urn, deletionPolicy: "purge", etag: undefined, news: table });
  const state = { queryId: 1, status: "finished", location: "dag://wildlife/birds/" } as never;
  await expect(splitTable.delete("1", { inputs: table, state }, context)).rejects.toThrow(
    `could not be made again: inputObjectKeys "${pattern}" matches no object`,
  );
  expect(storage.names()).toHaveLength(1);
});

test("check: refuses named objects that are too long together", () => {
  const inputObjectKeys = Array.from({ length: 7_000 }, (_, index) => nameOf(index, 150));
  expect(splitTable.check({ ...table, inputObjectKeys }, checkOptions).failures).toEqual([
    {
      property: "inputObjectKeys",
      reason: expect.stringMatching(
        /^inputObjectKeys is too long: .*; name fewer objects, put them into fewer larger ones, or split them/,
      ) as string,
    },
  ]);
});

describe("statement that is too long", () => {
  const long = { ...query, query: `SELECT '${"x".repeat(limits.requestBodyBytes)}'` };
  const reason = /^query is too long: the request body has 10\d{5} bytes, .* at most 1048576; shorten it$/;

  test.each([
    ["known", {}],
    ["unknown", { outputResourcePath: unknown, label: unknown }],
  ])("check: refuses it where the other inputs are %s", (_, given) => {
    expect(selectQuery.check({ ...long, ...given }, { ...checkOptions, olds: query }).failures).toEqual([
      { property: "query", reason: expect.stringMatching(reason) as string },
    ]);
  });

  test("check: takes what the client can submit with a token in the label, and not one byte more", () => {
    const empty = encodeRequest("submitSelect", { ...query, query: "x", label: "#0123456789ab" }).body!.length - 1;
    const ofBytes = (bytes: number) => ({ ...query, query: `SELECT 1 --${"x".repeat(bytes - empty - 11)}` });
    expect(selectQuery.check(ofBytes(limits.requestBodyBytes), checkOptions).failures).toEqual([]);
    expect(selectQuery.check(ofBytes(limits.requestBodyBytes + 1), checkOptions).failures).toHaveLength(1);
  });

  test("delete: for such a replacement, the earlier result stays", async () => {
    const programTables = new ProgramTables();
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage, programTables });
    programTables.replaces(1, { urn: context.urn, deletionPolicy: "purge", etag: undefined, news: long });
    const old = { inputs: { ...query, deletionPolicy: "purge" as const }, state: { status: "finished" } as never };
    await expect(selectQuery.delete("1", old, context)).rejects.toThrow(
      "the earlier result stays, because the query could not be made again: query is too long",
    );
    expect(storage.names()).toEqual(["dag://out/a/000000_0"]);
  });
});

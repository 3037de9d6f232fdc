import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { dynamicFrontEnd, pluginFrontEnd, type FrontEnd, type Kind } from "./front-ends";
import { root, unknownText, type Old, type Values } from "./plugin-process";

const { startService } = require(
  join(root, "service/dist/service/testing"),
) as typeof import("../../../service/testing");

/** Test data for the whole lifecycle of a resource. */
interface LifecycleCase {
  readonly kind: Kind;
  /** Inputs of the program, and the expected state after creation. */
  readonly inputs: Values;
  readonly id: RegExp;
  readonly properties: Values;
  /** Outputs that are known during preview, because they are computed from the inputs. */
  readonly named: Values;
  /** Invalid inputs, by the property of the failure. */
  readonly wrong: Readonly<Record<string, Values>>;
  /** Inputs that are no difference. */
  readonly same: readonly Values[];
  /** Inputs that update the resource, and the expected state after the update. */
  readonly update: { readonly news: Values; readonly properties: Values };
  /** Inputs that replace the resource, by the changed property. */
  readonly replaces: Readonly<Record<string, Values>>;
  readonly deleteBeforeReplace: boolean;
  /** Names of the objects in a folder after the resource was deleted. */
  readonly afterwards: { readonly folder: string; readonly names: unknown };
}

const select = {
  clusterName: "demo",
  query: "SELECT bird, count(*) AS n FROM data.birds GROUP BY bird ORDER BY bird",
  outputResourcePath: "dag://results/birds/",
};
const split = { clusterName: "demo", inputObjectKeys: ["dag://data/raw/a.csv"], outputDatabase: "tables" };

const cases: readonly LifecycleCase[] = [
  {
    kind: "SelectQuery",
    named: { location: "dag://results/birds/" },
    inputs: { ...select, resultRows: 2 },
    id: /^\d+$/,
    properties: {
      ...select,
      status: "finished",
      location: "dag://results/birds/",
      queryId: expect.any(Number),
      log: expect.stringContaining(""),
      result: {
        objects: [expect.anything()],
        rows: [
          ["owl", "2"],
          ["wren", "1"],
        ],
      },
    },
    wrong: {
      query: { ...select, query: "SELEC 1" },
      clusterName: { ...select, clusterName: "" },
      outputResourcePath: { ...select, outputResourcePath: "s3://x/" },
      outputFormat: { ...select, outputFormat: "xml" },
      resultRows: { ...select, resultRows: -1 },
      colour: { ...select, colour: "red" },
    },
    same: [
      { ...select, resultRows: 2 },
      { ...select, outputResourcePath: "dag://results/birds", resultRows: 2, outputFormat: "csv" },
    ],
    update: {
      news: { ...select, resultRows: 1 },
      properties: { result: expect.objectContaining({ rows: [["owl", "2"]] }) },
    },
    replaces: {
      query: { ...select, query: "SELECT 1 AS one" },
      outputResourcePath: { ...select, outputResourcePath: "dag://results/others/" },
      label: { ...select, label: "nightly" },
      triggers: { ...select, triggers: ["2026-11-20"] },
    },
    deleteBeforeReplace: true,
    afterwards: { folder: "results/birds", names: ["000000_0"] },
  },
  {
    kind: "SplitTable",
    named: { location: "dag://tables/birds/", qualifiedName: "tables.birds" },
    inputs: { ...split, outputTable: "birds", schema: "string bird, bigint n", deletionPolicy: "purge" },
    id: /^\d+$/,
    properties: {
      ...split,
      outputTable: "birds",
      status: "finished",
      location: "dag://tables/birds/",
      qualifiedName: "tables.birds",
      schema: "string bird, bigint n",
      result: { objects: [{ location: "dag://tables/birds/000000_0", size: 13 }] },
    },
    wrong: {
      inputObjectKeys: { ...split, inputObjectKeys: [] },
      outputDatabase: { ...split, outputDatabase: "No" },
      schema: { ...split, schema: "frob x" },
      inputFormat: { ...split, inputFormat: "parquet" },
    },
    same: [{ ...split, outputTable: "birds", deletionPolicy: "purge" }],
    update: {
      news: { ...split, outputTable: "birds", schema: "string  bird,bigint n", deletionPolicy: "purge" },
      properties: { status: "finished" },
    },
    replaces: {
      outputTable: { ...split, outputTable: "others", deletionPolicy: "purge" },
      inputObjectKeys: {
        ...split,
        outputTable: "birds",
        inputObjectKeys: ["dag://data/raw/b.csv"],
        deletionPolicy: "purge",
      },
    },
    deleteBeforeReplace: true,
    afterwards: { folder: "tables/birds", names: [] },
  },
  {
    kind: "ClusterLogExport",
    named: { location: "dag://logs/demo/" },
    inputs: { clusterName: "demo", outputLogPath: "dag://logs/demo/" },
    id: /^demo\/dag:\/\/logs\/demo\/$/,
    properties: {
      clusterName: "demo",
      location: "dag://logs/demo/",
      exportedAt: expect.stringMatching(/^\d{4}-/),
      result: expect.anything(),
    },
    wrong: {
      outputLogPath: { clusterName: "demo", outputLogPath: "logs" },
      compress: { clusterName: "demo", outputLogPath: "dag://logs/x/", compress: "yes" },
    },
    same: [{ clusterName: "demo", outputLogPath: "dag://logs/demo", compress: false }],
    replaces: { compress: { clusterName: "demo", outputLogPath: "dag://logs/demo/", compress: true } },
    deleteBeforeReplace: false,
    update: {
      news: { clusterName: "demo", outputLogPath: "dag://logs/demo" },
      properties: { location: "dag://logs/demo/" },
    },
    afterwards: { folder: "logs/demo", names: expect.arrayContaining(["manifest.json"]) },
  },
  {
    kind: "ClusterRestart",
    named: {},
    inputs: { clusterName: "demo", debug: true },
    id: /^demo$/,
    properties: {
      clusterName: "demo",
      type: "duckdb",
      debug: true,
      status: "norm",
      restartedAt: expect.stringMatching(/^\d{4}-/),
    },
    wrong: { clusterName: { clusterName: "a b" }, drain: { clusterName: "demo", drain: true, force: true } },
    same: [{ clusterName: "demo", debug: true, force: false }, { clusterName: "demo" }],
    update: { news: { clusterName: "demo", debug: true, force: true }, properties: { status: "norm", debug: true } },
    replaces: {
      debug: { clusterName: "demo", debug: false },
      triggers: { clusterName: "demo", debug: true, triggers: 2 },
    },
    deleteBeforeReplace: false,
    afterwards: { folder: "tables", names: expect.anything() },
  },
];

const frontEnds = { plugin: pluginFrontEnd, "dynamic provider": dynamicFrontEnd } as const;

describe.each(Object.entries(frontEnds))("the %s", (_name, open) => {
  let service: TestService;
  let frontEnd: FrontEnd;

  beforeAll(async () => {
    service = await startService({
      objects: {
        "dag://data/birds/a.csv": "owl\nowl\nwren\n",
        "dag://data/raw/a.csv": "owl,1\nwren,2\n",
        "dag://data/raw/b.csv": "owl,3\n",
      },
      buckets: ["results", "tables", "logs"],
      tables: [{ database: "data", table: "birds", format: "csv", schema: "string bird" }],
    });
    frontEnd = await open(service);
  });

  afterAll(async () => {
    await frontEnd?.[Symbol.asyncDispose]();
    await service?.close();
  });

  describe.each(cases)(
    "$kind",
    ({ kind, inputs, named, id, properties, wrong, same, update, replaces, deleteBeforeReplace, afterwards }) => {
      const name = `a-${kind.toLowerCase()}`;
      let made: { readonly id: string } & Old;

      test("check: accepts valid inputs, and names the invalid property", async () => {
        expect(await frontEnd.check(kind, name, inputs)).toEqual({ inputs, failures: [] });
        for (const [property, news] of Object.entries(wrong)) {
          const { failures } = await frontEnd.check(kind, `${name}-wrong`, news);
          expect(failures, property).toEqual([{ property, reason: expect.stringContaining(property) }]);
        }
      });

      test("preview: knows the inputs and the outputs computed from them, and creates nothing", async () => {
        const previewed = await frontEnd.preview(kind, name, inputs);
        expect(previewed).toMatchObject({ ...inputs, ...named });
        expect(existsSync(join(service.bucketsDirectory, afterwards.folder, "manifest.json"))).toBe(false);
        expect(previewed["status"] ?? unknownText).toBe(unknownText);
      });

      test("create: completes when the service is done", async () => {
        const created = await frontEnd.create(kind, name, inputs);
        made = { ...created, inputs };
        expect(created.id).toMatch(id);
        expect(created.properties).toMatchObject(properties);
      });

      test("read: returns the created resource", async () => {
        expect(await frontEnd.read(kind, name, made.id, made)).toEqual({
          ...made,
          inputs: expect.objectContaining(inputs),
        });
      });

      test("diff: finds no false difference, and reports which property needs a replacement", async () => {
        for (const news of [inputs, ...same]) {
          expect(await frontEnd.diff(kind, name, made.id, made, news)).toMatchObject({ changes: false, replaces: [] });
        }
        for (const [property, news] of Object.entries(replaces)) {
          const found = await frontEnd.diff(kind, name, made.id, made, news);
          expect(found, property).toMatchObject({
            changes: true,
            replaces: expect.arrayContaining([property]),
            deleteBeforeReplace,
          });
        }
      });

      test("update: applies inputs that do not need a replacement", async () => {
        const { news, properties: expected } = update;
        expect((await frontEnd.diff(kind, name, made.id, made, news)).replaces).toEqual([]);
        const updated = await frontEnd.update(kind, name, made.id, made, news);
        expect(updated).toMatchObject(expected);
        made = { id: made.id, inputs: news, properties: updated };
      });

      test("delete: deletes the resource", async () => {
        // Another run: in the one before, differences were found that need a replacement.
        await using other = await open(service);
        await other.delete(kind, name, made.id, made);
        const folder = join(service.bucketsDirectory, afterwards.folder);
        expect(existsSync(folder) ? readdirSync(folder) : []).toEqual(afterwards.names);
      });
    },
  );
});

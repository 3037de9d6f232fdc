import { describe, expect, it } from "vitest";
import { clusterPage, clusterRecord, clusterStatistics, errorBody, queryPage, queryRecord } from "../../../contract";

const common = {
  id: 7,
  processEngine: "mapreduce",
  status: "running",
  clusterName: "c1",
  clusterRebooted: false,
  accessKeyId: "AK",
  startTime: "2026-11-20 13:46:11",
  progress: "5%",
  label: "l",
};
const selectSummary = { ...common, type: "select", dsl: "hive", stage: 1, query: "SELECT 1" };
const select = { ...selectSummary, outputFormat: "csv", outputResourcePath: "dag://results/a/" };
const splitSummary = { ...common, type: "split", dsl: "mapreduce" };
const split = {
  ...splitSummary,
  jobId: "job-1",
  schema: "string name",
  inputObjectKeys: ["dag://raw/a"],
  inputFormat: "csv",
  outputDatabase: "data",
  outputTable: "t",
};

describe("query records", () => {
  it.each([
    ["select", select],
    ["split", split],
  ])("get: a %s has the fields of the specification's section 2.1", (_, record) => {
    expect(queryRecord.parse(record)).toEqual(record);
    const missing = Object.keys(record).filter((field) => {
      const { [field]: _removed, ...rest } = record as Record<string, unknown>;
      return !queryRecord.safeParse(rest).success;
    });
    const optional = new Set(["label", "jobId", "schema"]);
    expect(missing).toEqual(Object.keys(record).filter((field) => !optional.has(field)));
  });

  it("list: a record has fewer fields than get", () => {
    const page = { nextMarker: 7, isTruncated: true, queries: [selectSummary, splitSummary] };
    expect(queryPage.parse(page)).toEqual(page);
    expect(queryRecord.safeParse(selectSummary).success).toBe(false);
    expect(queryRecord.safeParse(splitSummary).success).toBe(false);
  });

  it("may have null in optional fields, and fields of a later service", () => {
    const record = { ...split, label: null, jobId: null, schema: null, later: { deep: [1] } };
    expect(queryRecord.parse(record)).toEqual(record);
    expect(queryPage.parse({ nextMarker: null, isTruncated: false, queries: [] })).toMatchObject({ queries: [] });
  });

  it.each([
    ["id", "7"],
    ["id", 7.5],
    ["status", "sleeping"],
    ["type", "merge"],
    ["clusterRebooted", "false"],
    ["outputFormat", "parquet"],
    ["stage", null],
  ])("%s may not be %j", (field, value) => {
    expect(queryRecord.safeParse({ ...select, [field]: value }).success).toBe(false);
  });
});

describe("cluster records", () => {
  const cluster = {
    name: "c1",
    status: "norm",
    type: "duckdb",
    instances: [{ grade: "g", quantity: 2 }],
    debug: false,
  };

  it.each(["init", "reserved", "stopped", "starting", "restarting", "norm", "failed", "ptfailed", "error"])(
    "status %s",
    (status) => {
      expect(clusterRecord.parse({ ...cluster, status })).toEqual({ ...cluster, status });
    },
  );

  it("page: has a name as its marker", () => {
    const page = { nextMarker: "c1", isTruncated: true, clusters: [cluster] };
    expect(clusterPage.parse(page)).toEqual(page);
    expect(clusterPage.safeParse({ ...page, nextMarker: 1 }).success).toBe(false);
  });

  it("statistics: has bytes of the cluster and of each instance", () => {
    const instance = { instanceId: 1, grade: "g", disk: { dfsUsed: 1, nonDfsUsed: 2, capacity: 3 } };
    const statistics = { name: "c1", type: "duckdb", disk: { used: 3, capacity: 3 }, instances: [instance] };
    expect(clusterStatistics.parse(statistics)).toEqual(statistics);
    expect(clusterStatistics.safeParse({ ...statistics, disk: { used: 3 } }).success).toBe(false);
  });
});

describe("error bodies", () => {
  const body = { code: "QueryNotFound", message: "m", status: 404, requestId: "r", resource: "/v1/7?query" };
  it.each(Object.keys(body))("need %s", (field) => {
    const { [field]: _removed, ...rest } = body as Record<string, unknown>;
    expect(errorBody.safeParse(body).success).toBe(true);
    expect(errorBody.safeParse(rest).success).toBe(false);
  });
});

import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ended, hasStatus } from "./caller";
import { quick, slow, useService } from "./fixture";

const f = useService();

const free = async () => {
  const { json } = await f.call("GET", "/v1/?query&status=running");
  for (const { id } of json.queries) await f.call("DELETE", `/v1/${id}?query`);
  // On a busy machine the job may not end in time; the cancellation then kills the engine.
  for (const cluster of ["c1", "c2"]) await hasStatus(f.service, cluster, "norm");
};

/** Makes a bucket unreadable while `work` runs. */
async function withUnreadable(bucket: string, work: () => Promise<void>): Promise<void> {
  const path = join(f.service.bucketsDirectory, bucket);
  renameSync(path, `${path}.away`);
  symlinkSync("/", path);
  try {
    await work();
  } finally {
    rmSync(path);
    renameSync(`${path}.away`, path);
  }
}

test("submitSelect: answers 202 with the query ID and writes the result", async () => {
  const { status, headers, json } = await f.select({ outputResourcePath: "dag://out/first", label: "my label" });
  expect(status).toBe(202);
  expect(headers["content-type"]).toMatch(/^application\/json/);
  expect(Object.keys(json)).toEqual(["queryId"]);
  expect(await ended(f.service, json.queryId)).toMatchObject({
    status: "finished",
    progress: "100%",
    label: "my label",
  });
  expect(f.get("out/first/000000_0")).toBe("x,2\ny,1\n");
});

test("submitSelect: outputFormat tsv writes cells separated by tabs", async () => {
  const { json } = await f.select({ outputResourcePath: "dag://out/tabs/", outputFormat: "tsv" });
  expect(await ended(f.service, json.queryId)).toMatchObject({ status: "finished", outputFormat: "tsv" });
  expect(f.get("out/tabs/000000_0")).toBe("x\t2\ny\t1\n");
});

test("submitSelect: the result replaces all objects under outputResourcePath", async () => {
  const first = await f.select({ outputResourcePath: "dag://out/again" });
  await ended(f.service, first.json.queryId);
  const second = await f.select({
    outputResourcePath: "dag://out/again",
    query: "select id from data.events where id = 2",
  });
  await ended(f.service, second.json.queryId);
  expect(f.entries("out").filter((name) => name.startsWith("again"))).toEqual(["again", "again/000000_0"]);
  expect(f.get("out/again/000000_0")).toBe("2\n");
});

test("submitSelect: tmp_$folder$ and tmp/ exist in the output bucket only while the query is running", async () => {
  const { json } = await f.select({ query: slow });
  await expect.poll(() => f.entries("out")).toEqual(expect.arrayContaining(["tmp_$folder$", `tmp/${json.queryId}`]));
  await f.call("DELETE", `/v1/${json.queryId}?query`);
  expect(f.entries("out").filter((name) => name.startsWith("tmp"))).toEqual([]);
});

test("submitSelect: null for label or outputFormat means the default", async () => {
  const { status, json } = await f.select({ label: null, outputFormat: null });
  expect(status).toBe(202);
  expect(await ended(f.service, json.queryId)).toMatchObject({ label: null, outputFormat: "csv" });
});

test.each([
  ["an invalid cluster name", "InvalidClusterName", 400, { clusterName: "no name!" }],
  ["a missing cluster name", "InvalidClusterName", 400, { clusterName: undefined }],
  ["an unknown cluster", "ClusterNotFound", 404, { clusterName: "c9" }],
  ["an invalid database name", "InvalidDatabaseName", 400, { query: "select * from Up_Per.t" }],
  ["an unknown table", "InvalidTableName", 400, { query: "select * from data.nothing" }],
  ["a table named tmp", "InvalidTableName", 400, { query: "select * from data.tmp" }],
  ["an unknown outputFormat", "InvalidOutputFormat", 400, { outputFormat: "parquet" }],
  ["an outputResourcePath at a bucket's root", "InvalidOutputResourcePath", 400, { outputResourcePath: "dag://out/" }],
  ["an outputResourcePath with ..", "InvalidOutputResourcePath", 400, { outputResourcePath: "dag://out/a/../../x" }],
  ["an outputResourcePath under tmp/", "InvalidOutputResourcePath", 400, { outputResourcePath: "dag://out/tmp/1" }],
  ["an outputResourcePath of another scheme", "InvalidOutputResourcePath", 400, { outputResourcePath: "s3://out/a" }],
  [
    "an outputResourcePath inside a table that the statement reads",
    "InvalidOutputResourcePath",
    400,
    { outputResourcePath: "dag://data/events/x" },
  ],
  ["a label of 256 characters", "LabelIsTooLong", 400, { label: "é".repeat(256) }],
  ["a statement with a syntax error", "InvalidDMLStatement", 400, { query: "selec 1" }],
  ["a statement other than SELECT", "InvalidDMLStatement", 400, { query: "drop table data.events" }],
  ["two statements", "InvalidDMLStatement", 400, { query: "select 1 from data.events; select 2 from data.events" }],
  ["an unknown column", "InvalidDMLStatement", 400, { query: "select nothing from data.events" }],
  ["an unknown output bucket", "OutputBucketIsNotFound", 404, { outputResourcePath: "dag://missing/r" }],
  ["an unknown database", "InputBucketIsNotFound", 404, { query: "select * from missing.t" }],
  ["an unknown field", "InvalidParameter", 400, { outputBucket: "out" }],
])("submitSelect: refuses %s (%s)", async (_, code, status, overrides) => {
  const answer = await f.select(overrides);
  expect(answer.json).toMatchObject({ code, status });
  expect(answer.status).toBe(status);
});

test("submitSelect: an error message names the field, the value and the rule", async () => {
  const { json } = await f.select({ outputFormat: "parquet" });
  expect(json.message).toBe('outputFormat "parquet" is not valid: it must be one of csv, tsv');
});

test("submitSelect: the message for an unknown table names the nearest one of its database", async () => {
  const { json } = await f.select({ query: "select * from data.evnets" });
  expect(json.message).toMatch(/^table "data\.evnets" does not exist: .* Did you mean `events`\?$/);
});

test("submitSelect: the message for a folder in upper case says that no table has one", async () => {
  const folder = join(f.service.bucketsDirectory, "data/Rep");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.csv"), "1\n");
  const { json } = await f.select({ query: "select * from data.Rep" });
  rmSync(folder, { recursive: true });
  expect(json.message).toMatch(
    /^table "data\.rep" does not exist: .*dag:\/\/data\/Rep\/ is not this table, .*: move its objects to dag:\/\/data\/rep\/$/,
  );
});

test("submitSelect: refuses more than instances − 1 running queries (TooManyQueries)", async () => {
  await free();
  const answers = await Promise.all(Array.from({ length: 12 }, () => f.select({ query: slow })));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(2);
  const refused = answers.flatMap(({ status, json }) => (status === 202 ? [] : [json.code]));
  expect(refused).toEqual(Array(10).fill("TooManyQueries"));
  await free();
});

test("submitSelect: refuses an output path that is nested with the output of a running query (InvalidOutputResourcePath)", async () => {
  await free();
  const { json } = await f.select({ query: slow, outputResourcePath: "dag://out/nest/inner" });
  for (const outputResourcePath of ["dag://out/nest", "dag://out/nest/inner/", "dag://out/nest/inner/most"]) {
    const refused = await f.select({ outputResourcePath });
    expect(refused.json).toMatchObject({ code: "InvalidOutputResourcePath" });
    expect(refused.json.message).toContain(`query ${json.queryId} writes to dag://out/nest/inner/`);
  }
  await free();
});

test("submitSelect: refuses a cluster that is restarting (InvalidClusterState)", async () => {
  await f.call("PUT", "/v1/c2?clusterManagement", { body: { force: true } });
  const { json } = await f.select({ clusterName: "c2" });
  expect(json.code).toBe("InvalidClusterState");
  await hasStatus(f.service, "c2", "norm");
});

test("submitSelect: reports storage that cannot be read (StorageAccessError)", async () => {
  await withUnreadable("data", async () => {
    expect((await f.select()).json).toMatchObject({ code: "StorageAccessError", status: 400 });
  });
  expect((await f.select()).status).toBe(202);
});

test("submitSelect: returns a label unchanged", async () => {
  const label = `'); DROP TABLE queries; -- <script>alert(1)</script> \\ " % _ \u{1F989}\u2028`;
  const { json } = await f.select({ label });
  expect(await ended(f.service, json.queryId)).toMatchObject({ label });
});

test("submitSplit: answers 202 and writes a readable table", async () => {
  const { status, json } = await f.split({ outputTable: "made", schema: "bigint id, string v", label: "l" });
  expect(status).toBe(202);
  expect(await ended(f.service, json.queryId)).toMatchObject({ status: "finished", outputTable: "made" });
  const select = await f.select({
    query: "select sum(id) s, max(v) m from data.made",
    outputResourcePath: "dag://out/made",
  });
  expect(await ended(f.service, select.json.queryId)).toMatchObject({ status: "finished" });
  expect(f.get("out/made/000000_0")).toBe("3,b\n");
});

test("submitSplit: the name of the database may have dots, and selects write it in backticks", async () => {
  mkdirSync(join(f.service.bucketsDirectory, "lake.raw"));
  const { json } = await f.split({ outputDatabase: "lake.raw", outputTable: "dotted", schema: "bigint id, string v" });
  expect(await ended(f.service, json.queryId)).toMatchObject({ status: "finished" });
  const query = "select sum(dotted.id) s from `lake.raw`.`dotted` join `Lake.Raw`.dotted d on d.id = dotted.id";
  const select = await f.select({ query, outputResourcePath: "dag://out/dotted" });
  expect(await ended(f.service, select.json.queryId)).toMatchObject({ status: "finished" });
  expect(f.get("out/dotted/000000_0")).toBe("3\n");
});

test("submitSplit: a first row with the names of the schema is data, and the log of the query says so", async () => {
  writeFileSync(join(f.service.bucketsDirectory, "raw/header.csv"), '"ID", v\n1,a\n');
  const inputObjectKeys = ["dag://raw/in.csv", "dag://raw/header.csv"];
  const { json } = await f.split({ inputObjectKeys, outputTable: "headed", schema: "bigint id, string v" });
  expect(await ended(f.service, json.queryId)).toMatchObject({ status: "finished" });
  const log = readFileSync(join(f.service.dataDirectory, `logs/c1/queries/0/${json.queryId}.log`), "utf8");
  expect(log).toContain("warning: the first row of dag://raw/header.csv has the names of the columns in schema");
  const query = "select count(*) n, count(id) ids from data.headed";
  const select = await f.select({ query, outputResourcePath: "dag://out/headed" });
  expect(await ended(f.service, select.json.queryId)).toMatchObject({ status: "finished" });
  expect(f.get("out/headed/000000_0")).toBe("4,3\n");
});

test("submitSplit: infers the columns from the data without a schema", async () => {
  const { json } = await f.split({ inputFormat: "json", inputObjectKeys: ["dag://raw/in.jsonl"] });
  expect(await ended(f.service, json.queryId)).toMatchObject({ status: "finished", inputFormat: "json" });
});

test("submitSplit: the record has the inferred columns, also when a quoted cell has a line break", async () => {
  writeFileSync(join(f.service.bucketsDirectory, "raw/breaks.csv"), 'id,t\n0,"a\r\nb"\n1,"a\r\nb"\n');
  const { json } = await f.split({ inputObjectKeys: ["dag://raw/breaks.csv"] });
  expect(await ended(f.service, json.queryId)).toMatchObject({ status: "finished", schema: "bigint id, string t" });
});

test.each([
  ["an invalid cluster name", "InvalidClusterName", 400, { clusterName: "" }],
  ["an unknown cluster", "ClusterNotFound", 404, { clusterName: "c9" }],
  ["an invalid database name", "InvalidDatabaseName", 400, { outputDatabase: "No_Such" }],
  ["an unknown database", "DatabaseNotFound", 404, { outputDatabase: "missing" }],
  ["a known database whose bucket no longer exists", "OutputBucketIsNotFound", 404, { outputDatabase: "lost" }],
  ["an invalid table name", "InvalidTableName", 400, { outputTable: "No Table" }],
  ["the table name tmp", "InvalidTableName", 400, { outputTable: "tmp" }],
  ["an unknown inputFormat", "InvalidInputFormat", 400, { inputFormat: "xml" }],
  ["content with another format", "InvalidFormat", 400, { inputObjectKeys: ["dag://raw/nul"] }],
  ["lines that are not JSON objects", "InvalidFormat", 400, { inputFormat: "json" }],
  ["a label of 256 characters", "LabelIsTooLong", 400, { label: "x".repeat(256) }],
  ["no inputs", "InvalidInputObjectKeys", 400, { inputObjectKeys: [] }],
  ["an input that is a folder", "InvalidInputObjectKeys", 400, { inputObjectKeys: ["dag://raw/"] }],
  ["an input with .. in its path", "InvalidInputObjectKeys", 400, { inputObjectKeys: ["dag://raw/../data/x"] }],
  ["inputs that are not a list", "InvalidInputObjectKeys", 400, { inputObjectKeys: "dag://raw/in.csv" }],
  ["a schema with a syntax error", "InvalidSchema", 400, { schema: "bigint" }],
  ["a schema with a repeated column name", "InvalidDDLStatement", 400, { schema: "bigint a, string A" }],
  ["a schema with an unknown type", "InvalidDDLStatement", 400, { schema: "money a" }],
  ["an unknown input bucket", "InputBucketIsNotFound", 404, { inputObjectKeys: ["dag://missing/x"] }],
  ["an unknown input object", "InputObjectNotFound", 404, { inputObjectKeys: ["dag://raw/in.csv", "dag://raw/none"] }],
  ["an unknown field", "InvalidParameter", 400, { compress: true }],
  ["a table that has objects", "OutputTableAlreadyExists", 400, { outputTable: "events" }],
])("submitSplit: refuses %s (%s)", async (_, code, status, overrides) => {
  const answer = await f.split(overrides);
  expect(answer.json).toMatchObject({ code, status });
  expect(answer.status).toBe(status);
});

test("submitSplit: accepts one of several concurrent splits to the same table (OutputTableAlreadyExists)", async () => {
  await free();
  const answers = await Promise.all(Array.from({ length: 8 }, () => f.split({ outputTable: "race" })));
  const codes = answers.map(({ status, json }) => (status === 202 ? "taken" : json.code));
  expect(codes.filter((code) => code === "taken")).toHaveLength(1);
  expect(new Set(codes)).toEqual(new Set(["taken", "OutputTableAlreadyExists"]));
});

test("submitSplit: refuses more than instances − 1 running queries (TooManyQueries)", async () => {
  await free();
  await f.select({ query: slow, clusterName: "c2" });
  expect((await f.split({ clusterName: "c2" })).json.code).toBe("TooManyQueries");
  await free();
});

test("submitSplit: refuses a cluster that is restarting (InvalidClusterState)", async () => {
  await f.call("PUT", "/v1/c2?clusterManagement", { body: { force: true } });
  expect((await f.split({ clusterName: "c2" })).json.code).toBe("InvalidClusterState");
  await hasStatus(f.service, "c2", "norm");
});

test("submitSplit: reports storage that cannot be read (StorageAccessError)", async () => {
  await withUnreadable("raw", async () => {
    expect((await f.split()).json).toMatchObject({ code: "StorageAccessError", status: 400 });
  });
});

test("submissions: errors are reported in the documented order", async () => {
  const wrong = { clusterName: "c9", query: "selec", outputResourcePath: "dag://missing/r", outputFormat: "xml" };
  expect((await f.select({ ...wrong, extra: 1, clusterName: "!" })).json.code).toBe("InvalidClusterName");
  expect((await f.select(wrong)).json.code).toBe("InvalidOutputFormat");
  expect((await f.select({ ...wrong, outputFormat: "csv" })).json.code).toBe("ClusterNotFound");
  const known = { ...wrong, outputFormat: "csv", clusterName: "c1" };
  expect((await f.select(known)).json.code).toBe("InvalidDMLStatement");
  expect((await f.select({ ...known, query: quick })).json.code).toBe("OutputBucketIsNotFound");
});

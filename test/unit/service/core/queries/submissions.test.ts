import { gzipSync } from "node:zlib";
import { rmSync } from "node:fs";
import { rename, symlink, unlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { submitSelect, submitSplit } from "../../../../../service/core/queries/submissions";
import type { MemoryEngine } from "../memory-engine";
import { startHarness } from "../harness";

test("submitSelect: exactly instances − 1 queries are taken, however many come at once", async () => {
  const h = await startHarness({
    clusters: {
      c1: [
        { grade: "small", quantity: 2 },
        { grade: "large", quantity: 4 },
      ],
    },
  });
  const results = await Promise.allSettled(Array.from({ length: 40 }, () => h.select()));
  const ids = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(ids).toHaveLength(5);
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  expect(refused).toEqual(Array(35).fill("TooManyQueries"));
  (await h.working(ids[0]!)).finish();
  await h.ended(ids[0]!);
  const next = await Promise.allSettled(Array.from({ length: 10 }, () => h.select()));
  expect(next.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("submitSelect: checks the cluster, its status and capacity, then names, existence and the statement", async () => {
  const h = await startHarness({
    clusters: { c1: [{ grade: "small", quantity: 2 }], full: [{ grade: "small", quantity: 1 }] },
  });
  h.put("dag://data/t/a.csv", "1\n");
  const everythingWrong = {
    clusterName: "c9",
    query: "delete it from nowhere.t",
    outputResourcePath: "dag://missing/r",
  };
  await expect(h.select(everythingWrong)).rejects.toThrow(errors.ClusterNotFound);
  await expect(h.select({ ...everythingWrong, clusterName: "full" })).rejects.toThrow(errors.TooManyQueries);
  await expect(h.select({ ...everythingWrong, clusterName: "full" })).rejects.toThrow("configure at least two");
  const statement = { ...everythingWrong, clusterName: "c1" };
  await expect(h.select(statement)).rejects.toThrow(errors.InvalidDMLStatement);
  await expect(h.select({ ...statement, query: "select 1 from missing.tmp" })).rejects.toThrow(errors.InvalidTableName);
  await expect(h.select({ ...statement, query: "select 1 from missing.r" })).rejects.toThrow(
    errors.InvalidOutputResourcePath,
  );
  const names = { ...statement, query: "select unknown_column from nowhere.t" };
  await expect(h.select(names)).rejects.toThrow(errors.OutputBucketIsNotFound);
  const bucket = { ...names, outputResourcePath: "dag://out/r" };
  await expect(h.select(bucket)).rejects.toThrow(errors.InputBucketIsNotFound);
  await expect(h.select({ ...bucket, query: "select unknown_column from data.none" })).rejects.toThrow(
    errors.InvalidTableName,
  );
  await expect(h.select({ ...bucket, query: "select unknown_column from data.t" })).rejects.toThrow(
    errors.InvalidDMLStatement,
  );
  await h.select({ ...bucket, query: "select 1 from data.t" });
  await expect(h.select(statement)).rejects.toThrow(errors.TooManyQueries);
  (h.context.clusters.get("c1")!.engine as MemoryEngine).crash("bang");
  await h.until("failed", () => h.context.clusters.get("c1")!.status === "failed");
  await expect(h.select(statement)).rejects.toThrow(errors.InvalidClusterState);
});

test("submitSelect: a caller that leaves during the check leaves no query", async () => {
  const h = await startHarness();
  const controller = new AbortController();
  const caller = { ...h.caller, signal: () => controller.signal };
  const body = { clusterName: "c1", query: "select 1", outputResourcePath: "dag://out/r" };
  h.family.checkDelay = Promise.withResolvers();
  const submission = submitSelect(h.context, body, caller);
  submission.catch(() => undefined);
  await h.until("a check", () => h.family.checking === 1);
  controller.abort(new errors.RequestTimeout("the caller closed its connection"));
  await expect(submission).rejects.toThrow(errors.RequestTimeout);
  h.family.checkDelay.resolve();
  expect(await h.context.state.queries.get(1)).toBeUndefined();
});

test("submitSplit: a caller that leaves while its objects are read leaves no query", async () => {
  const h = await startHarness();
  h.put("dag://data/a.csv", "1\n");
  const controller = new AbortController();
  const caller = { ...h.caller, signal: () => controller.signal };
  const reserve = h.context.state.admission.reserve.bind(h.context.state.admission);
  const leaves = async (...given: Parameters<typeof reserve>) => {
    const reservation = await reserve(...given);
    controller.abort(new errors.RequestTimeout("the caller closed its connection"));
    return reservation;
  };
  Object.assign(h.context.state.admission, { reserve: leaves });
  const body = {
    clusterName: "c1",
    inputObjectKeys: ["dag://data/a.csv"],
    outputDatabase: "data",
    outputTable: "t",
  };
  await expect(submitSplit(h.context, body, caller)).rejects.toThrow(errors.RequestTimeout);
  expect(await h.context.state.queries.get(1)).toBeUndefined();
  // Its reservation is released.
  Object.assign(h.context.state.admission, { reserve });
  expect(await submitSplit(h.context, body, h.caller)).toEqual({ queryId: 1 });
});

test("submitSelect: one key checks at most two statements of a cluster at a time, and others go past it", async () => {
  const h = await startHarness({ clusters: { c1: [{ grade: "small", quantity: 50 }] } });
  h.family.checkDelay = Promise.withResolvers();
  const slow = Array.from({ length: 8 }, () => h.select());
  await h.until("two checks", () => h.family.checking === 2);
  const other = submitSelect(
    h.context,
    { clusterName: "c1", query: "select 1", outputResourcePath: "dag://out/other" },
    { ...h.caller, accessKeyId: "other" },
  );
  await h.until("three checks", () => h.family.checking === 3);
  h.family.checkDelay.resolve();
  await Promise.all([...slow, other]);
  expect(h.family.mostChecks).toBe(3);
});

test("submitSelect: refuses submissions of a key beyond 32 in progress, and accepts another key's", async () => {
  const h = await startHarness({ clusters: { c1: [{ grade: "small", quantity: 20 }] } });
  h.family.checkDelay = Promise.withResolvers();
  const many = Array.from({ length: 32 }, () => h.select());
  const settled = Promise.allSettled(many);
  await expect(h.select()).rejects.toThrow("32 submissions with your key are in progress");
  const body = { clusterName: "c1", query: "select 1", outputResourcePath: "dag://out/other" };
  const other = submitSelect(h.context, body, { ...h.caller, accessKeyId: "other" });
  h.family.checkDelay.resolve();
  await other;
  const codes = (await settled).filter((result) => result.status === "rejected").map(({ reason }) => reason.code);
  expect(new Set(codes)).toEqual(new Set(["TooManyQueries"]));
  expect(codes).toHaveLength(32 + 1 - 19);
});

test("submitSelect: an output at, above or below another running one is refused with that query's id", async () => {
  const h = await startHarness({ clusters: { c1: [{ grade: "small", quantity: 9 }] } });
  const id = await h.select({ outputResourcePath: "dag://out/a/b" });
  for (const outputResourcePath of ["dag://out/a/b/", "dag://out/a", "dag://out/a/b/c"]) {
    await expect(h.select({ outputResourcePath })).rejects.toThrow(
      `query ${id} writes to dag://out/a/b/; wait until it has ended, cancel it, or use another folder`,
    );
  }
  await h.select({ outputResourcePath: "dag://out/a/bc" });
  (await h.working(id)).finish();
  await h.ended(id);
  await h.select({ outputResourcePath: "dag://out/a/b/c" });
});

test("submitSelect: an output inside a table that the statement reads is refused", async () => {
  const h = await startHarness();
  h.put("dag://data/t/a.csv", "1\n");
  for (const outputResourcePath of ["dag://data/t", "dag://data/t/", "dag://data/t/part"]) {
    await expect(h.select({ query: "select 1 from data.t", outputResourcePath })).rejects.toThrow(
      errors.InvalidOutputResourcePath,
    );
  }
  await h.select({ query: "select 1 from data.t", outputResourcePath: "dag://data/t2" });
});

test("submitSelect: an object in place of the output folder is refused", async () => {
  const h = await startHarness();
  h.put("dag://out/a", "an object");
  for (const outputResourcePath of ["dag://out/a", "dag://out/a/b/c"]) {
    await expect(h.select({ outputResourcePath })).rejects.toThrow("dag://out/a is an object");
  }
  expect(h.get("dag://out/a")).toBe("an object");
});

test("submitSelect: a table exists while it is declared or has objects", async () => {
  const h = await startHarness({
    tables: [{ database: "data", table: "declared", format: "tsv", columns: [{ name: "a", type: "int" }] }],
  });
  h.put("dag://data/rows/x.jsonl", '{"a":1}\n');
  h.put("dag://default/here/x", "a\tb\n1\t2\n");
  const id = await h.select({ query: "select 1 from data.declared from data.rows from here" });
  expect((await h.working(id)).job).toMatchObject({
    tables: [
      { database: "data", table: "declared", format: "tsv", columns: [{ name: "a", type: "int" }] },
      { database: "data", table: "rows", format: "json" },
      { database: "default", table: "here", format: "tsv", location: { bucket: "default", key: "here/" } },
    ],
  });
});

test("submitSplit: checks capacity, then existence, then state", async () => {
  const h = await startHarness({
    clusters: { c1: [{ grade: "small", quantity: 2 }], full: [{ grade: "small", quantity: 1 }] },
    tables: [{ database: "gone", table: "t", format: "csv" }],
  });
  h.put("dag://data/in.csv", "1,2\n");
  h.put("dag://data/full/x", "1\n");
  await expect(h.split({ schema: "int" })).rejects.toThrow(errors.InvalidSchema);
  await expect(h.split({ schema: "int a, string a" })).rejects.toThrow(errors.InvalidDDLStatement);
  await expect(h.split({ outputDatabase: "missing" })).rejects.toThrow(errors.DatabaseNotFound);
  await expect(h.split({ outputDatabase: "gone" })).rejects.toThrow(errors.OutputBucketIsNotFound);
  await expect(h.split({ inputObjectKeys: ["dag://data/in.csv", "dag://missing/x"] })).rejects.toThrow(
    errors.InputBucketIsNotFound,
  );
  await expect(h.split({ inputObjectKeys: ["dag://data/in.csv", "dag://data/none"] })).rejects.toThrow(
    errors.InputObjectNotFound,
  );
  h.put("dag://data/nul", "a\0b\n");
  await expect(h.split({ inputObjectKeys: ["dag://data/nul"] })).rejects.toThrow(errors.InvalidFormat);
  await expect(h.split({ outputTable: "full" })).rejects.toThrow(errors.OutputTableAlreadyExists);
  await expect(h.split({ outputDatabase: "missing", clusterName: "full" })).rejects.toThrow(errors.TooManyQueries);
});

test("submitSplit: checks the format of the first 64 KiB, also of gzip data", async () => {
  const h = await startHarness({ clusters: { c1: [{ grade: "small", quantity: 20 }] } });
  const submit = (content: string | Buffer, inputFormat: "csv" | "json") => {
    const name = `dag://data/in-${crypto.randomUUID()}`;
    h.put(name, "");
    h.put(name, content);
    const table = { outputDatabase: "data", outputTable: name.slice(14).replaceAll("-", "_") };
    return submitSplit(h.context, { clusterName: "c1", inputObjectKeys: [name], ...table, inputFormat }, h.caller);
  };
  await submit('{"a":1}\n\n{"a":2}\n', "json");
  await submit(`{"a":"${"x".repeat(100_000)}"}\n`, "json");
  await submit(gzipSync('{"a":1}\n'), "json");
  await submit(gzipSync(Array.from({ length: 50_000 }, () => Math.random()).join("\n")), "csv");
  await submit("", "json");
  await expect(submit('{"a":1}\n[1]\n', "json")).rejects.toThrow("line 2 is not a JSON object");
  await expect(submit("a,b\n", "json")).rejects.toThrow(errors.InvalidFormat);
  await expect(submit(gzipSync("a\0b"), "csv")).rejects.toThrow(errors.InvalidFormat);
  await expect(submit(Buffer.from([0x1f, 0x8b, 1, 2, 3]), "csv")).rejects.toThrow(errors.InvalidFormat);
});

test("submitSplit: accepts exactly one of many concurrent splits to one table, also while the first ends", async () => {
  const h = await startHarness({ clusters: { c1: [{ grade: "small", quantity: 50 }] } });
  h.put("dag://data/in.csv", "1,2\n");
  const early = Array.from({ length: 11 }, () => h.split());
  const settled = Promise.allSettled(early);
  const id = await Promise.any(early);
  (await h.working(id)).finish("1,2\n");
  const late = Promise.allSettled(Array.from({ length: 20 }, () => h.split()));
  const results = [...(await settled), ...(await late)];
  expect(results.filter(({ status }) => status === "fulfilled")).toEqual([{ status: "fulfilled", value: id }]);
  for (const result of results.filter(({ status }) => status === "rejected")) {
    expect(result).toMatchObject({ status: "rejected", reason: expect.any(errors.OutputTableAlreadyExists) });
  }
  expect(await h.ended(id)).toBe("finished");
  expect(h.get("dag://data/t1/000000_0")).toBe("1,2\n");
});

test("submitSplit: a table whose objects were all deleted can be written again", async () => {
  const h = await startHarness();
  h.put("dag://data/in.csv", "1,2\n");
  const id = await h.split({ schema: "int a, int b" });
  (await h.working(id)).finish("1,2\n");
  await h.ended(id);
  await expect(h.split()).rejects.toThrow(errors.OutputTableAlreadyExists);
  rmSync(h.storage.path({ bucket: "data", key: "t1/000000_0" }));
  const again = await h.split({ schema: "string c" });
  (await h.working(again)).finish("x\n");
  expect(await h.ended(again)).toBe("finished");
  expect((await h.context.state.catalog.getTable("data", "t1"))!.columns).toEqual([{ name: "c", type: "string" }]);
});

test("submitSplit: a failed or cancelled split does not reserve the table's name", async () => {
  const h = await startHarness();
  h.put("dag://data/in.csv", "1,2\n");
  const id = await h.split();
  (await h.working(id)).fail(new Error("broken"));
  expect(await h.ended(id)).toBe("error");
  expect(h.entries("data")).toEqual(["in.csv"]);
  await h.split();
});

test("catalog: the check of a split is valid until the table's objects change", async () => {
  const h = await startHarness();
  h.put("dag://data/in.csv", "1\n");
  const id = await h.split({ schema: "int a" });
  (await h.working(id)).finish("1\n");
  await h.ended(id);
  expect(await h.context.catalog.definition({ database: "data", table: "t1" })).toMatchObject({ checked: true });
  h.put("dag://data/t1/more", "not a number\n");
  expect(await h.context.catalog.definition({ database: "data", table: "t1" })).toMatchObject({ checked: false });
});

test("catalog: a select that writes to a table's folder deletes the table's catalog entry", async () => {
  const h = await startHarness();
  h.put("dag://data/in.csv", "1\n");
  const id = await h.split({ schema: "int a" });
  (await h.working(id)).finish("1\n");
  await h.ended(id);
  const select = await h.select({ outputResourcePath: "dag://data/t1" });
  (await h.working(select)).finish("x,y\n");
  await h.ended(select);
  expect(await h.context.catalog.definition({ database: "data", table: "t1" })).toMatchObject({
    source: "select",
    columns: [{ name: "line", type: "string" }],
  });
});

test("submissions: unreadable storage is StorageAccessError, and the service continues", async () => {
  const h = await startHarness();
  const id = await h.select();
  await h.working(id);
  const bucket = h.storage.path({ bucket: "out", key: "" }).replace(/\/$/, "");
  await rename(bucket, `${bucket}.away`);
  await symlink("/", bucket);
  await expect(h.select()).rejects.toThrow(errors.StorageAccessError);
  (await h.working(id)).fail(new Error("gone"));
  expect(await h.ended(id)).toBe("error");
  await unlink(bucket);
  await rename(`${bucket}.away`, bucket);
  await h.select();
});

test("submitSplit: an empty schema is refused (InvalidDDLStatement)", async () => {
  const h = await startHarness();
  h.put("dag://data/in.csv", "1,2\n");
  await expect(h.split({ schema: "" })).rejects.toThrow(errors.InvalidDDLStatement);
});

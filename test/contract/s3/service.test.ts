import { gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { call, ended, hasStatus, type Target } from "../service/caller";
import { useS3 } from "./harness";

const s3 = useS3();
const tables = '[{database: data, table: events, schema: "bigint id, string v"}]';

beforeEach(async () => {
  await s3.put({
    "dag://data/events/a.csv": "1,x\n2,y\n",
    "dag://data/events/b.csv.gz": gzipSync("3,x\n"),
    "dag://data/events/_hidden": "9,hidden\n",
    "dag://raw/in.csv": 'id,text\n1,"a\nb"\n2,c\n',
  });
  await s3.makeBuckets("out", "default");
});

const submit = (service: Target, query: string, overrides: object = {}) =>
  call(service, "POST", "/v1/?select", {
    body: { clusterName: "demo", query, outputResourcePath: "dag://out/r", ...overrides },
  });

async function run(service: Target, query: string, overrides: object = {}) {
  const { status, json } = await submit(service, query, overrides);
  expect([status, json]).toEqual([202, { queryId: expect.any(Number) }]);
  const record = await ended(service, json.queryId);
  const log = (await call(service, "GET", `/v1/${json.queryId}/log?query`)).json.log as string;
  expect(record, log).toMatchObject({ status: "finished" });
  return { id: json.queryId as number, log };
}

test("select: reads declared tables, plain and gzip, and replaces the output; nothing temporary remains", async () => {
  await s3.put({ "dag://out/r/old": "old", "dag://out/r/sub/old": "old", "dag://out/r2": "kept" });
  const service = await s3.start(["--tables", tables]);
  const { log } = await run(service, "SELECT v, count(*) FROM data.events GROUP BY v ORDER BY v");
  expect(await s3.content("dag://out/r/")).toBe("x,2\ny,1\n");
  expect(await s3.keys("dag://out/")).toEqual(["r/000000_0", "r2"]);
  expect(log).toContain("result is at dag://out/r/: 1 object, 8 bytes");
});

test("results: are read as what they are where they were written and copied to, and not with other objects", async () => {
  const service = await s3.start();
  const rows = "SELECT code, price FROM (SELECT 'x, \"5\"' AS code, 4641.58BD AS price UNION ALL SELECT 'a', 1BD) t";
  const first = await run(service, rows, { outputResourcePath: "dag://data/names", outputFormat: "tsv" });
  await run(service, rows, { outputResourcePath: "dag://data/days/dt=1", outputFormat: "tsv" });
  const read = async (table: string, columns = "code, price + 0.001BD") => {
    const { log } = await run(service, `SELECT ${columns} FROM data.${table} ORDER BY code`, { outputFormat: "tsv" });
    return { log, content: await s3.content("dag://out/r/") };
  };
  const content = 'a\t1.001\nx, "5"\t4641.581\n';
  expect((await read("names")).content).toBe(content);
  expect((await read("days", "dt, code")).content).toBe('1\ta\n1\tx, "5"\n');
  for await (const object of s3.storage.list({ bucket: "data", key: "names/" })) {
    await s3.storage.copy(object, { bucket: "data", key: `copied/${object.location.key.slice("names/".length)}` });
  }
  expect((await read("copied")).content).toBe(content);
  await s3.put({ "dag://data/names/more.tsv": "b\t2\n" });
  const note = `table data.names is read as an ordinary folder: query ${first.id} wrote its result to dag://data/names/, and not dag://data/names/more.tsv`;
  const ordinary = await read("names", "`_c0` AS code");
  expect(ordinary.content).toBe('a\nb\nx, "5"\n');
  expect(ordinary.log).toContain(note);
  expect(ordinary.log).toContain("data.names is read as tsv: its first line has tabs and commas");
  await s3.put({ "dag://data/copied/more.tsv": "b\t2\n", "dag://data/copied/000000_0": "a\t1\n" });
  expect((await read("copied", "`_c0` AS code")).content).toBe("a\nb\n");
});

test("split: a table of a split is read by selects; quoted newlines stay in their rows", async () => {
  const service = await s3.start();
  const body = {
    clusterName: "demo",
    inputObjectKeys: ["dag://raw/in.csv"],
    outputDatabase: "data",
    outputTable: "made",
  };
  const { json } = await call(service, "POST", "/v1/?split", { body });
  expect(await ended(service, json.queryId)).toMatchObject({ status: "finished" });
  await run(service, "SELECT id + 1, text FROM data.made ORDER BY id");
  expect(await s3.content("dag://out/r/")).toBe('2,"a\nb"\n3,c\n');
  const again = await call(service, "POST", "/v1/?split", { body });
  expect(again.json).toMatchObject({ code: "OutputTableAlreadyExists" });
  await s3.storage.deleteFolder({ bucket: "data", key: "made/" });
  const query = "SELECT count(*) FROM data.made";
  const select = { clusterName: "demo", query, outputResourcePath: "dag://out/none/", outputFormat: "csv" };
  const gone = await call(service, "POST", "/v1/?select", { body: select });
  expect(gone.json).toMatchObject({ code: "InvalidTableName" });
});

test("split: without a schema, the record has the columns that the objects have", async () => {
  await s3.put({ "dag://raw/a.csv": "id,text\n1,a\n", "dag://raw/b.csv.gz": gzipSync("id,text\n2,b\n") });
  const service = await s3.start();
  const inputObjectKeys = ["dag://raw/a.csv", "dag://raw/b.csv.gz"];
  const body = { clusterName: "demo", inputObjectKeys, outputDatabase: "data", outputTable: "two" };
  const { json } = await call(service, "POST", "/v1/?split", { body });
  const record = await ended(service, json.queryId);
  expect(record).toMatchObject({ status: "finished", schema: "bigint id, string text" });
  expect(await s3.keys("dag://data/two/")).toEqual(["two/000000_0", "two/000001_0"]);
  expect(await s3.content("dag://data/two/")).toBe("id,text\n1,a\nid,text\n2,b\n");
});

test("partition folders: only the objects of the partitions that the statement needs are read", async () => {
  await s3.put({
    "dag://data/days/dt=2026-01-01/a.csv": "1\n2\n",
    "dag://data/days/dt=2026-01-02/a.csv": "3\n",
    // It could not be read.
    "dag://data/days/dt=2026-01-03/a.csv.gz": Buffer.from([
      0x1f, 0x8b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]),
  });
  const days = '[{database: data, table: days, schema: "bigint n", partitions: "string dt"}]';
  const service = await s3.start(["--tables", days]);
  await run(service, "SELECT dt, sum(n) FROM data.days WHERE dt < '2026-01-03' GROUP BY dt ORDER BY dt");
  expect(await s3.content("dag://out/r/")).toBe("2026-01-01,3\n2026-01-02,3\n");
});

test("cancelQuery: ends the query, the old output stays, and nothing temporary remains", async () => {
  await s3.put({ "dag://data/numbers/a.csv": "1\n".repeat(30_000), "dag://out/r/old": "old" });
  const service = await s3.start(["--tables", '[{database: data, table: numbers, schema: "bigint n"}]']);
  const cross =
    "SELECT count(*) FROM data.numbers a CROSS JOIN data.numbers b CROSS JOIN data.numbers c WHERE a.n * b.n > c.n + 0.5";
  const { json } = await submit(service, cross);
  const record = () => call(service, "GET", `/v1/${json.queryId}?query`).then((answer) => answer.json);
  await expect.poll(async () => (await record()).stage).toBe(2);
  expect(await s3.keys("dag://out/")).toEqual(["r/old", "tmp_$folder$"]);
  expect((await call(service, "DELETE", `/v1/${json.queryId}?query`)).status).toBe(204);
  expect(await s3.keys("dag://out/")).toEqual(["r/old"]);
});

test("exportClusterLog, statistics and the console's objects are those of S3", async () => {
  // The sizes are measured when the service starts, and reused for a minute.
  let size = 0;
  for (const bucket of await s3.storage.buckets()) {
    for await (const object of s3.storage.list({ bucket, key: "" })) size += object.size;
  }
  const service = await s3.start(["--tables", tables]);
  await run(service, "SELECT id, v FROM data.events ORDER BY id");
  const body = { outputLogPath: "dag://out/logs", compress: false };
  expect((await call(service, "PUT", "/v1/demo/log?clusterManagement", { body })).status).toBe(204);
  expect(await s3.keys("dag://out/logs/")).toEqual([
    "logs/engine/engine.log",
    "logs/manifest.json",
    "logs/service/cluster.log",
  ]);
  const { json } = await call(service, "GET", "/v1/demo/statistics?clusterManagement");
  expect(json.disk).toEqual({ used: size, capacity: Number.MAX_SAFE_INTEGER });
  const page = await call(service, "GET", "/objects?prefix=dag%3A%2F%2Fout%2Fr%2F");
  expect(page.json.objects).toMatchObject([{ location: "dag://out/r/000000_0", size: 12 }]);
  const rows = await call(service, "GET", "/results/1");
  expect(rows.json).toMatchObject({
    columns: ["id", "v"],
    sample: {
      rows: [
        ["1", "x"],
        ["2", "y"],
        ["3", "x"],
      ],
    },
  });
});

test("restart after kill -9: the query runs again and ends once", async () => {
  await s3.put({ "dag://data/numbers/a.csv": "1\n".repeat(4000) });
  const args = ["--tables", '[{database: data, table: numbers, schema: "bigint n"}]'];
  const first = await s3.start(args);
  const cross = "SELECT count(*) FROM data.numbers a CROSS JOIN data.numbers b WHERE a.n * b.n > 0.5";
  const { json } = await submit(first, cross);
  first.child.kill("SIGKILL");
  const second = await s3.start(args);
  expect(await ended(second, json.queryId)).toMatchObject({ status: "finished" });
  await hasStatus(second, "demo", "norm");
  expect(await s3.content("dag://out/r/")).toBe("16000000\n");
  expect(await s3.keys("dag://out/")).toEqual(["r/000000_0"]);
});

test("undeclared columns: a first row of 100 KB has all its columns in selects, splits and the console", async () => {
  const long = "x".repeat(100_000);
  const content = `${long}\t2\t3\ny\t5\t6\n`;
  await s3.put({ "dag://data/long/part-0": content, "dag://raw/long.tsv": content });
  const service = await s3.start();
  await run(service, "SELECT * FROM data.long", { outputFormat: "tsv" });
  expect(await s3.content("dag://out/r/")).toBe(content);
  const inputObjectKeys = ["dag://raw/long.tsv"];
  const body = {
    clusterName: "demo",
    inputObjectKeys,
    inputFormat: "tsv",
    outputDatabase: "data",
    outputTable: "made",
  };
  const { json } = await call(service, "POST", "/v1/?split", { body });
  expect(await ended(service, json.queryId)).toMatchObject({ schema: "string _c0, bigint _c1, bigint _c2" });
  const shown = await call(service, "GET", "/catalog/data/long");
  expect(shown.json.columns.map(({ name }: { name: string }) => name)).toEqual(["_c0", "_c1", "_c2"]);
});

test("undeclared columns: a header before a row of 100 KB, in an object that is too large to be read for a check", async () => {
  const rows = `2,${"y".repeat(1000)}\n`.repeat(33_000);
  await s3.put({ "dag://data/long/a.csv": `id,v\n1,${"x".repeat(100_000)}\n${rows}` });
  const service = await s3.start();
  await run(service, "SELECT id / 2, length(v) FROM data.long WHERE id = 1");
  expect(await s3.content("dag://out/r/")).toBe("0.5,100000\n");
  const shown = await call(service, "GET", "/catalog/data/long");
  expect(shown.json.columns).toEqual([
    { name: "id", type: "bigint" },
    { name: "v", type: "string" },
  ]);
});

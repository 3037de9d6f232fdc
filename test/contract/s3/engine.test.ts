import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { InputFormat } from "../../../contract";
import { S3Storage } from "../../../storage";
import type { Engine } from "../../../service/core/ports/engine";
import { columns, Machine, Recorder, submission } from "../engine/harness";
import { engineSuite } from "../engine/suite";
import { undeclaredSuite } from "../engine/undeclared-suite";
import { s3Credentials, startS3Server, type S3Server } from "../storage/s3-server";
import { s3Environment } from "./harness";
import { S3Machine } from "./machine";

const buildTime = 10 * 60_000;

// The server's objects are the files of the machine, so that the tests of local engines run as they are.
describe("duckdb on S3", () => {
  const machine = new S3Machine();
  const local = new Machine();
  let server: S3Server | undefined;
  let unavailable: string | undefined;
  let storage: S3Storage;
  const tested = { machine, engine: undefined as unknown as Engine };
  let onFiles: Engine;

  const start = async (memoryBytes = 1_000_000_000) => {
    const s3 = { endpoint: server!.endpoint, region: "us-east-1" };
    return machine.start({ memoryBytes }, { storage: { s3, environment: s3Environment } });
  };

  beforeAll(async () => {
    try {
      server = await startS3Server(machine.buckets);
    } catch (error) {
      unavailable = (error as Error).message;
      console.warn(`skipped: ${unavailable}`);
      return;
    }
    storage = new S3Storage({ endpoint: server.endpoint, credentials: s3Credentials });
    tested.engine = await start();
    onFiles = await local.start();
  }, buildTime);
  afterAll(async () => {
    await machine[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
    await server?.close();
  });

  beforeEach(({ skip }) => {
    if (unavailable !== undefined) skip(unavailable);
  });

  engineSuite(tested);
  undeclaredSuite(tested);

  describe("split: the objects are those of a split of files", () => {
    const quoted = (n: number) => `${n},"l1\nl2, ""${n}""",x\n`;
    const rows = (count: number, row: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => row(n)).join("");
    const cases: [string, InputFormat, (string | Buffer)[], number][] = [
      ["csv with quoted newlines", "csv", [rows(3000, quoted)], 10_000],
      ["csv with a long row", "csv", [`a,"${"x\n".repeat(20_000)}"\nb,c\n`, "d,e"], 10_000],
      ["tsv", "tsv", [rows(5000, (n) => `${n}\tvalue "${n}\n`), "", "last without end"], 7001],
      ["tsv above 5 MiB", "tsv", [rows(600_000, (n) => `${n}\tvalue\n`)], 2_000_000],
      ["json lines", "json", [rows(2000, (n) => `{"n":${n}}\n`)], 5000],
      ["gzip", "csv", [gzipSync(rows(3000, quoted)), "1,2,3\n"], 10_000],
      ["nothing", "csv", ["", ""], 100],
    ];
    test.each(cases)("%s", async (name, format, contents, objectBytes) => {
      const found = [];
      for (const [target, engine] of [
        [machine, tested.engine],
        [local, onFiles],
      ] as const) {
        const inputs = contents.map((content, index) => target.put("default", `raw/${name}/${index}`, content));
        const output = target.output();
        await engine.split({ queryId: 1, inputs, format, output, objectBytes }, new Recorder());
        found.push(target.objects(output));
      }
      expect(Object.keys(found[0]!)).toEqual(Object.keys(found[1]!));
      expect(found[0]).toEqual(found[1]);
      expect(Object.keys(found[0]!).length).toBeGreaterThan(name === "nothing" ? 0 : 1);
    });

    test("broken gzip: the split fails with the object's name", async () => {
      const input = machine.put("default", "raw/broken.gz", gzipSync("1,2\n".repeat(1000)).subarray(0, 40));
      const job = { queryId: 1, inputs: [input], format: "csv", output: machine.output(), objectBytes: 1000 } as const;
      await expect(tested.engine.split(job, new Recorder())).rejects.toThrow(
        "cannot split dag://default/raw/broken.gz: its gzip data ends too early",
      );
    });
  });

  test("headWithBytes: is head with the first bytes, of an object that exists", async () => {
    const at = (key: string) => ({ bucket: "default", key });
    machine.put("default", "heads/some", "abcdef");
    machine.put("default", "heads/empty", "");
    for (const [key, bytes] of [
      ["heads/some", "ab"],
      ["heads/empty", ""],
    ] as const) {
      const expected = { ...(await storage.head(at(key))), bytes: Buffer.from(bytes) };
      expect(await storage.headWithBytes(at(key), 2)).toEqual(expected);
    }
    for (const key of ["heads/missing", "heads/", ""]) expect(await storage.headWithBytes(at(key), 2)).toBeUndefined();
    expect(await storage.headWithBytes({ bucket: "no-such-bucket", key: "some" }, 2)).toBeUndefined();
  });

  /** Writes a csv object that no engine with {@link littleMemory} can copy. */
  const putHuge = async (key: string) => {
    const path = machine.storage.path({ bucket: "default", key });
    await mkdir(dirname(path), { recursive: true });
    await using file = await open(path, "w");
    await file.write(`id,text\n${"12345678,some text that is not short\n".repeat(5000)}`);
    await file.truncate(700_000_000);
  };
  const littleMemory = 40_000_000;

  test("checkSelect: a large table is checked by the beginnings of its objects", async () => {
    await putHuge("large/part-0");
    const location = { bucket: "default", key: "large/" };
    const table = { database: "default", table: "large", location, format: "csv" } as const;
    const query = { statement: "SELECT id + 1, upper(text) FROM large", tables: [table] };
    const small = await start(littleMemory);
    await small.checkSelect(query, submission);
    await expect(
      small.checkSelect({ ...query, statement: "SELECT nothing FROM large" }, submission),
    ).rejects.toMatchObject({ code: "InvalidDMLStatement" });
    const sample = await small.sampleTable(table, 2, submission);
    expect(sample).toMatchObject({
      rows: [["12345678", "some text that is not short"], expect.any(Array)],
      isTruncated: true,
    });
    expect(sample.columns.map(({ name }) => name)).toEqual(["id", "text"]);
  });

  test("partitions of which the statement needs none: the objects' beginnings tell the columns", async () => {
    await putHuge("days/day=1/part-0");
    const location = { bucket: "default", key: "days/" };
    const partitionColumns = [{ name: "day", type: "int" }];
    const table = { database: "default", table: "days", location, format: "csv", partitionColumns } as const;
    const small = await start(littleMemory);
    const select = (names: string) => ({ statement: `SELECT ${names} FROM days WHERE day = 2`, tables: [table] });
    await small.checkSelect(select("id, text"), submission);
    expect(await machine.run(small, select("id, text").statement, [table])).toBe("");
    await expect(small.checkSelect(select("nothing"), submission)).rejects.toMatchObject({
      code: "InvalidDMLStatement",
    });
  });

  test("Parquet: a large table is checked by its footers, and read whole by a select", async () => {
    const path = machine.storage.path({ bucket: "default", key: "pq/part-0.parquet" });
    await mkdir(dirname(path), { recursive: true });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const rows = "SELECT range AS id, md5(CAST(range AS VARCHAR)) AS text FROM range(1_200_000)";
    await connection.run(`COPY (${rows}) TO '${path}' (FORMAT parquet)`);
    expect((await stat(path)).size).toBeGreaterThan(32 * 1024 * 1024);
    const location = { bucket: "default", key: "pq/" };
    const table = { database: "default", table: "pq", location, format: "parquet" } as const;
    const statement = "SELECT count(*), max(id), min(text) FROM pq";
    await tested.engine.checkSelect({ statement, tables: [table] }, submission);
    await expect(
      tested.engine.checkSelect({ statement: "SELECT nothing FROM pq", tables: [table] }, submission),
    ).rejects.toMatchObject({ code: "InvalidDMLStatement" });
    expect(await machine.run(tested.engine, statement, [table])).toMatch(/^1200000,1199999,0000/);
    const sample = await tested.engine.sampleTable(table, 1, submission);
    expect(sample).toMatchObject({ columns: [{ name: "id" }, { name: "text" }], rows: [["0", expect.any(String)]] });
  });

  test("select: refuses more bytes than the cluster's memory lets it copy", async () => {
    const small = await start(littleMemory);
    const location = { bucket: "default", key: "huge/" };
    const table = { database: "default", table: "huge", location, format: "csv" } as const;
    await putHuge("huge/part-0");
    await expect(
      machine.run(small, "SELECT count(*) FROM huge", [{ ...table, columns: columns("n int") }]),
    ).rejects.toThrow("the objects that the statement reads have more than 640.0 MB");
  });

  test("a key that cannot be a path, or that leaves its folder, reaches no file", async () => {
    await storage.write({ bucket: "default", key: `names/${"k".repeat(200)}` }, "1\n");
    const table = {
      database: "default",
      table: "names",
      location: { bucket: "default", key: "names/" },
      format: "csv",
    } as const;
    expect(await machine.run(tested.engine, "SELECT * FROM names", [table])).toBe("1\n");
    const outside = { ...table, location: { bucket: "default", key: "../../" } };
    await expect(machine.run(tested.engine, "SELECT * FROM names", [outside])).rejects.toMatchObject({
      code: "StorageAccessError",
    });
  });
});

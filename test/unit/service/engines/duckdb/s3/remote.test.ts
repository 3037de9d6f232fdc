import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { EngineError } from "../../../../../../service/engines/duckdb/engine-errors";
import type { EngineTable } from "../../../../../../service/engines/duckdb/files";
import type { Database, RemoteAccess } from "../../../../../../service/engines/duckdb/process/database";
import { RemoteObjects, remoteUrl } from "../../../../../../service/engines/duckdb/s3/remote";
import type { S3Storage } from "../../../../../../storage/s3";

describe("remoteUrl: names an object as DuckDB does", () => {
  test.each(["t/part-0", "t/dt=1/a b%20+&'\".parquet", "t/ünï", "t/", "t/..a/b.."])("%s", (key) => {
    expect(remoteUrl({ bucket: "data", key })).toBe(`s3://data/${key}`);
  });
  test.each(["t/*", "t/a?b", "t/[a]", "t/a\\b", "t//a", "/t/a", "t/../a", "t/.", "../a", "t/a\nb", ""])(
    "not %j",
    (key) => {
      expect(remoteUrl({ bucket: "data", key })).toBeUndefined();
    },
  );
});

/** Size of an object that is read by ranges. */
const large = 4 * 1024 * 1024;
const location = { bucket: "data", key: "t/" };
const tableOf = (sizes: Readonly<Record<string, number>>, format: "parquet" | "csv" = "parquet"): EngineTable => ({
  database: "data",
  table: "t",
  format,
  checked: false,
  files: Object.entries(sizes).map(([name, size]) => ({
    path: `/copies/${name}`,
    location: `dag://data/t/${name}`,
    name,
    size,
    etag: `"${name}"`,
  })),
});

/** A storage with the objects of a table. */
class FakeStorage {
  secrets = ["secret"];
  unreadable: string | undefined;
  constructor(readonly objects: Map<string, { size: number; etag: string }>) {}

  access = () => {
    const secretAccessKey = this.secrets.length > 1 ? this.secrets.shift()! : this.secrets[0]!;
    const credentials = { accessKeyId: "key", secretAccessKey, sessionToken: "it's a token" };
    return Promise.resolve({ endpoint: new URL("https://s3.example.com:8443"), region: "eu-west-1", credentials });
  };
  head = ({ key }: { key: string }) => Promise.resolve(this.objects.get(key));
  read = ({ key }: { key: string }) =>
    key === this.unreadable
      ? Promise.reject(new EngineError(`${key} is denied`))
      : Promise.resolve(Readable.from(["x"]));
  // oxlint-disable-next-line require-await -- as the storage's
  async *list() {
    for (const [key, object] of this.objects) yield { location: { bucket: "data", key }, ...object };
  }
}

function fixture(sizes: Readonly<Record<string, number>>, maxBytes = 100 * large) {
  const table = tableOf(sizes);
  const storage = new FakeStorage(
    new Map(table.files.map(({ name, size, etag }) => [`t/${name}`, { size, etag: etag! }])),
  );
  const opened: { access: RemoteAccess; secret: string }[] = [];
  const database = (access: RemoteAccess) => ({
    setCredentials: (secret: string) => Promise.resolve(void opened.push({ access, secret })),
  });
  const base = {
    withRemote: (access: RemoteAccess, use: (other: object) => Promise<unknown>) => use(database(access)),
  } as unknown as Database;
  const options = { storage: storage as unknown as S3Storage, extension: "/httpfs", authorities: undefined, maxBytes };
  const of = (tables = [table]) =>
    RemoteObjects.of(
      tables,
      tables.map((each) => ({ ...each, checked: false, location, columns: undefined, partitions: undefined })),
      options,
    );
  const remote = of()!;
  for (const file of remote?.tables.flatMap(({ files }) => files) ?? []) if (file.remote) remote.add(file);
  return { table, storage, opened, base, of, remote };
}

const { signal } = new AbortController();
const undecodable = new Error("Invalid Error: Variable-length int over 10 bytes.");
const httpError = new Error("HTTP Error: HTTP GET error reading 'http://x' (HTTP 403 Forbidden)");

test("of: larger Parquet objects whose keys DuckDB takes as they are", () => {
  const { remote, of } = fixture({ small: 1000, large, "odd?": large, empty: 0 });
  expect(remote.tables[0]!.files.map((file) => file.remote)).toEqual([
    undefined,
    "s3://data/t/large",
    undefined,
    undefined,
  ]);
  expect(of([tableOf({ large }, "csv")])).toBeUndefined();
  expect(of([tableOf({ small: 1000 })])).toBeUndefined();
});

test("of: small objects too when they are too many to copy", () => {
  const { remote } = fixture({ a: 600, b: 600, empty: 0 }, 1000);
  expect(remote.tables[0]!.files.map((file) => file.remote)).toEqual(["s3://data/t/a", "s3://data/t/b", undefined]);
});

test("run: a database with the folders and a secret for them", async () => {
  const { remote, base, opened } = fixture({ large });
  expect(await remote.run(base, signal, () => Promise.resolve(5))).toBe(5);
  expect(opened).toEqual([
    {
      access: { extension: "/httpfs", folders: ["s3://data/t/"], authorities: undefined },
      secret:
        "CREATE OR REPLACE TEMPORARY SECRET objects (TYPE s3, PROVIDER config, SCOPE ['s3://data/t/'], KEY_ID 'key', SECRET 'secret', SESSION_TOKEN 'it''s a token', REGION 'eu-west-1', ENDPOINT 's3.example.com:8443', URL_STYLE 'path', USE_SSL true)",
    },
  ]);
});

test.each([
  ["a few", 2],
  ["very many", 100],
])("run: of %s objects, one that was changed or deleted in the meantime ends the query", async (_, count) => {
  const sizes = Object.fromEntries(Array.from({ length: count }, (_each, n) => [`part-${n}`, large]));
  for (const change of [{ size: large, etag: '"other"' }, { size: 1, etag: '"part-1"' }, undefined]) {
    const { remote, base, storage } = fixture(sizes);
    if (change) storage.objects.set("t/part-1", change);
    else storage.objects.delete("t/part-1");
    const message = "dag://data/t/part-1 was changed while the query ran: submit it again";
    await expect(remote.run(base, signal, () => Promise.resolve())).rejects.toThrow(message);
    await expect(remote.run(base, signal, () => Promise.reject(httpError))).rejects.toThrow(message);
    await expect(remote.run(base, signal, () => Promise.reject(undecodable))).rejects.toThrow(message);
  }
});

test("run: S3's reason is told, and only for DuckDB's errors of files", async () => {
  const { remote, base, storage } = fixture({ large });
  storage.unreadable = "t/large";
  await expect(remote.run(base, signal, () => Promise.reject(httpError))).rejects.toThrow("t/large is denied");
  const other = new Error("Out of Memory Error: too much");
  await expect(remote.run(base, signal, () => Promise.reject(other))).rejects.toBe(other);
});

test("run: begins again when the credentials have expired, a few times", async () => {
  const { remote, base, storage, opened } = fixture({ large });
  storage.secrets = ["first", "second"];
  let runs = 0;
  const use = () => ((runs += 1) === 1 ? Promise.reject(httpError) : Promise.resolve("done"));
  expect(await remote.run(base, signal, use)).toBe("done");
  expect(opened.map(({ secret }) => / SECRET '(\w+)'/.exec(secret)![1])).toEqual(["first", "second"]);
  // The same credentials are no reason to begin again.
  await expect(remote.run(base, signal, () => Promise.reject(httpError))).rejects.toBe(httpError);
  expect(opened).toHaveLength(3);
  storage.secrets = Array.from({ length: 20 }, (_, n) => `s${n}`);
  await expect(remote.run(base, signal, () => Promise.reject(httpError))).rejects.toBe(httpError);
  expect(opened).toHaveLength(6);
});

test("run: a cancelled one asks S3 nothing more", async () => {
  const { remote, base, storage } = fixture({ large });
  storage.objects.clear();
  const cancelled = AbortSignal.abort(new Error("cancelled"));
  await expect(remote.run(base, cancelled, () => Promise.reject(httpError))).rejects.toThrow("cancelled");
});

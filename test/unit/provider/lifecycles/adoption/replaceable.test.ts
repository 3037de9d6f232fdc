import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { ConnectionError } from "../../../../../provider/client";
import { requirePrerequisites } from "../../../../../provider/lifecycles/adoption/replaceable";
import { testContext } from "../context";
import { MemoryStorage } from "../memory-storage";

const table = { clusterName: "demo", outputDatabase: "wildlife", inputObjectKeys: ["dag://landing/birds.csv"] };

test.each([
  ["text", "owl,1\n"],
  ["gzip", gzipSync("owl,1\n")],
])(
  "requirePrerequisites: a table is purged for its replacement where the inputs can be read: %s",
  async (_, content) => {
    const storage = new MemoryStorage({});
    storage.put("dag://landing/birds.csv", content);
    expect(await requirePrerequisites(table, testContext({ storage }))).toBeUndefined();
  },
);

test.each<[string, string | Buffer, object, RegExp]>([
  ["no object", "", { inputObjectKeys: ["dag://landing/none.csv"] }, /"dag:\/\/landing\/none\.csv" .*does not exist/],
  ["damaged gzip", Buffer.from([0x1f, 0x8b, 8, 9]), {}, /birds\.csv starts like gzip data but cannot be decompressed/],
  ["Parquet", "PAR1", {}, /birds\.csv is Parquet, which a split does not read/],
  ["binary data", "a\0b", {}, /birds\.csv is not csv text: it has a NUL byte at offset 1/],
  ["lines that are no JSON", "owl\n", { inputFormat: "json" }, /birds\.csv does not have the format json/],
])(
  "requirePrerequisites: a table stays where its replacement could not be made: %s",
  async (_, content, inputs, refused) => {
    const storage = new MemoryStorage({});
    storage.put("dag://landing/birds.csv", content);
    const checked = requirePrerequisites({ ...table, ...inputs }, testContext({ storage }));
    await expect(checked).rejects.toThrow(refused);
    await expect(checked).rejects.toThrow(/^the table stays, because it could not be made again: /);
  },
);

test("requirePrerequisites: quotes nothing of an object when an input is secret", async () => {
  const storage = new MemoryStorage({ "dag://landing/birds.csv": "PAR1" });
  const context = testContext({ storage, secret: true });
  await expect(requirePrerequisites(table, context)).rejects.toThrow(
    "could not be made again: an object of inputObjectKeys does not have its format",
  );
});

test.each([
  ["does not answer", new ConnectionError("cannot connect")],
  ["refuses the key pair", new errors.SignatureDoesNotMatch("it is signed with another secret")],
])("requirePrerequisites: a service that %s: what is there stays", async (_title, error) => {
  const storage = new MemoryStorage({ "dag://landing/birds.csv": "owl,1\n" });
  const context = testContext({ storage });
  context.service.trouble = () => error;
  await expect(requirePrerequisites(table, context)).rejects.toThrow(error.message);
});

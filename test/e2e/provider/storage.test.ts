import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { s3Credentials, startS3Server, type S3Server } from "../../contract/storage/s3-server";
import { dag, objectsUnder, startService, TestStack } from "./harness";

let service: TestService;
let s3: S3Server | undefined;
let noS3 = "";

beforeAll(async () => {
  service = await startService({
    objects: { "dag://landing/a.csv": "owl,1\n", "dag://landing/b.csv": "kite,2\nwren,3\n" },
    buckets: ["wildlife", "results"],
  });
  try {
    s3 = await startS3Server(service.bucketsDirectory);
  } catch (error) {
    noS3 = (error as Error).message;
    console.warn(`skipped: ${noS3}`);
  }
  process.env["AWS_ACCESS_KEY_ID"] = s3Credentials.accessKeyId;
  process.env["AWS_SECRET_ACCESS_KEY"] = s3Credentials.secretAccessKey;
});

afterAll(async () => {
  await s3?.close();
  await service?.close();
});

describe.each(["file", "s3"] as const)("deletion policies on %s storage", (kind) => {
  test("purge: replaces a table under the same name and finally deletes everything; keep keeps everything", async ({
    skip,
  }) => {
    if (kind === "s3" && s3 === undefined) skip(noS3);
    const storage = kind === "file" ? `file:${service.bucketsDirectory}` : `s3:${s3?.endpoint}?region=us-east-1`;
    await using stack = await TestStack.create(service, { "dag:storage": storage });
    let input = "a";
    stack.program = () => {
      const table = new dag.SplitTable("birds", {
        clusterName: "demo",
        inputObjectKeys: [`dag://landing/${input}.csv`],
        outputDatabase: "wildlife",
        outputTable: `birds_${kind}`,
        schema: "string bird, int n",
        deletionPolicy: "purge",
      });
      const select = (name: "kept" | "purged") =>
        new dag.SelectQuery(name, {
          clusterName: "demo",
          query: `SELECT bird, n FROM wildlife.birds_${kind} ORDER BY n`,
          outputResourcePath: `dag://results/${kind}/${name}/`,
          deletionPolicy: name === "purged" ? "purge" : "keep",
          resultRows: 5,
          triggers: [input],
        });
      select("kept");
      return { rows: select("purged").result.apply((result) => result?.rows), table: table.result };
    };
    const first = await stack.up();
    expect(first.ok, first.text).toBe(true);
    expect(first.outputs).toEqual({
      rows: [["owl", "1"]],
      table: {
        objects: [{ location: `dag://wildlife/birds_${kind}/000000_0`, size: 6 }],
        etag: expect.any(String),
      },
    });

    input = "b";
    const second = await stack.up();
    expect(second.ok, second.text).toBe(true);
    expect(second.outputs["rows"]).toEqual([
      ["kite", "2"],
      ["wren", "3"],
    ]);

    expect((await stack.destroy()).ok).toBe(true);
    expect(objectsUnder(service, `dag://wildlife/birds_${kind}/`)).toEqual([]);
    expect(objectsUnder(service, `dag://results/${kind}/purged/`)).toEqual([]);
    expect(objectsUnder(service, `dag://results/${kind}/kept/`)).toEqual(["000000_0"]);
  });
});

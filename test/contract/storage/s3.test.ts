import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { inspect, promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { errors } from "../../../contract";
import { S3Storage } from "../../../storage";

const object = { bucket: "bucket", key: "object" };
const credentials = { accessKeyId: "AK", secretAccessKey: "very-secret" };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function storageAt(answer: Parameters<typeof createServer>[1]): Promise<S3Storage> {
  server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((listening) => server!.once("listening", listening));
  return new S3Storage({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credentials });
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

describe("S3Storage: a server that rejects requests or breaks connections", () => {
  it.each([
    ["AccessDenied", 403],
    ["InvalidAccessKeyId", 403],
    ["SignatureDoesNotMatch", 403],
  ])("%s: is StorageAccessError with the server's reason and no secret", async (code, status) => {
    const storage = await storageAt((_, response) => {
      const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>the reason</Message></Error>`;
      response.writeHead(status, { "content-type": "application/xml" }).end(body);
    });
    const error = await failure(storage.read(object));
    expect(error).toBeInstanceOf(errors.StorageAccessError);
    expect(error!.message).toBe(`dag://bucket/object cannot be accessed: the reason (${code}, status ${status})`);
    expect(inspect(error, { depth: 20 })).not.toContain("very-secret");
  });

  it("HEAD without a body: reports the status", async () => {
    const storage = await storageAt((_, response) => response.writeHead(403).end());
    expect(await failure(storage.head(object))).toMatchObject({
      code: "StorageAccessError",
      message: expect.stringContaining("403"),
    });
    expect(await failure(storage.bucketExists("bucket"))).toMatchObject({ message: expect.stringContaining("403") });
  });

  it("no connection: is a StorageAccessError with the reason", async () => {
    const storage = await storageAt(() => {});
    await new Promise((closed) => server!.close(closed));
    expect(await failure(storage.write(object, "x"))).toMatchObject({
      code: "StorageAccessError",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("a connection that breaks while an object is read: ends the stream with StorageAccessError", async () => {
    const storage = await storageAt((_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => response.destroy());
    });
    const error = await failure(storage.read(object).then(text));
    expect(error).toMatchObject({
      code: "StorageAccessError",
      message: expect.stringContaining("dag://bucket/object"),
    });
  });

  it("names an object that was not deleted", async () => {
    const storage = await storageAt((request, response) => {
      const listing = `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>t/a</Key><Size>1</Size></Contents></ListBucketResult>`;
      const refused = `<DeleteResult><Error><Key>t/a</Key><Code>AccessDenied</Code><Message>locked</Message></Error></DeleteResult>`;
      response.writeHead(200, { "content-type": "application/xml" }).end(request.method === "POST" ? refused : listing);
    });
    expect(await failure(storage.deleteFolder({ bucket: "bucket", key: "t/" }))).toMatchObject({
      code: "StorageAccessError",
      message: "dag://bucket/t/a cannot be accessed: locked",
    });
  });

  it("list: skips folder markers", async () => {
    const storage = await storageAt((_, response) => {
      const entry = (key: string) => `<Contents><Key>${key}</Key><Size>0</Size></Contents>`;
      const listing = `<ListBucketResult><IsTruncated>false</IsTruncated>${entry("t/")}${entry("t/a")}${entry("t/b/")}</ListBucketResult>`;
      response.writeHead(200, { "content-type": "application/xml" }).end(listing);
    });
    const keys: string[] = [];
    for await (const { location } of storage.list({ bucket: "bucket", key: "t/" })) keys.push(location.key);
    expect(keys).toEqual(["t/a"]);
  });
});

describe("the S3 SDK", () => {
  it("is not loaded by the package or by an unused storage", async () => {
    const script = `
      const { FileStorage, openStorage } = require("./dist/storage");
      new FileStorage("."); openStorage("s3:http://127.0.0.1:9");
      console.log(Object.keys(require.cache).filter((path) => /@aws-sdk|@smithy/.test(path)).length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], {
      cwd: resolve(__dirname, "../../.."),
    });
    expect(stdout.trim()).toBe("0");
  });
});

import { once } from "node:events";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { authorization } from "../../../contract";
import { slow, useService } from "../service/fixture";

const fixture = useService();
beforeEach(() => fixture.service.reset());

/** Begins an upload. @param length of the body; undefined to send it without one */
function begin(target: string, length?: number) {
  const date = new Date().toUTCString();
  const contentType = "application/octet-stream";
  const signed = authorization({ method: "PUT", target, contentType, date }, fixture.service.credentials);
  const headers = {
    Date: date,
    Authorization: signed,
    "Content-Type": contentType,
    ...(length === undefined ? {} : { "Content-Length": length }),
  };
  return request(fixture.service.url + target, { method: "PUT", headers });
}

async function put(target: string, body: string, length?: number) {
  const sent = begin(target, length);
  const answered = once(sent, "response");
  sent.end(body);
  const [answer] = await answered;
  const text = Buffer.concat(await answer.toArray()).toString();
  return { status: answer.statusCode as number, json: JSON.parse(text) };
}

describe("objects: PUT", () => {
  test("stores the body as it is, with and without an announced length", async () => {
    const { status, json } = await put("/objects/raw/new/a%20b.csv", "1,a\n", 4);
    expect([status, json]).toEqual([200, { location: "dag://raw/new/a b.csv", size: 4 }]);
    expect(fixture.get("raw/new/a b.csv")).toBe("1,a\n");
    expect((await put("/objects/raw/new/c.csv", "2,b\n")).json.size).toBe(4);
    expect((await put("/objects/raw/new/empty", "", 0)).json.size).toBe(0);
    expect(fixture.get("raw/new/empty")).toBe("");
  });

  test("replaces an object only when asked to", async () => {
    const { status, json } = await put("/objects/raw/in.csv", "9,z\n");
    expect([status, json.code]).toEqual([400, "InvalidParameter"]);
    expect(json.message).toContain("overwrite=true");
    expect(fixture.get("raw/in.csv")).toBe("1,a\n2,b\n");
    expect((await put("/objects/raw/in.csv?overwrite=true", "9,z\n")).status).toBe(200);
    expect(fixture.get("raw/in.csv")).toBe("9,z\n");
  });

  test.each([
    ["/objects/nowhere/x", 404, "InputBucketIsNotFound"],
    ["/objects/raw/", 400, "InvalidParameter"],
    ["/objects/raw/folder/", 400, "InvalidParameter"],
    ["/objects/raw/tmp/x", 400, "InvalidParameter"],
    ["/objects/raw/.uploads/x", 400, "InvalidParameter"],
    ["/objects/raw/..%2F..%2Fx", 400, "InvalidParameter"],
    ["/objects/raw/x?overwrite=yes", 400, "InvalidParameter"],
    ["/objects/raw/x?nothing=1", 400, "InvalidParameter"],
  ])("refuses %s", async (target, status, code) => {
    const answer = await put(target, "x");
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  test("refuses a body that is announced as too large", async () => {
    const sent = begin("/objects/raw/large", 1024 ** 3 + 1);
    const answered = once(sent, "response");
    sent.on("error", () => undefined).flushHeaders();
    const [answer] = await answered;
    expect(answer.statusCode).toBe(413);
    sent.destroy();
  });

  test("refuses an object in a folder to which a query writes", async () => {
    await fixture.select({ query: slow, outputResourcePath: "dag://out/busy" });
    const { status, json } = await put("/objects/out/busy/mine.csv", "x");
    expect([status, json.code]).toEqual([400, "InvalidOutputResourcePath"]);
    expect(json.message).toMatch(/query \d+ writes to dag:\/\/out\/busy\//);
    expect((await put("/objects/out/other.csv", "x")).status).toBe(200);
  });

  test("a body that ends early leaves no object, and the name is free again", async () => {
    const sent = begin("/objects/raw/cut.csv", 100);
    sent.on("error", () => undefined);
    sent.write("1,a\n");
    const folder = join(fixture.service.bucketsDirectory, ".uploads");
    await expect.poll(() => readdirSync(folder, { recursive: true }).length).toBeGreaterThan(0);
    sent.destroy();
    await expect.poll(async () => (await put("/objects/raw/cut.csv", "2,b\n")).status).toBe(200);
    expect(fixture.get("raw/cut.csv")).toBe("2,b\n");
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { send } from "../service/caller";
import { useService } from "../service/fixture";
import { settings } from "./settings";

const fixture = useService(settings);
beforeEach(() => fixture.service.reset());

describe("console", () => {
  const page = (path: string, headers: Record<string, string> = {}) => send(fixture.service.url, "GET", path, headers);

  test("the root leads to the page, and the page has a strict policy", async () => {
    const root = await page("/?endpoint=https%3A%2F%2Fdag.example.com", { Accept: "text/html,*/*" });
    expect([root.status, root.headers["location"]]).toEqual([302, "/console/?endpoint=https%3A%2F%2Fdag.example.com"]);
    const { status, headers, text } = await page("/console/queries/7");
    expect(status).toBe(200);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
  });

  test.each([
    ["https://dag.example.com/base", "connect-src 'self' https://dag.example.com;"],
    ["javascript:alert(1)", "connect-src 'self';"],
    ["https://a.example; script-src *", "connect-src 'self';"],
    ["x", "connect-src 'self';"],
    ["http://*", "connect-src 'self';"],
    ["https://*.example.com", "connect-src 'self';"],
    ["https://a.example;sandbox", "connect-src 'self';"],
    ["https://a.example,b", "connect-src 'self';"],
    ["http://'unsafe-inline'", "connect-src 'self';"],
    ["https://[::1]:8443/x;y", "connect-src 'self' https://[::1]:8443;"],
    ["http://dag_service:9393", "connect-src 'self' http://dag_service:9393;"],
    ["https://b\u00fccher.example", "connect-src 'self' https://xn--bcher-kva.example;"],
  ])("the endpoint %s gives the policy %s", async (endpoint, expected) => {
    const { headers } = await page(`/console/?endpoint=${encodeURIComponent(endpoint)}`);
    expect(headers["content-security-policy"]).toContain(expected);
    expect(headers["content-security-policy"]).not.toMatch(/script-src \*|sandbox|unsafe|http:\/\/\*/);
  });

  test("files are compressed and kept by browsers, other paths are none", async () => {
    const { text } = await page("/console/");
    const script = /src="([^"]+)"/.exec(text)![1]!;
    const { headers } = await page(script, { "Accept-Encoding": "gzip" });
    expect(headers).toMatchObject({
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
    });
    for (const refused of ["gzip;q=0", "br, gzip;q=0.0", "identity"]) {
      expect((await page(script, { "Accept-Encoding": refused })).headers).not.toHaveProperty("content-encoding");
    }
    for (const taken of ["gzip", "br;q=1.0, gzip;q=0.5, *;q=0"]) {
      expect((await page(script, { "Accept-Encoding": taken })).headers["content-encoding"]).toBe("gzip");
    }
    const again = await page(script, { "If-None-Match": String(headers["etag"]) });
    expect(again.status).toBe(304);
    for (const path of ["/console/none.js", "/console/..%2f..%2fpackage.json", "/console/../package.json"]) {
      expect([400, 404]).toContain((await page(path)).status);
    }
  });

  test("a sign-in link works once, only with the control header", async () => {
    const { path } = (await fixture.call("POST", "/console/links")).json;
    const token = path.split("=")[1];
    const redeem = (headers: Record<string, string>) =>
      send(
        fixture.service.url,
        "POST",
        "/console/sign-in",
        { ...headers, "Content-Length": String(token.length) },
        token,
      );
    expect((await redeem({})).json.code).toBe("AccessDenied");
    expect((await redeem({ "x-dag-control": "1" })).json).toEqual(fixture.service.credentials);
    expect((await redeem({ "x-dag-control": "1" })).json.code).toBe("AccessDenied");
  });

  test("other origins: those of this machine may call with a signature, others get no permission", async () => {
    const preflight = (origin: string, path = "/v1/?query") =>
      send(fixture.service.url, "OPTIONS", path, { Origin: origin, "Access-Control-Request-Method": "GET" });
    const allowed = await preflight("http://localhost:9393");
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      "access-control-allow-origin": "http://localhost:9393",
      "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, x-svc-date",
    });
    for (const [origin, path] of [
      ["https://evil.example", "/v1/?query"],
      ["http://localhost.evil.example", "/v1/?query"],
      ["null", "/v1/?query"],
      ["http://localhost:9393", "/_reset"],
      ["http://localhost:9393", "/console/sign-in"],
    ] as const) {
      expect((await preflight(origin, path)).headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  test("x-svc-date: a request without Date is taken, one with a wrong signature is not", async () => {
    const date = new Date().toUTCString();
    const { accessKeyId, secretAccessKey } = fixture.service.credentials;
    const signed = await import("node:crypto").then(({ createHmac }) =>
      createHmac("sha1", secretAccessKey).update(`GET\n\n\n\nx-svc-date:${date}\n/v1/?query`).digest("base64"),
    );
    const headers = { "x-svc-date": date, Authorization: `IIJGIO ${accessKeyId}:${signed}` };
    expect((await page("/v1/?query", headers)).status).toBe(200);
    expect((await page("/v1/?clusterManagement", headers)).json.code).toBe("SignatureDoesNotMatch");
  });
});

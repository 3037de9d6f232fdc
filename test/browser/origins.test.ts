/** What a page of another site can do to a service on the machine of its visitor. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { startService, type TestService } from "dag-service/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../contract/service/caller";
import { launchBrowser } from "./support/chromium.mts";
import { noBrowser, requireBrowser } from "./support/console";

requireBrowser();
let service: TestService;
let browser: Browser;
let site: Server;

beforeAll(async () => {
  if (noBrowser) return;
  service = await startService({ objects: { "dag://data/events/a.csv": "1,x\n" } });
  browser = await launchBrowser();
  site = createServer((_, response) =>
    response.setHeader("Content-Type", "text/html").end("<!doctype html><title>another site</title><p>hello</p>"),
  );
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});

/** A page of another origin: another port of this machine (same site), or another name (cross site). */
async function visit(host: "127.0.0.1" | "localhost"): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`http://${host}:${(site.address() as AddressInfo).port}/`);
  return page;
}

const targets = [
  ["GET", "/healthz"],
  ["GET", "/metrics"],
  ["GET", "/_faults"],
] as const;

const writes = [
  ["PUT", "/_faults", '[{"operation":"getQuery","probability":1,"code":"InternalError"}]'],
  ["PUT", "/_clock", '{"advanceMs":3600000}'],
  ["POST", "/_reset", ""],
] as const;

test.each(["127.0.0.1", "localhost"] as const)(
  "other origin: a page of %s reads nothing of /healthz, /metrics and /_faults",
  async (host) => {
    const page = await visit(host);
    for (const [method, path] of targets) {
      for (const mode of ["cors", "no-cors"] as const) {
        const answer = await attempt(page, { url: service.url + path, method, mode });
        expect(answer).not.toMatch(/norm|dag_|\[\]/);
      }
    }
    await page.close();
  },
);

test.each(["127.0.0.1", "localhost"] as const)(
  "other origin: a page of %s changes neither faults nor clock nor state",
  async (host) => {
    const submitted = await call(service, "POST", "/v1/?select", {
      body: { clusterName: "demo", query: "select 1", outputResourcePath: "dag://default/kept" },
    });
    const page = await visit(host);
    const before = Date.parse((await call(service, "GET", "/v1/?query")).headers["date"] as string);
    for (const [method, path, body] of writes) {
      const url = service.url + path;
      await attempt(page, { url, method, body, mode: "cors", headers: {} });
      await attempt(page, { url, method, body, mode: "cors", headers: { "x-dag-control": "1" } });
      await attempt(page, { url, method: "POST", body, mode: "no-cors", headers: {} });
      await submitForm(page, url, body);
    }
    const list = await call(service, "GET", "/v1/?query");
    expect(list.json.queries.map(({ id }: { id: number }) => id)).toContain(submitted.json.queryId);
    expect((await call(service, "GET", `/v1/${submitted.json.queryId}?query`)).status).toBe(200);
    expect(Date.parse(list.headers["date"] as string) - before).toBeLessThan(60_000);
    await page.close();
  },
);

test("other origin: a name that resolves to this machine reads nothing", async () => {
  const rebound = await launchBrowser(["--host-resolver-rules=MAP rebound.example 127.0.0.1"]);
  const page = await rebound.newPage();
  const { port } = new URL(service.url);
  // The page has the service's own origin by that name, as after DNS rebinding.
  for (const path of ["/healthz", "/metrics", "/_faults"]) {
    const answer = await page.goto(`http://rebound.example:${port}${path}`);
    expect(answer!.status()).toBe(403);
  }
  await rebound.close();
});

test("other origin: a page cannot use a sign-in link, nor show the console in a frame", async () => {
  const page = await visit("localhost");
  const token = await attempt(page, {
    url: `${service.url}/console/sign-in`,
    method: "POST",
    body: "guess",
    mode: "cors",
    headers: { "x-dag-control": "1" },
  });
  expect(token).toBe("refused");
  await page.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
    return new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  }, `${service.url}/console/`);
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  expect(await framed!.locator("#app").count()).toBe(0);
  await page.close();
});

test("own console: pages of this machine may call the API with a signature, and gain nothing without one", async () => {
  const page = await visit("localhost");
  const answer = await attempt(page, {
    url: `${service.url}/v1/?query`,
    method: "GET",
    mode: "cors",
    headers: {},
  });
  expect(answer).toContain("AccessDenied");
  await page.close();
});

interface Attempt {
  readonly url: string;
  readonly method: string;
  readonly mode: "cors" | "no-cors";
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a request from the page; returns the text that the page can read, or `refused`. */
function attempt(page: Page, request: Attempt): Promise<string> {
  return page.evaluate(fetchText, request);
}

/** Runs in the page. */
async function fetchText({ url, method, mode, body, headers }: Attempt): Promise<string> {
  try {
    const init = { method, mode, ...(headers ? { headers } : {}), ...(body && method !== "GET" ? { body } : {}) };
    return await (await fetch(url, init)).text();
  } catch {
    return "refused";
  }
}

/** Sends a form into a frame, which needs no permission of the service; resolves when the answer has arrived. */
async function submitForm(page: Page, url: string, body: string): Promise<void> {
  await page.evaluate(
    ([action, value]) => {
      const frame = document.createElement("iframe");
      frame.name = "target";
      const form = document.createElement("form");
      Object.assign(form, { action, method: "post", enctype: "text/plain", target: "target" });
      const input = document.createElement("input");
      Object.assign(input, { name: value, value: "" });
      form.append(input);
      document.body.append(frame, form);
      const answered = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
      form.submit();
      return answered.then(() => frame.remove());
    },
    [url, body] as const,
  );
}

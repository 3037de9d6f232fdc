import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startService } from "dag-service/testing";
import { expect, onTestFinished, test } from "vitest";
import { call, ended } from "../contract/service/caller";
import { useConsole } from "./support/console";

const fixture = useConsole();

test("connection: a service that goes away is told, and the page recovers when it is back, or asks for its new keys", async () => {
  const data = temporaryFolder();
  const first = await startProcess(data, "127.0.0.1:0");
  const { page } = await fixture.open({ service: first, credentials: pair });
  await page.getByText("No queries yet").waitFor();
  await first.stop();
  await page.getByText("does not answer").waitFor();
  const second = await startProcess(data, new URL(first.url).host);
  await page.getByText("The service answers again.").waitFor();
  expect(await page.getByText("does not answer").count()).toBe(0);
  await call(second, "POST", "/v1/?select", {
    body: { clusterName: "demo", query: "select 1", outputResourcePath: "dag://default/x", label: "after" },
  });
  await page.getByRole("row", { name: /after/ }).waitFor();
  // Back with other keys: the page asks for them and says why.
  await second.stop();
  await startProcess(data, new URL(first.url).host, { ...pair, accessKeyId: "ANOTHER" });
  await page.getByRole("alert").getByText("InvalidAccessKeyId").waitFor();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
});

test("connection: the message goes away by itself on a page that reads nothing again, too", async () => {
  const { page } = await fixture.open({ path: "/console/api" });
  await page.getByText("listClusters", { exact: true }).first().click();
  const body = page.locator("details[open]");
  await body.getByRole("button", { name: "Send" }).waitFor();
  await page.context().setOffline(true);
  await body.getByRole("button", { name: "Send" }).click();
  await page.getByText("No answer since").waitFor();
  await page.context().setOffline(false);
  await page.getByText("The service answers again.").waitFor();
  expect(await page.getByText("No answer since").count()).toBe(0);
  // One that is opened meanwhile shows its description later.
  await page.getByRole("link", { name: "Queries", exact: true }).click();
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "API" }).click();
  await page.getByText("No answer since").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByText("listClusters", { exact: true }).first().waitFor();
});

test("page: one that is first opened while the service is away says so, and opens when it is back", async () => {
  const data = temporaryFolder();
  const first = await startProcess(data, "127.0.0.1:0");
  const { page } = await fixture.open({ service: first, credentials: pair });
  await page.getByText("No queries yet").waitFor();
  await first.stop();
  await page.getByRole("link", { name: "Tables" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText(`The service at ${first.url} does not answer. This page opens as soon as it does.`).waitFor();
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "Queries", exact: true }).click();
  await page.getByRole("link", { name: "Clusters" }).click();
  await alert.getByText("This page opens as soon as it does").waitFor();
  await startProcess(data, new URL(first.url).host);
  await page.getByRole("heading", { name: "demo" }).waitFor();
  await page.getByRole("link", { name: "Tables" }).click();
  await page.getByRole("heading", { name: "Tables" }).waitFor();
});

test("page: when its files are missing, the console is loaded again once, then says so until they are there", async () => {
  const { page } = await fixture.open();
  await page.getByText("No queries yet").waitFor();
  const loads: string[] = [];
  page.on("load", () => loads.push(page.url()));
  await page.route("**/assets/tables-*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "Tables" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText("does not have the files of this page").waitFor();
  expect(loads).toHaveLength(1);
  await page.unroute("**/assets/tables-*.js");
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Tables" }).waitFor();
});

test("editor: one whose file does not arrive is told as a page is, and opens when the service is back", async () => {
  const { page } = await fixture.open();
  await page.getByText("No queries yet").waitFor();
  // The page's own file arrives, and after it the service goes away.
  await page.route(/\/assets\/editor-|\/console\/config\.json/, (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "New query" }).first().click();
  const alert = page.getByRole("alert");
  await alert.getByText("does not answer. This page opens as soon as it does.").waitFor();
  await page.getByLabel("Result folder").waitFor();
  await page.unrouteAll();
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select 1");
  await page.getByText("No problems found.").waitFor();
  // The formatter has a file of its own, too.
  await page.route("**/assets/format-statement-*", (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Format", exact: true }).click();
  await page.getByText("The formatter could not be loaded from").waitFor();
});

test("editor: a statement that was written while the service was away is checked when it is back", async () => {
  const data = temporaryFolder();
  const first = await startProcess(data, "127.0.0.1:0");
  const { page } = await fixture.open({ service: first, credentials: pair, path: "/console/submit" });
  const editor = page.getByRole("textbox", { name: "HiveQL statement" });
  await editor.waitFor();
  await first.stop();
  await editor.fill("select 1");
  await page.getByText("does not answer").waitFor();
  await startProcess(data, new URL(first.url).host);
  await page.getByText("No problems found.").waitFor();
});

test("submission: a query whose answer is lost is sent again by the page, and runs once", async () => {
  await using service = await startService();
  const { page } = await fixture.open({ service, credentials: service.credentials, path: "/console/submit" });
  const keys: (string | undefined)[] = [];
  await page.route(
    (url) => url.search === "?select",
    async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      await route.fetch();
      await (keys.length === 1 ? route.abort("connectionreset") : route.continue());
    },
  );
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select 1");
  await page.getByRole("button", { name: "Run query" }).click();
  await page.locator(".run-head").getByText("Finished").waitFor();
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
  expect((await call(service, "GET", "/v1/?query")).json.queries).toHaveLength(1);
});

test("submission: one whose answers were all lost is told to run perhaps, and runs once when it is sent again after a reload", async () => {
  await using service = await startService();
  const { page } = await fixture.open({ service, credentials: service.credentials, path: "/console/submit" });
  const keys: (string | undefined)[] = [];
  await page.route(
    (url) => url.search === "?select",
    async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      // Says nothing of the first request.
      const refusal = { code: "TooManyQueries", message: "busy", status: 429, requestId: "r", resource: "/v1/" };
      if (keys.length === 4) return route.fulfill({ status: 429, json: refusal });
      if (keys.length > 4) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    },
  );
  const run = page.getByRole("button", { name: "Run query" });
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select 1");
  await run.click();
  const alert = page.getByRole("alert");
  await alert.getByText("The query may be running").waitFor();
  expect(await alert.textContent()).not.toContain("did not work");
  expect(keys).toHaveLength(3);
  expect(await page.getByText("The service answers again.").count()).toBeLessThan(2);
  await page.reload();
  await alert.getByText("The query may be running").waitFor();
  // Closing the draft would lose the key of the request.
  await page.getByRole("button", { name: "Close select 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it open" }).click();
  await run.click();
  await alert.getByText("busy").waitFor();
  await alert.getByText("The query may be running").waitFor();
  await run.click();
  await page.locator(".run-head").getByText("Finished").waitFor();
  expect(await alert.count()).toBe(0);
  expect(new Set(keys).size).toBe(1);
  expect((await call(service, "GET", "/v1/?query")).json.queries).toHaveLength(1);
});

test("clock: one that is 20 minutes off signs with the service's time, and says so", async () => {
  const { page, problems } = await fixture.open({
    before: async (context) => {
      await context.addInitScript(() => {
        const real = Date.now;
        Date.now = () => real() - 20 * 60_000;
      });
    },
  });
  await page.getByText("No queries yet").waitFor();
  await page.getByText("differs from the service's by 20 minutes").waitFor();
  await page.getByRole("link", { name: "Clusters" }).click();
  await page.getByRole("heading", { name: "c1" }).waitFor();
  // Only the one request that told the time was refused.
  expect(problems.filter((problem) => !problem.includes("403"))).toEqual([]);
  expect(problems.length).toBeLessThan(4);
});

test("endpoint: the page of one service works with another one, and keeps their keys apart", async () => {
  await using other = await startService({ clusters: [{ name: "remote-cluster" }] });
  const path = `/console/clusters?endpoint=${encodeURIComponent(other.url)}`;
  const signedOut = await fixture.open({ path, signedIn: false });
  await signedOut.page.getByText("another service").waitFor();
  await signedOut.page.getByText(`Sign in to ${other.url}`).waitFor();
  const opened = await fixture.open({ credentials: other.credentials, path });
  const { page } = opened;
  await page.getByRole("heading", { name: "remote-cluster" }).waitFor();
  await page.getByRole("link", { name: "Tables" }).click();
  expect(page.url()).toContain(`endpoint=${encodeURIComponent(other.url)}`);
  await page.getByRole("link", { name: "New query" }).click();
  await page.getByRole("textbox", { name: "HiveQL statement" }).fill("select 1");
  await page.getByRole("button", { name: "Run query" }).click();
  await page.locator(".run-head").getByText("Finished").waitFor();
  expect(opened.problems).toEqual([]);
  expect((await ended(other, 1)).status).toBe("finished");
});

test("endpoint: a value that is no URL is named, and no service is shown in its place", async () => {
  const { page } = await fixture.open({ path: "/console/queries?endpoint=dag.example.com" });
  await page.getByText("endpoint=dag.example.com, which is not an http or https URL").waitFor();
  expect(await page.getByText("No queries yet").count()).toBe(0);
});

test("filters: a value of the address that is not known is named", async () => {
  const { page } = await fixture.open({ path: "/console/queries?status=bogus&sort=foo&type=select" });
  const alert = page.getByRole("alert");
  await alert.getByText("status=bogus, which is not known").waitFor();
  expect(await alert.textContent()).toContain("sort=foo");
  expect(await alert.textContent()).not.toContain("type=");
  expect(await alert.textContent()).toContain("or stale=true.");
});

test("endpoint: without it in the address the policy forbids other services", async () => {
  await using other = await startService();
  const { page, problems } = await fixture.open();
  await page.getByText("No queries yet").waitFor();
  const outcome = await page.evaluate(
    (url) =>
      fetch(`${url}/console/config.json`).then(
        () => "answered",
        () => "refused",
      ),
    other.url,
  );
  expect(outcome).toBe("refused");
  expect(problems.join("\n")).toContain("connect-src");
});

const pair = { accessKeyId: "AK", secretAccessKey: "SK" };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dag-console-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function startProcess(data: string, listen: string, credentials = pair) {
  const main = join(__dirname, "../../service/dist/service/main.js");
  const args = [main, "--data", data, "--listen", listen, "--credentials", JSON.stringify([credentials])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exit;
  };
  onTestFinished(stop);
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { url: string };
    return { url, credentials, stop };
  }
  throw new Error("the service did not start");
}

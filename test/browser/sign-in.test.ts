import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { call } from "../contract/service/caller";
import { quick } from "../contract/service/fixture";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();

test("sign in: wrong keys are told on the page, and right ones open the queries", async () => {
  const { page } = await fixture.open({ signedIn: false });
  const { accessKeyId, secretAccessKey } = fixture.service.credentials;
  await page.getByLabel("Access key ID").fill(accessKeyId);
  await page.getByLabel("Secret access key").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("SignatureDoesNotMatch").waitFor();
  await page.getByLabel("Access key ID").fill("nobody");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("InvalidAccessKeyId").waitFor();
  await page.getByLabel("Access key ID").fill(accessKeyId);
  await page.getByLabel("Secret access key").fill(secretAccessKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
});

test("sign in: the secret stays in memory, is never sent, and is forgotten with the page", async () => {
  const opened = await fixture.open({ signedIn: false });
  const { page, requests } = opened;
  const { accessKeyId, secretAccessKey } = fixture.service.credentials;
  await page.getByLabel("Access key ID").fill(accessKeyId);
  await page.getByLabel("Secret access key").fill(secretAccessKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Clusters" }).click();
  await page.getByRole("heading", { name: "c1" }).waitFor();
  const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(await stored()).not.toContain(secretAccessKey);
  expect(requests.filter(({ text }) => text.includes(secretAccessKey))).toEqual([]);
  expectNoProblems(opened);
  await page.reload();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
});

test("sign in: a ticked key pair is kept for the tab until the user signs out", async () => {
  const { page } = await fixture.open({ signedIn: false });
  const { accessKeyId, secretAccessKey } = fixture.service.credentials;
  await page.getByLabel("Access key ID").fill(accessKeyId);
  await page.getByLabel("Secret access key").fill(secretAccessKey);
  await page.getByLabel("Keep the key pair until this tab is closed").check();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("sign in: the address of a query leads to the query, before and after it", async () => {
  const { json } = await call(fixture.service, "POST", "/v1/?select", {
    body: { clusterName: "c1", query: quick, outputResourcePath: "dag://out/linked" },
  });
  const path = `/console/queries/${json.queryId}`;
  const { page } = await fixture.open({ path, signedIn: false });
  const { accessKeyId, secretAccessKey } = fixture.service.credentials;
  await page.getByLabel("Access key ID").fill(accessKeyId);
  await page.getByLabel("Secret access key").fill(secretAccessKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `Query ${json.queryId}`, level: 1 }).waitFor();
  await page.locator(".page-head").getByText("Finished").waitFor();
  expect(page.url()).toBe(fixture.service.url + path);
});

test("sign in: the link of a service's start works once and leaves no token in the address", async () => {
  const link = await startAndReadLink();
  const service = { url: new URL(link).origin };
  const path = link.slice(service.url.length);
  const first = await fixture.open({ service, path, signedIn: false });
  await first.page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
  expect(first.page.url()).toBe(`${service.url}/console/queries`);
  expectNoProblems(first);
  expect(await first.page.evaluate(() => sessionStorage.length)).toBe(0);
  await first.page.getByLabel("Keep in this tab").check();
  await first.page.reload();
  await first.page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
  await first.page.getByLabel("Keep in this tab").uncheck();
  await first.page.reload();
  await first.page.getByRole("button", { name: "Sign in" }).waitFor();
  const second = await fixture.open({ service, path, signedIn: false });
  await second.page.getByText("the sign-in link was used before").waitFor();
});

test("errors: a service with DAG_DOCS leads from each refusal to its page", async () => {
  const link = await startAndReadLink({ DAG_DOCS: "https://docs.example.com" });
  const service = { url: new URL(link).origin };
  const { page } = await fixture.open({ service, signedIn: false });
  await page.getByLabel("Access key ID").fill("nobody");
  await page.getByLabel("Secret access key").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  const cause = page.getByRole("alert").getByRole("link", { name: "Cause and remedy" });
  expect(await cause.getAttribute("href")).toBe("https://docs.example.com/errors.html#invalidaccesskeyid");
  const opened = await fixture.open({ service, path: link.slice(service.url.length), signedIn: false });
  await opened.page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
  await opened.page.evaluate(() => history.pushState({}, "", "/console/queries/404404"));
  await opened.page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
  const found = opened.page.getByRole("alert").getByRole("link", { name: "Cause and remedy" });
  expect(await found.getAttribute("href")).toBe("https://docs.example.com/errors.html#querynotfound");
});

/** Starts `dag-service` without configuration and returns the link that it prints. */
async function startAndReadLink(environment: Record<string, string> = {}): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), "dag-console-"));
  const main = join(__dirname, "../../service/dist/service/main.js");
  const child = spawn(process.execPath, [main, "--data", data, "--listen", "127.0.0.1:0"], {
    env: { ...process.env, ...environment },
  });
  onTestFinished(async () => {
    child.kill();
    await once(child, "exit");
    rmSync(data, { recursive: true, force: true });
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /(http:\S+#sign-in=\S+)/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error("the service printed no link");
}

/** What the console does after an answer was lost: nothing is done twice, and nothing that is asked anew is left undone. */
import { startService, type TestService } from "dag-service/testing";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { call, ended } from "../contract/service/caller";
import { useConsole } from "./support/console";

const fixture = useConsole();

/** Loses the first answers to requests of an operation; returns the keys of all of them. */
async function loseAnswers(page: Page, search: string, count: number): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  await page.route(
    (url) => url.search === search,
    async (route) => {
      if (route.request().method() === "GET") return route.continue();
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > count) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    },
  );
  return keys;
}

const queriesOf = async (service: TestService) => (await call(service, "GET", "/v1/?query")).json.queries;

test("restart: its dialog repeats the same request, and another dialog sends another one", async () => {
  await using service = await startService({ clusters: [{ name: "c1" }] });
  const { page } = await fixture.open({ service, credentials: service.credentials, path: "/console/clusters" });
  // A browser may send a request again by itself.
  const keys = await loseAnswers(page, "?clusterManagement", 3);
  const open = async () => {
    await page.getByRole("button", { name: "Restart" }).first().click();
    return page.getByRole("dialog", { name: "Restart cluster c1?" });
  };
  const first = await open();
  await first.getByRole("button", { name: "Restart" }).click();
  await first.getByText("It may have been done all the same.").waitFor();
  await first.getByRole("button", { name: "Restart" }).click();
  await page.getByText("Cluster c1 restarts.").waitFor();
  expect(new Set(keys).size).toBe(1);
  await expect.poll(async () => (await call(service, "GET", "/v1/c1?clusterManagement")).json.status).toBe("norm");
  const second = await open();
  await second.getByRole("button", { name: "Restart" }).click();
  await expect.poll(() => new Set(keys).size).toBe(2);
});

test("API page: a call whose answer was lost is sent again with the same key", async () => {
  await using service = await startService();
  const { page } = await fixture.open({ service, credentials: service.credentials, path: "/console/api" });
  const keys = await loseAnswers(page, "?select", 1);
  await page.getByText("submitSelect", { exact: true }).click();
  const body = { clusterName: "demo", query: "select 1", outputResourcePath: "dag://default/once/" };
  await page.getByLabel("Body").fill(JSON.stringify(body));
  const send = page.getByRole("button", { name: "Send submitSelect" });
  await send.click();
  await page.getByText("It may have been done all the same.").waitFor();
  await send.click();
  await page.getByText("202 Accepted").waitFor();
  expect(new Set(keys).size).toBe(1);
  expect(await queriesOf(service)).toHaveLength(1);
});

test("draft: changed after its answer was lost, or of another key pair, it is not said to be sent again", async () => {
  const credentials = ["ONE", "TWO"].map((accessKeyId) => ({
    accessKeyId,
    secretAccessKey: `secret of ${accessKeyId}`,
  }));
  await using service = await startService({ credentials });
  const { page } = await fixture.open({ service, credentials: credentials[0]!, path: "/console/submit" });
  await loseAnswers(page, "?select", 3);
  const statement = page.getByRole("textbox", { name: "HiveQL statement" });
  await statement.fill("select 1");
  await page.getByRole("button", { name: "Run query" }).click();
  await page.getByText("the same request is sent").waitFor();
  await statement.fill("select 2");
  await page.getByText('Look for it in "Queries"').waitFor();
  await statement.fill("select 1");
  await page.getByText("the same request is sent").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Access key ID").fill("TWO");
  await page.getByLabel("Secret access key").fill("secret of TWO");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText('Look for it in "Queries"').waitFor();
  expect(await page.getByText("the same request is sent").count()).toBe(0);
  await statement.fill("select 2");
  await page.getByRole("button", { name: "Run query" }).click();
  await page.locator(".run-head").getByText("Finished").waitFor();
  const ids: number[] = (await queriesOf(service)).map(({ id }: { readonly id: number }) => id);
  const records = await Promise.all(ids.map((id) => call(service, "GET", `/v1/${id}?query`)));
  expect(new Set(records.map(({ json }) => json.outputResourcePath)).size).toBe(2);
});

test("result: an object of one that was replaced meanwhile is not downloaded as its own", async () => {
  await using service = await startService();
  const { page } = await fixture.open({ service, credentials: service.credentials });
  const run = async (query: string) => {
    const body = { clusterName: "demo", query, outputResourcePath: "dag://default/same/" };
    const { json } = await call(service, "POST", "/v1/?select", { body });
    expect((await ended(service, json.queryId)).status).toBe("finished");
    return json.queryId as number;
  };
  const first = await run("select 'old'");
  await page.goto(`${service.url}/console/queries/${first}`);
  const button = page.getByRole("button", { name: "Download 000000_0" });
  await button.waitFor();
  const second = await run("select 'new'");
  const downloads: string[] = [];
  page.on("download", (download) => downloads.push(download.suggestedFilename()));
  await button.click();
  await page.getByText(`query ${second} has written its result to dag://default/same/ since`).first().waitFor();
  expect(downloads).toEqual([]);
});

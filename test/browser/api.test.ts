import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { axeViolations } from "./support/axe";
import { expectNoProblems, useConsole } from "./support/console";

const run = promisify(execFile);
const fixture = useConsole();
beforeEach(() => fixture.service?.reset());

test("api: an operation can be called from its description", async () => {
  const opened = await fixture.open({ path: "/console/api" });
  const { page } = opened;
  await page.getByText("listClusters").click();
  await page.getByRole("button", { name: "Send listClusters" }).click();
  await page.getByText("200 OK").waitFor();
  await page.getByRole("region", { name: "Answer" }).getByText('"name": "c1"').waitFor();
  expectNoProblems(opened);
});

test("api: a call is shown with curl and in TypeScript, and both do what they say", async () => {
  const opened = await fixture.open({ path: "/console/api" });
  const { page } = opened;
  const { credentials } = fixture.service;
  const env = {
    ...process.env,
    DAG_ACCESS_KEY_ID: credentials.accessKeyId,
    DAG_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const snippets = async (operation: string) => {
    const details = page.locator(".operation", { has: page.getByText(operation, { exact: true }) });
    await details.getByText("curl", { exact: true }).click();
    await details.getByText("TypeScript", { exact: true }).click();
    const text = (name: string) => details.getByRole("region", { name }).textContent();
    return { curl: (await text("curl"))!, typescript: (await text("TypeScript"))! };
  };
  await page.getByText("listClusters", { exact: true }).click();
  await page.getByRole("textbox", { name: /^max/ }).fill("1");
  const list = await snippets("listClusters");
  const { stdout: listed } = await run("bash", ["-c", list.curl], { env });
  expect(JSON.parse(listed).clusters).toHaveLength(1);
  const program = ["--input-type=module-typescript", "-e", list.typescript];
  const { stdout: printed } = await run(process.execPath, program, { env, cwd: join(__dirname, "../..") });
  expect(printed).toContain("clusters: [");
  await page.getByText("listClusters", { exact: true }).click();
  await page.getByText("submitSelect", { exact: true }).click();
  const body = { clusterName: "c1", query: "select 'it''s' w", outputResourcePath: "dag://out/snippet/" };
  await page.getByLabel("Body").fill(JSON.stringify(body));
  const { stdout: accepted } = await run("bash", ["-c", (await snippets("submitSelect")).curl], { env });
  expect(JSON.parse(accepted)).toEqual({ queryId: expect.any(Number) });
  expectNoProblems(opened);
  expect(await axeViolations(page)).toEqual([]);
});

/** Addresses that nobody would type: each shows a page, and none widens what the page may call. */
import { expect, test } from "vitest";
import { expectNoProblems, useConsole } from "./support/console";

const fixture = useConsole();

test.each(["/console/%E0%A4%A", "/console/%", "/console/queries/%FF", "/console/nothing"])(
  "address: %s says that there is no such page, and leads on",
  async (path) => {
    const opened = await fixture.open({ path });
    await opened.page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await opened.page.getByRole("main").getByRole("link").click();
    await opened.page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
    expectNoProblems(opened);
  },
);

test("address: a table whose name is no valid percent-encoding is reported as one that does not exist", async () => {
  const { page } = await fixture.open({ path: "/console/tables/sales/%E0%A4%A" });
  await page.getByRole("heading", { name: "Tables", level: 1 }).waitFor();
});

test.each(["http://*", "https://a.example;sandbox", "javascript:alert(1)", "nowhere"])(
  "address: the endpoint %s is refused, and the link leads to the page's own service",
  async (endpoint) => {
    const opened = await fixture.open({ path: `/console/?endpoint=${encodeURIComponent(endpoint)}`, signedIn: false });
    const { page } = opened;
    expect(await page.getByRole("alert").textContent()).toContain(endpoint);
    await page.getByRole("link").click();
    const { accessKeyId, secretAccessKey } = fixture.service.credentials;
    await page.getByLabel("Access key ID").fill(accessKeyId);
    await page.getByLabel("Secret access key").fill(secretAccessKey);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Queries", level: 1 }).waitFor();
    expect(opened.requests.every(({ url }) => url.startsWith(fixture.service.url))).toBe(true);
    expectNoProblems(opened);
  },
);

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { call } from "../contract/service/caller";
import { slow } from "../contract/service/fixture";
import { axeViolations } from "./support/axe";
import { noBrowser, useConsole } from "./support/console";

const fixture = useConsole();
let running = 0;

beforeAll(async () => {
  if (noBrowser) return;
  const body = { clusterName: "c1", query: slow, outputResourcePath: "dag://out/slow", label: "slow" };
  running = (await call(fixture.service, "POST", "/v1/?select", { body })).json.queryId;
});

/** A dialog: the page that has it, the button that opens it, and what makes it show all that it can. */
interface Asked {
  readonly title: string;
  readonly path: () => string;
  readonly button: string;
  readonly fill: (page: Page) => Promise<void>;
}

const dialogs: readonly Asked[] = [
  {
    title: "Cancel query",
    path: () => `/console/queries/${running}`,
    button: "Cancel query",
    fill: async () => undefined,
  },
  {
    title: "Restart cluster c1?",
    path: () => "/console/clusters",
    button: "Restart",
    fill: async (page) => {
      const dialog = page.getByRole("dialog");
      await dialog.getByText("1 query is running on it.").waitFor();
      await dialog.getByRole("button", { name: "Restart" }).click();
      await dialog.getByText("QueryIsRunning").waitFor();
      await dialog.getByLabel("Cancel running queries first").check();
      await dialog.getByText("This ends 1 running query.").waitFor();
    },
  },
  {
    title: "Export the logs of c1",
    path: () => "/console/clusters",
    button: "Export logs",
    fill: async (page) => {
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Folder").fill("dag://nowhere/logs/");
      await dialog.getByRole("button", { name: "Export logs" }).click();
      await dialog.getByRole("alert").waitFor();
    },
  },
];

describe.each(dialogs)("dialog $title", ({ title, path, button, fill }) => {
  test("keeps the focus inside, and Escape returns it to the button", async () => {
    const { page } = await fixture.open({ path: path() });
    await page
      .getByRole("link", { name: /Show 1 running|All queries/ })
      .first()
      .waitFor();
    await page.getByRole("button", { name: button }).first().focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.waitFor();
    for (const key of [...Array<string>(10).fill("Tab"), ...Array<string>(10).fill("Shift+Tab")]) {
      expect(await focusPlace(page)).not.toBe("the page below");
      await page.keyboard.press(key);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe(button);
  });

  test("has no violation that axe finds, light and dark, wide and narrow", async () => {
    const { page } = await fixture.open({ path: path() });
    await page
      .getByRole("link", { name: /Show 1 running|All queries/ })
      .first()
      .waitFor();
    await page.getByRole("button", { name: button }).first().click();
    await page.getByRole("dialog", { name: title }).waitFor();
    await fill(page);
    expect(await axeViolations(page)).toEqual([]);
  });
});

test("messages: those of an action and of a lost connection have no violation that axe finds", async () => {
  const { page } = await fixture.open({ path: `/console/queries/${running}` });
  await page.getByRole("button", { name: "Cancel query" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel query" }).click();
  await page.getByText(`Query ${running} was cancelled.`).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "All queries" }).click();
  await page.context().setOffline(true);
  await page.getByText("does not answer").waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

/** Where the focus is; the browser's own bar between the last and the first control counts as outside the page. */
function focusPlace(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused?.closest("dialog")) return "the dialog";
    return focused === null || focused === document.body ? "outside the page" : "the page below";
  });
}

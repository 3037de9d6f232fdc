import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { operationNames } from "../../../../contract";
import { clientErrorTable } from "../../../../provider/client";
import * as client from "../../../../provider/client";
import { clientSettings } from "../../../../provider/client/options";
import { retryTiming } from "../../../../provider/client/retry";

const text = readFileSync(resolve(__dirname, "../../../../docs/client.md"), "utf8");
/** The cells of every table row, without their backticks. */
const rows = text
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1")),
  );

describe("docs/client.md", () => {
  it("has every error of the client with its class and meaning", () => {
    const documented = rows.filter(([, name = ""]) => name.endsWith("Error"));
    expect(documented.map(([code, , meaning]) => [code, meaning])).toEqual(Object.entries(clientErrorTable));
    expect(documented.map(([, name]) => name!).filter((name) => !(name in client))).toEqual([]);
  });

  it("says which function has the page of an error", () => {
    expect(text).toContain("`errorPage(error.code)` of `pulumi-dag/client`");
    const page = client.errorPage("QueryNotFound", "https://docs.example.com");
    expect(page).toBe("https://docs.example.com/errors.html#querynotfound");
  });

  it("has every option with its default", () => {
    const {
      timeouts,
      clock: _,
      ...settings
    } = clientSettings({ endpoint: "http://h", accessKeyId: "a", secretAccessKey: "s" });
    const defaults = Object.fromEntries(rows.map(([name, , value]) => [name, value]));
    const flat = {
      ...settings,
      ...Object.fromEntries(Object.entries(timeouts).map(([phase, value]) => [`timeouts.${phase}`, value])),
    };
    for (const [name, value] of Object.entries(flat)) {
      const needed = ["endpoint", "accessKeyId", "secretAccessKey"].includes(name);
      expect(`${name}: ${defaults[name]}`).toBe(`${name}: ${needed ? "required" : value}`);
    }
  });

  it("names every operation, and the retry timing as it is", () => {
    expect(operationNames.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    expect(retryTiming).toEqual({ base: 50, throttledBase: 1_000, longest: 20_000, longestRetryAfter: 60_000 });
  });
});

/** docs/troubleshooting.md: what it quotes are codes and messages that the product has. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { isErrorCode } from "../../../contract";
import { clientErrorTable } from "../../../provider/client";

const root = resolve(__dirname, "../../..");
const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");

/** The quotations that begin the first column of each table. Before a message of another product is its name. */
const quoted = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
);
const codes = quoted.filter((text) => /^[A-Z][A-Za-z]+$/.test(text));
const messages = quoted.filter((text) => text.includes(" ")).flatMap((text) => text.split(/ ?… ?/));

const sources = ["contract", "provider", "service", "hiveql"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/(?:^|\/)(?:dist|node_modules)\//.test(name.replaceAll("\\", "/")))
    .map((name) => readFileSync(join(root, folder, name), "utf8")),
);

test("every code is one of the service or of the client", () => {
  expect(codes.length).toBeGreaterThan(5);
  expect(codes.filter((code) => !isErrorCode(code) && !(code in clientErrorTable))).toEqual([]);
});

test("every message is in the sources", () => {
  expect(messages.length).toBeGreaterThan(8);
  expect(messages.filter((message) => !sources.some((text) => text.includes(message)))).toEqual([]);
});

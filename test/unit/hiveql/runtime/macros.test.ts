import { expect, test } from "vitest";
import type { Macro } from "../../../../hiveql/runtime/macros/define";
import { macros } from "../../../../hiveql/runtime/macros/index";

const all: Readonly<Record<string, Macro>> = macros;

/** Words with the parenthesis after them, and parentheses, outside of quoted text. */
const tokens = /'(?:[^']|'')*'|([A-Za-z_]\w*)(\(?)|[()]/g;

/** Counts how often a body holds each parameter once the macros that it calls are expanded. */
function countUses({ uses, body }: Macro): Record<string, number> {
  const counts = Object.fromEntries(Object.keys(uses).map((name) => [name, 0]));
  const copies = [1];
  for (const [token, word, parenthesis] of body.matchAll(tokens)) {
    const factor = copies.at(-1) ?? 1;
    if (word !== undefined && parenthesis === "") counts[word] = (counts[word] ?? 0) + factor;
    if (token === ")") copies.pop();
    else if (token === "(") copies.push(factor);
    else if (parenthesis === "(")
      copies.push(factor * Math.max(1, ...Object.values(all[word ?? ""]?.uses ?? { none: 1 })));
  }
  return Object.fromEntries(Object.keys(uses).map((name) => [name, counts[name] ?? 0]));
}

test("macros: each says how often it uses its arguments", () => {
  expect(Object.fromEntries(Object.entries(all).map(([name, macro]) => [name, macro.uses]))).toEqual(
    Object.fromEntries(Object.entries(all).map(([name, macro]) => [name, countUses(macro)])),
  );
});

test("macros: each comes after those that it calls", () => {
  const known = new Set<string>();
  for (const [name, { body }] of Object.entries(all)) {
    const called = [...body.matchAll(tokens)]
      .map(([, word = ""]) => word)
      .filter((word) => word in all && word !== name);
    expect(called.filter((word) => !known.has(word))).toEqual([]);
    known.add(name);
  }
});

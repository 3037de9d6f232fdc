/** What a query reads changes while it runs. */
import { expect, test } from "vitest";
import { whileUnchanged } from "../../../../../service/core/queries/unchanged-objects";

const folder = { bucket: "raw", key: "t/" };
const { signal } = new AbortController();

/** Runs a job that fails or not, with what its folder held before and holds after it: its objects; undefined if unknown. */
async function run(before: readonly string[], after: readonly string[] | undefined, failure?: Error): Promise<unknown> {
  const looks = [before, after];
  const look = async (seen: Map<string, string>) => {
    const found = looks.shift();
    for (const object of found ?? []) seen.set(object.split(" ")[0]!, object);
    const state = found ? { objects: found.length, bytes: 1, fingerprint: "f" } : unknownState;
    return [{ kind: "table" as const, folder, isDirect: true, ...state }];
  };
  const job = async () => {
    if (failure) throw failure;
    return "result";
  };
  return whileUnchanged(look, job, signal).then(({ result }) => result, String);
}

const unknownState = { objects: null, bytes: null, fingerprint: null };
const failure = new Error("the query failed");

test("whileUnchanged: objects that are added, or deleted after they were read, do not end the query", async () => {
  expect(await run(["a 1", "b 1"], ["a 1", "b 1", "c 1"])).toBe("result");
  expect(await run(["a 1", "b 1"], ["a 1"])).toBe("result");
});

test("whileUnchanged: an object that was replaced ends the query with its name", async () => {
  const replaced = expect.stringContaining("b was replaced while it was read: submit the query again");
  expect(await run(["a 1", "b 1"], ["a 1", "b 2"])).toEqual(replaced);
  expect(await run(["a 1", "b 1"], ["a 1", "b 2"], failure)).toEqual(replaced);
});

test("whileUnchanged: an object that is gone is named when the query failed, and only if it is known to be gone", async () => {
  const deleted = expect.stringContaining("b was deleted while it was read: submit the query again");
  expect(await run(["a 1", "b 1"], ["a 1"], failure)).toEqual(deleted);
  expect(await run(["a 1", "b 1"], undefined, failure)).toContain("the query failed");
  expect(await run(["a 1", "b 1"], ["a 1", "a2 1"], failure)).toContain("the query failed");
});

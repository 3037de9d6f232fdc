import { beforeEach, expect, test } from "vitest";
import { send } from "./caller";
import { quick, useService } from "./fixture";

const f = useService();
const control = { "x-dag-control": "1" };
const headers = { "Idempotency-Key": "7f9c0d1e-key" };
const select = (overrides: Record<string, unknown> = {}, given: Record<string, string> = headers) =>
  f.call("POST", "/v1/?select", {
    body: { clusterName: "c1", query: quick, outputResourcePath: "dag://out/once", ...overrides },
    headers: given,
  });
const ids = async () =>
  (await f.call("GET", "/v1/?query")).json.queries.map(({ id }: { readonly id: number }) => id) as number[];

beforeEach(async () => void (await send(f.service.url, "POST", "/_reset", control)));

/** Drops the connections of a submission after it was accepted, while `work` runs. */
async function withLostAnswers(work: () => Promise<void>): Promise<void> {
  const faults = (rules: unknown) => send(f.service.url, "PUT", "/_faults", control, JSON.stringify(rules));
  await faults([{ operation: "*", probability: 1, dropConnection: "after" }]);
  await work();
  await faults([]);
}

test("repeated requests: a select whose answer was lost is answered with its ID, and runs once", async () => {
  await withLostAnswers(async () => void (await expect(select()).rejects.toThrow(/socket hang up|ECONNRESET/)));
  const { status, json } = await select();
  expect(status).toBe(202);
  expect((await select()).json).toEqual(json);
  expect(await ids()).toEqual([json.queryId]);
});

test("repeated requests: so is a split, also when both requests come at the same time", async () => {
  const body = {
    clusterName: "c1",
    inputObjectKeys: ["dag://raw/in.csv"],
    outputDatabase: "data",
    outputTable: "once",
  };
  const split = () => f.call("POST", "/v1/?split", { body, headers });
  const answers = await Promise.all([split(), split(), split()]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(await ids()).toEqual([answers[0]!.json.queryId]);
  expect(new Set(answers.map(({ json }) => json.queryId)).size).toBe(1);
});

test("repeated requests: one that was refused is checked again", async () => {
  expect((await select({ query: "selec" })).json.code).toBe("InvalidDMLStatement");
  expect((await select()).status).toBe(202);
});

test("repeated requests: a key of another request is refused (InvalidParameter)", async () => {
  const { json } = await select();
  const other = await select({ label: "another" });
  expect([other.status, other.json.code]).toEqual([400, "InvalidParameter"]);
  expect(other.json.message).toContain('Idempotency-Key "7f9c0d1e-key" was sent with another request');
  expect(await ids()).toEqual([json.queryId]);
});

test("repeated requests: a key that is empty or too long is refused (InvalidParameter)", async () => {
  for (const key of ["", "x".repeat(129)]) {
    const { status, json } = await select({}, { "Idempotency-Key": key });
    expect([status, json.code]).toEqual([400, "InvalidParameter"]);
    expect(json.message).toContain("Idempotency-Key");
  }
  expect(await ids()).toEqual([]);
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../../../service/core/clock";
import { LineageSender } from "../../../../../service/core/openlineage/sender";
import type { Platform } from "../../../../../service/core/ports/platform";
import type { AcceptedQuery, State, StoredQuery } from "../../../../../service/core/ports/state";
import { httpReceiver } from "../../../../../service/openlineage/http-receiver";
import { openState } from "../../../../../service/state/sqlite";
import { startReceiver, type Receiver } from "./receiver";

const source = { namespace: "dag://test", producer: "https://example.com/dag" };
const progress = { progress: 100, stage: 1, jobId: null };
const parent = { namespace: "pulumi", name: "shop/dev", runId: "01890a5d-ac96-774b-bcce-b302099a8057" };
const events = { bucket: "shop", key: "events/" };
const columns = [{ name: "n", type: "bigint" }];

let directory: string;
let state: State;
let receiver: Receiver;
let senders: LineageSender[];
let lines: string[];
let outcomes: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "dag-lineage-"));
  state = openState(join(directory, "state.sqlite"));
  await state.admission.registerCluster("c1", { type: "duckdb", debug: false });
  receiver = await startReceiver();
  [senders, lines, outcomes] = [[], [], []];
});
afterEach(async () => {
  for (const sender of senders) await sender.stop();
  await state.close();
  await receiver[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** Starts a sender, as the start of a service does. */
function send({ limit, url = receiver.url }: { readonly limit?: number; readonly url?: string } = {}): LineageSender {
  const record = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const platform = {
    clock: systemClock,
    log: { info: record, warn: record, error: record },
    lineageEvents: (outcome: string, count: number) => void outcomes.push(`${outcome} ${count}`),
  } as unknown as Platform;
  const to = httpReceiver({ url, apiKey: "key-of-the-test" });
  const sender = new LineageSender({ source, receiver: to, state, platform, ...(limit !== undefined && { limit }) });
  senders.push(sender);
  sender.start();
  return sender;
}

let folders = 0;

async function accept(statement = "SELECT count(*) AS n FROM shop.events"): Promise<StoredQuery> {
  const submission: AcceptedQuery = {
    type: "select",
    clusterName: "c1",
    accessKeyId: "AK",
    label: null,
    startTime: 1_700_000_000_000,
    query: statement,
    outputFormat: "csv",
    outputResourcePath: `dag://out/daily${(folders += 1)}/`,
  };
  const lineageRun = { inputs: [events], parent };
  const accepted = await state.admission.accept(submission, { slots: 1000, generation: 0, lineageRun });
  if (accepted.refused) throw new Error(accepted.refused);
  return accepted.query;
}

async function finish(query: StoredQuery): Promise<void> {
  const read = { kind: "table", folder: events, isDirect: true, objects: 1, bytes: 4, fingerprint: "f" } as const;
  await state.attempts.markPublishing(query, { columns, checked: false, rows: 7, reads: [read] });
  await state.attempts.end(query, "finished", progress);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await systemClock.sleep(5);
}

test("a finished query: START and COMPLETE have its inputs, output, columns, rows, statement and parent", async () => {
  const query = await accept();
  const sender = send();
  await receiver.taken(1);
  await finish(query);
  sender.wake();
  await receiver.taken(2);
  const [start, complete] = receiver.events;
  expect(receiver.problems).toEqual([]);
  expect(start).toMatchObject({ eventType: "START", eventTime: "2023-11-14T22:13:20.000Z" });
  expect(start!.inputs).toEqual([{ namespace: "dag://test", name: "shop/events" }]);
  expect(complete).toMatchObject({
    eventType: "COMPLETE",
    run: { runId: start!.run.runId, facets: { parent: { job: { namespace: "pulumi", name: "shop/dev" } } } },
    job: { namespace: "dag://test", facets: { sql: { query: "SELECT count(*) AS n FROM shop.events" } } },
    inputs: [{ name: "shop/events" }],
    outputs: [{ facets: { schema: { fields: columns } }, outputFacets: { outputStatistics: { rowCount: 7 } } }],
  });
  expect(complete!.job.name).toBe(start!.job.name);
  expect(receiver.paths).toEqual(["/api/v1/lineage", "/api/v1/lineage"]);
  expect(receiver.authorizations).toEqual(["Bearer key-of-the-test", "Bearer key-of-the-test"]);
  await until(() => outcomes.length === 2);
  expect(outcomes).toEqual(["received 1", "received 1"]);
});

test("a failed query: FAIL has the reason, and a cancelled one has ABORT", async () => {
  const [failed, cancelled] = [await accept(), await accept()];
  await state.attempts.end(failed, "error", progress, {}, 'column "x" does not exist');
  await state.attempts.end(cancelled, "canceled", progress);
  send();
  await receiver.taken(4);
  expect(receiver.problems).toEqual([]);
  expect(receiver.events.map(({ eventType }) => eventType)).toEqual(["START", "FAIL", "START", "ABORT"]);
  expect(receiver.events[1]!.run.facets.errorMessage?.message).toBe('column "x" does not exist');
  expect(receiver.events[3]!.run.facets.errorMessage).toBeUndefined();
});

test("an outage: nothing is lost, each event is taken once, and the key is in no line of the log", async () => {
  receiver.answer = 503;
  const query = await accept();
  send();
  await receiver.asked();
  await finish(query);
  receiver.answer = undefined;
  await receiver.taken(2);
  expect(receiver.events.map(({ eventType }) => eventType)).toEqual(["START", "COMPLETE"]);
  await until(async () => (await state.lineageRuns.count()) === 0);
  expect(lines.join("\n")).toContain("status 503");
  expect(lines.join("\n")).not.toContain("key-of-the-test");
});

test("a sender that was ended before it noted the answer: the event that comes again is the same", async () => {
  const query = await accept();
  await finish(query);
  const setStarted = state.lineageRuns.setStarted.bind(state.lineageRuns);
  const first = send();
  state.lineageRuns.setStarted = async () => {
    void first.stop();
    throw new Error("the process was killed here");
  };
  await receiver.taken(1);
  await first.stop();
  state.lineageRuns.setStarted = setStarted;
  send();
  await receiver.taken(3);
  const [once, again, complete] = receiver.events;
  expect(again).toEqual(once);
  expect(complete).toMatchObject({ eventType: "COMPLETE", run: { runId: once!.run.runId } });
});

test("an event that the receiver refuses for good is not sent again, and does not hold up others", async () => {
  receiver.answer = 422;
  await accept();
  const sender = send();
  await receiver.asked();
  await until(() => outcomes.length > 0);
  receiver.answer = undefined;
  await accept();
  sender.wake();
  await receiver.taken(1);
  await until(() => outcomes.length === 2);
  expect(outcomes).toEqual(["refused 1", "received 1"]);
  expect(lines.join("\n")).toContain("refused an event of a query");
});

test("more queries than are kept: the oldest are dropped, with a warning and in the metrics", async () => {
  receiver.answer = 503;
  for (let n = 0; n < 5; n += 1) await accept();
  const newest = (await state.lineageRuns.waiting(10)).slice(3).map(({ queryId }) => queryId);
  send({ limit: 2 });
  await until(() => outcomes.length > 0);
  expect(outcomes).toEqual(["dropped 3"]);
  expect(lines.join("\n")).toContain("are dropped");
  expect((await state.lineageRuns.waiting(10)).map(({ queryId }) => queryId)).toEqual(newest);
});

test("a deleted record: its run is dropped and counted", async () => {
  const query = await accept();
  await finish(query);
  await state.retention.removeQueries([query.id]);
  send();
  await until(() => outcomes.length > 0);
  expect(outcomes).toEqual(["dropped 1"]);
  expect(await state.lineageRuns.count()).toBe(0);
});

test("a URL with a path: events go to that path", async () => {
  await accept();
  send({ url: `${receiver.url}/events` });
  await receiver.taken(1);
  expect(receiver.paths).toEqual(["/events"]);
});

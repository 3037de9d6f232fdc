import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errors, type QueryRecord, type QuerySummary } from "../../../../contract";
import { ConnectionError, WaitError } from "../../../../provider/client";
import {
  QueryPoller,
  minSharedPollInterval,
  type PollSource,
  type QueryWait,
} from "../../../../provider/client/poller";
import { VirtualClock } from "./virtual-clock";

const record = (id: number, clusterName: string, status: string, progress = "0%") =>
  ({ id, type: "select", clusterName, status, progress }) as unknown as QueryRecord;

/** A service with queries that end at a time. */
class Service implements PollSource {
  readonly clock = new VirtualClock();
  readonly poller = new QueryPoller(this, this.clock, {});
  /** Received requests, such as `list c1` and `get 7`. */
  readonly requests: string[] = [];
  /** Errors of the next requests. */
  readonly failures: unknown[] = [];
  readonly #queries = new Map<number, { clusterName: string; begin: number; end: number; status: string }>();
  #lastId = 0;

  /** Submits a query that ends in so many milliseconds. */
  submit(duration: number, { clusterName = "c1", status = "finished" } = {}): number {
    this.#lastId += 1;
    const begin = this.clock.now();
    this.#queries.set(this.#lastId, { clusterName, begin, end: begin + duration, status });
    return this.#lastId;
  }

  forget(queryId: number): void {
    this.#queries.delete(queryId);
  }

  async *running(clusterName: string, signal: AbortSignal): AsyncGenerator<QuerySummary, void, undefined> {
    this.requests.push(`list ${clusterName}`);
    const found = [...this.#queries.keys()].map((id) => this.#record(id)!);
    await this.clock.sleep(5, signal);
    if (this.failures.length > 0) throw this.failures.shift();
    yield* found.filter((query) => query.status === "running" && query.clusterName === clusterName);
  }

  async getQuery(queryId: number, signal: AbortSignal): Promise<QueryRecord> {
    this.requests.push(`get ${queryId}`);
    await this.clock.sleep(5, signal);
    const found = this.#record(queryId);
    if (!found) throw new errors.QueryNotFound(`query ${queryId} does not exist`);
    return found;
  }

  wait(queryId: number, options: Partial<QueryWait> = {}): Promise<QueryRecord> {
    return this.poller.wait({ queryId, clusterName: "c1", ...options });
  }

  count(request: string): number {
    return this.requests.filter((made) => made.startsWith(request)).length;
  }

  #record(id: number): QueryRecord | undefined {
    const query = this.#queries.get(id);
    if (!query) return undefined;
    const { clusterName, begin, end, status } = query;
    const now = this.clock.now();
    const percent = Math.min(100, Math.floor(((now - begin) * 100) / (end - begin)));
    return record(id, clusterName, now < end ? "running" : status, `${percent}%`);
  }
}

describe("QueryPoller", () => {
  it("resolves with the record of one get after the query has left the list", async () => {
    const service = new Service();
    const done = await service.clock.run(service.wait(service.submit(10_000, { status: "error" })));
    expect(done).toMatchObject({ id: 1, status: "error" });
    expect(service.count("get")).toBe(1);
  });

  it("polls first after 50 ms", async () => {
    const service = new Service();
    const begin = service.clock.now();
    await service.clock.run(service.wait(service.submit(20)));
    expect(service.requests).toEqual(["list c1", "get 1"]);
    expect(service.clock.now() - begin).toBe(60);
  });

  it("reports the query's progress at every poll", async () => {
    const service = new Service();
    const seen: number[] = [];
    const observed = ({ progress }: QuerySummary) => void seen.push(Number.parseInt(progress, 10));
    await service.clock.run(service.wait(service.submit(30_000), { observed }));
    expect(seen.length).toBe(service.count("list") - 1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBeGreaterThan(50);
  });

  it("sends the same number of list requests for many waits as for two, plus one get per wait", async () => {
    const lists = async (waiting: number) => {
      const service = new Service();
      const waits = Array.from({ length: waiting }, () => service.wait(service.submit(60_000)));
      await service.clock.run(Promise.all(waits));
      expect(service.count("get")).toBe(waiting);
      return service.count("list");
    };
    const [two, many] = [await lists(2), await lists(200)];
    expect(many).toBe(two);
    expect(many).toBeLessThan(30);
  });

  it("keeps the minimum interval between polls, however many waits start one after another", async () => {
    const service = new Service();
    const begin = service.clock.now();
    const waits: Promise<unknown>[] = [];
    for (let n = 0; n < 300; n += 1) {
      waits.push(service.wait(service.submit(20_000)));
      await service.clock.pass(10);
    }
    const submitting = service.clock.now() - begin;
    expect(service.count("list")).toBeLessThanOrEqual(submitting / minSharedPollInterval + 2);
    expect(service.count("list")).toBeGreaterThan(submitting / minSharedPollInterval / 2);
    await service.clock.run(Promise.all(waits));
  });

  it("polls soon for a new wait, although the interval for the others has grown", async () => {
    const service = new Service();
    const long = service.wait(service.submit(300_000));
    await service.clock.pass(120_000);
    const begin = service.clock.now();
    await service.clock.run(service.wait(service.submit(10)));
    expect(service.clock.now() - begin).toBeLessThan(400);
    await service.clock.run(long);
  });

  it("polls each cluster separately", async () => {
    const service = new Service();
    const one = service.wait(service.submit(100));
    const two = service.wait(service.submit(100, { clusterName: "c2" }), { clusterName: "c2" });
    await service.clock.run(Promise.all([one, two]));
    expect(service.count("list c1")).toBeGreaterThan(0);
    expect(service.count("list c2")).toBeGreaterThan(0);
  });

  it("fetches a query with several waits once, and notifies all of them", async () => {
    const service = new Service();
    const id = service.submit(1_000);
    const records = await service.clock.run(Promise.all([service.wait(id), service.wait(id), service.wait(id)]));
    expect(records.map(({ status }) => status)).toEqual(["finished", "finished", "finished"]);
    expect(service.count("get")).toBe(1);
  });

  it("does not treat a query as ended that was submitted while a list was being read", async () => {
    const service = new Service();
    const first = service.wait(service.submit(60_000));
    await service.clock.pass(52);
    expect(service.requests).toEqual(["list c1"]);
    const second = service.wait(service.submit(500));
    await service.clock.pass(10);
    expect(service.count("get")).toBe(0);
    await service.clock.run(second);
    expect(service.requests.filter((request) => request.startsWith("get"))).toEqual(["get 2"]);
    await service.clock.run(first);
  });

  it("continues waiting when the get finds the query still running", async () => {
    const service = new Service();
    const id = service.submit(1_000);
    const hidden = service.running.bind(service);
    service.running = async function* (clusterName, signal) {
      for await (const query of hidden(clusterName, signal)) if (query.id !== id) yield query;
    };
    const seen: string[] = [];
    const done = await service.clock.run(service.wait(id, { observed: ({ status }) => void seen.push(status) }));
    expect(done.status).toBe("finished");
    expect(seen.length).toBeGreaterThan(0);
  });

  it("ignores transient failures, and continues polling with growing intervals", async () => {
    const service = new Service();
    const broken = new ConnectionError("broken", { sent: true });
    service.failures.push(
      broken,
      broken,
      new errors.ServiceUnavailable("busy"),
      new errors.TooManyRequests("slow down"),
    );
    const done = await service.clock.run(service.wait(service.submit(100)));
    expect(done.status).toBe("finished");
    expect(service.count("list")).toBe(5);
  });

  it("waits as long as Retry-After asks", async () => {
    const service = new Service();
    service.failures.push(new errors.TooManyRequests("slow down", { retryAfter: 30_000 }));
    const begin = service.clock.now();
    await service.clock.run(service.wait(service.submit(100)));
    expect(service.clock.now() - begin).toBeGreaterThanOrEqual(30_000);
    expect(service.count("list")).toBe(2);
  });

  it("ends every wait of the cluster with a permanent failure", async () => {
    const service = new Service();
    const refused = new errors.SignatureDoesNotMatch("wrong key");
    service.failures.push(refused);
    const waits = [service.wait(service.submit(1_000)), service.wait(service.submit(1_000))];
    const outcomes = await service.clock.run(Promise.allSettled(waits));
    expect(outcomes).toEqual([
      { status: "rejected", reason: refused },
      { status: "rejected", reason: refused },
    ]);
  });

  it("ends only the wait whose query record no longer exists", async () => {
    const service = new Service();
    const [gone, kept] = [service.submit(1_000), service.submit(2_000)];
    service.forget(gone);
    const outcomes = await service.clock.run(Promise.allSettled([service.wait(gone), service.wait(kept)]));
    expect(outcomes).toMatchObject([{ reason: { code: "QueryNotFound" } }, { value: { status: "finished" } }]);
  });

  it("ends only the wait that times out, with the last observed record", async () => {
    const service = new Service();
    const begin = service.clock.now();
    const short = service.wait(service.submit(60_000), { timeout: 3_000 });
    const long = service.wait(service.submit(20_000));
    const error = await service.clock.run(short.catch((reason: unknown) => reason));
    expect(service.clock.now() - begin).toBe(3_000);
    expect(error).toBeInstanceOf(WaitError);
    expect(error).toMatchObject({ code: "WaitTimedOut", lastObserved: { id: 1, status: "running" } });
    expect((error as Error).message).toMatch(
      /^the wait for query 1 on cluster "c1" timed out after 3.0 s; last observed: running \d%$/,
    );
    expect((await service.clock.run(long)).status).toBe("finished");
  });

  it("ends at once when the signal is aborted, also while a list is being read", async () => {
    const service = new Service();
    const stop = new AbortController();
    const wait = service.wait(service.submit(60_000), { signal: stop.signal });
    await service.clock.pass(52);
    stop.abort(new Error("Ctrl-C"));
    await expect(wait).rejects.toMatchObject({
      code: "WaitAborted",
      lastObserved: undefined,
      cause: { message: "Ctrl-C" },
    });
    await expect(service.wait(1, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "WaitAborted" });
  });

  it("leaves no timer behind", async () => {
    const service = new Service();
    await service.clock.run(service.wait(service.submit(100), { timeout: 3_600_000 }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(service.clock.pending).toBe(0);
  });

  it("stops polling without waits, and starts again with the next wait", async () => {
    const service = new Service();
    await service.clock.run(service.wait(service.submit(100)));
    const before = service.requests.length;
    await service.clock.pass(60_000);
    expect(service.requests.length).toBe(before);
    await service.clock.run(service.wait(service.submit(100)));
    expect(service.requests.length).toBeGreaterThan(before);
  });

  it("rejects with the error of a listener's promise, also of the last one before the query has ended", async () => {
    const service = new Service();
    const failure = new Error("listener");
    const fails = async () => {
      throw failure;
    };
    await expect(service.clock.run(service.wait(service.submit(1_000), { observed: fails }))).rejects.toBe(failure);
    const failsLate = () => service.clock.sleep(5_000).then(fails);
    const late = service.clock.run(service.wait(service.submit(1_000), { observed: failsLate }));
    await expect(late).rejects.toBe(failure);
  });

  it("ends only the wait whose own listener throws", async () => {
    const service = new Service();
    const failure = new Error("listener");
    const observed = () => {
      throw failure;
    };
    const waits = [service.wait(service.submit(1_000), { observed }), service.wait(service.submit(1_000))];
    const outcomes = await service.clock.run(Promise.allSettled(waits));
    expect(outcomes).toMatchObject([{ reason: failure }, { value: { status: "finished" } }]);
  });

  it("ends every wait once with the correct outcome, in any order of events", async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant("submit" as const),
        duration: fc.nat(20_000),
        timeout: fc.option(fc.integer({ min: 1, max: 20_000 })),
      }),
      fc.record({ do: fc.constant("pass" as const), time: fc.nat(5_000) }),
      fc.record({ do: fc.constant("fail" as const), times: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constant("abort" as const), which: fc.nat(10) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const service = new Service();
        const begin = service.clock.now();
        const waits: { work: Promise<string>; stop: AbortController; mayTimeOut: boolean; aborted: boolean }[] = [];
        for (const now of steps) {
          if (now.do === "pass") await service.clock.pass(now.time);
          if (now.do === "fail")
            service.failures.push(...Array.from({ length: now.times }, () => new errors.InternalError("down")));
          const aborting = now.do === "abort" ? waits[now.which] : undefined;
          if (aborting) {
            aborting.aborted = true;
            aborting.stop.abort();
          }
          if (now.do === "submit") {
            const stop = new AbortController();
            const id = service.submit(now.duration);
            const options = { signal: stop.signal, timeout: now.timeout ?? undefined };
            const work = service.wait(id, options).then(
              (done) => (done.id === id ? done.status : "another query"),
              (error: WaitError) => error.code,
            );
            waits.push({ work, stop, mayTimeOut: now.timeout !== null, aborted: false });
          }
        }
        const outcomes = await service.clock.run(Promise.all(waits.map(({ work }) => work)));
        for (const [index, outcome] of outcomes.entries()) {
          const { mayTimeOut, aborted } = waits[index]!;
          expect(["finished", mayTimeOut && "WaitTimedOut", aborted && "WaitAborted"]).toContain(outcome);
        }
        expect(service.count("get")).toBeLessThanOrEqual(waits.length);
        expect(service.count("list")).toBeLessThanOrEqual(10 + 12 * waits.length + (service.clock.now() - begin) / 250);
      }),
      { numRuns: 60 },
    );
  });

  it("close: ends every wait", async () => {
    const service = new Service();
    const wait = service.wait(service.submit(1_000));
    await service.clock.pass(10);
    service.poller.close(new Error("the client was closed"));
    await expect(wait).rejects.toMatchObject({ code: "WaitAborted", cause: { message: "the client was closed" } });
    await expect(service.wait(1)).rejects.toMatchObject({ code: "WaitAborted" });
  });
});

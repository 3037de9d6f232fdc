import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { errors } from "../../../contract";
import { openPostgresState, type SharedState } from "../../../service/state/postgres";
import { Database } from "../../../service/state/postgres/connection";
import { outputRecordsSuite } from "./output-records-suite";
import { accept, advance, duckdb, recorder, submission } from "./state-store";
import { stateSuite } from "./suite";
import { missingPostgres, usePostgres } from "./use-postgres";

describe.skipIf(missingPostgres !== undefined)("postgres", () => {
  const postgres = usePostgres();

  describe("one process", () => {
    const create = async () => {
      const { url } = postgres;
      return { open: () => openPostgresState({ url, processName: "here" }), delete: async () => undefined };
    };
    stateSuite(create);
    outputRecordsSuite(create);
  });

  test("run: waits for its turn while others use every connection for longer than connecting may take", async () => {
    const database = new Database(postgres.url);
    const others = Array.from({ length: 10 }, () => database.run("SELECT pg_sleep(6)"));
    expect(await database.run("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await Promise.all(others);
    await database.close();
  });

  test("migrate: of the results of an earlier version, the formats are known", async () => {
    const { url } = postgres;
    const state = await openPostgresState({ url, processName: "here" });
    await state.admission.registerCluster("c1", duckdb);
    const query = await accept(state, { ...submission({ folder: "r" }), label: "\0" });
    await state.attempts.end(query, "finished", advance);
    await state.close();
    const database = new Database(url);
    await database.run("DROP TABLE dag.published, dag.jobs_to_end, dag.reads, dag.lineage_runs");
    await database.run("ALTER TABLE dag.queries DROP COLUMN row_count, DROP COLUMN moved_time");
    await database.run("UPDATE dag.version SET version = 4");
    await database.close();
    const next = await openPostgresState({ url, processName: "here" });
    const known = { type: "select", format: "csv", columns: null, fingerprint: null, content: null };
    const folder = { bucket: "out", key: "r/" };
    expect(await next.catalog.listPublished({ bucket: "out", key: "" })).toEqual([
      { ...known, queryId: query.id, folder },
    ]);
    await next.close();
  });

  describe("query logs", () => {
    let url: string;
    let state: SharedState;
    beforeEach(async () => {
      url = postgres.url;
      state = await openPostgresState({ url, processName: "here" });
      await state.admission.registerCluster("c1", duckdb);
    });
    afterEach(() => state.close());
    const part = (queryId: number, line: string, clusterName = "c1") => ({ clusterName, queryId, text: line });
    const logs = () => state.queryLogs;

    test("append: another process reads the parts in their order, and other logs are not touched", async () => {
      await logs().append([part(1, "a\n"), part(2, "x\n"), part(1, "b \u{1F989}\n")]);
      await logs().append([part(1, "c\n")]);
      const other = await openPostgresState({ url, processName: "there" });
      expect(await other.queryLogs.read(1)).toBe("a\nb \u{1F989}\nc\n");
      await other.close();
      expect(await logs().delete(1)).toBe(Buffer.byteLength("a\nb \u{1F989}\nc\n"));
      expect(await logs().read(1)).toBe("");
      expect(await logs().read(2)).toBe("x\n");
    });

    test("drop: deletes the logs of before the cluster's last restart, and no later ones", async () => {
      const before = await accept(state);
      await state.attempts.end(before, "finished", advance);
      await state.admission.restartCluster("c1", duckdb, false);
      const after = await accept(state, submission(), { generation: 1 });
      await logs().append([part(before.id, "old\n"), part(after.id, "new\n"), part(after.id, "other\n", "c2")]);
      await logs().drop("c1");
      expect(await logs().read(before.id)).toBe("");
      expect(await logs().read(after.id)).toBe("new\nother\n");
    });

    test("all: returns the logs of a cluster as they were, query by query, each entry with its ID, and their size", async () => {
      const time = "2026-11-20T13:46:11.000Z";
      const many = Array.from({ length: 1200 }, (_, index) => part(9 + (index % 2), `${time} a ${index}\n    é b\n`));
      await logs().append([...many, part(3, "elsewhere\n", "c2")]);
      const all = await logs().all("c1");
      expect(await logs().bytes("c1")).toBe(many.reduce((sum, one) => sum + Buffer.byteLength(one.text), 0));
      await logs().append([part(9, "later\n")]);
      const content = await text(all.open());
      expect(content).toBe(
        [0, 1]
          .flatMap((odd) => many.filter((_, index) => index % 2 === odd))
          .map((one) => one.text.replace(time, `${time} query ${one.queryId}`))
          .join(""),
      );
      expect(all.size).toBe(Buffer.byteLength(content));
    });
  });

  describe("several processes", () => {
    const states: SharedState[] = [];
    /** Opens a state that renews its lease, and takes over by itself. */
    const open = async (processName: string) => {
      const state = await openQuiet(processName);
      const { listener, told } = recorder();
      state.leases.listen(listener);
      return { state, told };
    };
    /** Opens a state whose lease is the one of the start. */
    const openQuiet = async (processName: string, clusters?: readonly string[]) => {
      const config = clusters && { shared: { clusters: clusters.join() }, clusters };
      const state = await openPostgresState({ url: postgres.url, processName, config });
      states.push(state);
      return state;
    };
    afterEach(async () => {
      await Promise.all(states.splice(0).map((state) => state.close()));
    });

    test("accept: three processes take exactly as many queries as there are slots", async () => {
      const all = await Promise.all(["a", "b", "c"].map((name) => open(name)));
      await all[0]!.state.admission.registerCluster("c1", duckdb);
      const conditions = { slots: 4, generation: 0 };
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, index) => all[index % 3]!.state.admission.accept(submission(), conditions)),
      );
      expect(results.filter(({ refused }) => refused === undefined)).toHaveLength(4);
      expect(results.filter(({ refused }) => refused === "slots")).toHaveLength(196);
      for (const { state } of all) expect(await state.queries.listRunning("c1")).toHaveLength(4);
    });

    test("takeOver: nobody takes what a living process runs; what a closed one left is taken once, at once", async () => {
      const [a, b, c] = [await open("a"), await open("b"), await open("c")];
      await a.state.admission.registerCluster("c1", duckdb);
      const query = await accept(a.state);
      expect(await b.state.leases.takeOver()).toEqual([]);
      await a.state.close();
      const taken = () => [...b.told.takenOver, ...c.told.takenOver];
      await expect.poll(taken, { timeout: 15_000 }).toEqual([{ id: query.id, epoch: 2 }]);
      expect(await b.state.leases.takeOver()).toEqual([]);
      expect(await c.state.leases.takeOver()).toEqual([]);
      expect(taken()).toHaveLength(1);
    });

    test("takeOver: a process without the query's cluster leaves it to one that has it, and takes it when none has for long", async () => {
      const a = await openQuiet("a", ["c1"]);
      const [b, c] = [await openQuiet("b", ["c2"]), await openQuiet("c", ["c1", "c2"])];
      expect(await b.listProcesses()).toEqual([
        { name: "a", config: { clusters: "c1" } },
        { name: "c", config: { clusters: "c1,c2" } },
      ]);
      await a.admission.registerCluster("c1", duckdb);
      const [first, second] = [await accept(a), await accept(a, submission({ folder: "other" }))];
      await expireLease(postgres.url, "a");
      expect(await b.leases.takeOver()).toEqual([]);
      expect(await c.leases.takeOver()).toMatchObject([{ id: first.id }, { id: second.id }]);
      await c.close();
      expect(await b.leases.takeOver()).toEqual([]);
      await endEarlier(postgres.url, "11 minutes");
      expect(await b.leases.takeOver()).toMatchObject([{ id: first.id }, { id: second.id }]);
    });

    test("takeOver: after an outage of the database, those who live get the time to renew their leases", async () => {
      const [a, b] = [await open("a"), await open("b")];
      await a.state.admission.registerCluster("c1", duckdb);
      await accept(b.state);
      const client = new Client({ connectionString: postgres.url });
      await client.connect();
      // No lease can be renewed for more than half of its time, and then that of `b` is the last.
      await client.query("BEGIN; LOCK dag.processes");
      await client.query("SELECT pg_sleep(6)");
      await client.query(expireTrigger(client, "b"));
      await client.query("COMMIT");
      await client.query("SELECT pg_sleep(2.5)");
      expect([a.told.takenOver, b.told.lost]).toEqual([[], []]);
      await client.query("DROP TRIGGER expire ON dag.processes");
      await client.end();
    });

    test("lease: a process that does not renew it loses its queries, is told so, and stores nothing of them", async () => {
      const [a, b] = [await openQuiet("a"), await openQuiet("b")];
      await a.admission.registerCluster("c1", duckdb);
      const query = await accept(a);
      await expireLease(postgres.url, "a");
      const [taken] = await b.leases.takeOver();
      expect(taken).toMatchObject({ id: query.id, epoch: 2 });
      // Not before: a renewal that runs while the lease is expired for the test would take the query over itself.
      const { listener, told } = recorder();
      a.leases.listen(listener);
      await expect.poll(() => told.lost).toEqual([{ id: query.id, epoch: 1 }]);
      expect(await a.attempts.confirm(query)).toBe(false);
      expect(await a.attempts.markPublishing(query, { columns: null, checked: false })).toBe("lost");
      expect(await a.attempts.end(query, "finished", advance)).toBe(false);
      a.attempts.reportProgress(query, { progress: 99, stage: 9, jobId: "late" });
      await sleep(1500);
      expect(await b.queries.get(query.id)).toMatchObject({ status: "running", progress: 0 });
      expect(await b.attempts.end(taken!, "finished", advance)).toBe(true);
    });

    test("takeOver: does not wait while another process sends OpenLineage events", async () => {
      const [a, b] = [await openQuiet("a"), await openQuiet("b")];
      const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const sending = a.lineageRuns.exclusively(async () => {
        begun.resolve();
        await done.promise;
      });
      await begun.promise;
      expect(await b.leases.takeOver()).toEqual([]);
      done.resolve();
      await sending;
    });

    test("confirm: nobody takes over a query that is held, also when the lease has expired", async () => {
      const [a, b] = [await openQuiet("a"), await openQuiet("b")];
      await a.admission.registerCluster("c1", duckdb);
      const query = await accept(a);
      expect(await a.attempts.confirm(query)).toBe(true);
      await expireLease(postgres.url, "a");
      expect(await b.leases.takeOver()).toEqual([]);
    });

    test("confirm against takeOver: never both", async () => {
      const [a, b] = [await openQuiet("a"), await openQuiet("b")];
      await a.admission.registerCluster("c1", duckdb);
      await expireLease(postgres.url, "a");
      for (let round = 0; round < 20; round += 1) {
        const query = await accept(a);
        const [isHeld, taken] = await Promise.all([a.attempts.confirm(query), b.leases.takeOver()]);
        expect(Number(isHeld) + taken.filter(({ id }) => id === query.id).length, `round ${round}`).toBeLessThan(2);
        await a.attempts.end(taken[0] ?? query, "finished", advance);
      }
    });

    test("cancel: the process that runs the query is told; one that does not answer is ended elsewhere", async () => {
      const [a, b] = [await open("a"), await open("b")];
      await a.state.admission.registerCluster("c1", duckdb);
      const [quick, slow] = [await accept(a.state), await accept(a.state)];
      await a.state.attempts.setEngineHandle(slow, "slow");
      expect(await b.state.admission.cancel(quick.id)).toBe(true);
      await expect.poll(() => a.told.cancelled).toContain(quick.id);
      expect(await a.state.attempts.end(quick, "canceled", advance)).toBe(true);
      expect(await b.state.admission.waitForCancelEnd(quick.id)).toBe("canceled");

      expect(await b.state.admission.cancel(slow.id)).toBe(true);
      expect(await b.state.admission.waitForCancelEnd(slow.id)).toBe("canceled");
      await expect.poll(() => a.told.lost).toEqual([{ id: slow.id, epoch: 1 }]);
      expect(await a.state.attempts.end(slow, "finished", advance)).toBe(false);
      expect(await b.state.jobsToEnd.claim(["c1"], 0)).toMatchObject([{ queryId: slow.id, handle: "slow" }]);
    });

    test("jobsToEnd: of several processes one gets a job, and another one when it has ended", async () => {
      const [a, b, c] = [await open("a"), await open("b"), await open("c")];
      await a.state.admission.registerCluster("c1", duckdb);
      const query = await accept(a.state);
      await a.state.attempts.setEngineHandle(query, "job");
      await a.state.attempts.end(query, "canceled", advance);
      const claim = async (processes: readonly SharedState[]) =>
        await Promise.all(processes.map(async ({ jobsToEnd }) => (await jobsToEnd.claim(["c1"], 0)).length));
      const first = await claim([a.state, b.state, c.state]);
      expect(first.toSorted()).toEqual([0, 0, 1]);
      expect(await claim([a.state, b.state, c.state])).toEqual(first);
      const all = [a.state, b.state, c.state];
      const [owner] = all.splice(first.indexOf(1), 1);
      await owner!.close();
      expect((await claim(all)).toSorted()).toEqual([0, 1]);
    });

    test("jobsToEnd and beginExport: of processes that ask at the same time exactly one gets a job, and the export", async () => {
      const all = [await openQuiet("a"), await openQuiet("b"), await openQuiet("c")];
      await all[0]!.admission.registerCluster("c1", duckdb);
      for (let round = 0; round < 20; round += 1) {
        const query = await accept(all[0]!);
        await all[0]!.attempts.setEngineHandle(query, `job ${round}`);
        await all[0]!.attempts.end(query, "canceled", advance);
        const jobs = await Promise.all(all.map(({ jobsToEnd }) => jobsToEnd.claim(["c1"], 0)));
        expect(
          jobs.flat().map(({ handle }) => handle),
          `round ${round}`,
        ).toEqual([`job ${round}`]);
        await all[0]!.jobsToEnd.remove(jobs.flat()[0]!.id);

        const exports = await Promise.all(all.map(({ admission }) => admission.beginExport("c1")));
        expect(
          exports.filter((begun) => begun !== undefined),
          `round ${round}`,
        ).toHaveLength(1);
        for (const begun of exports) await begun?.release();
      }
    });

    test("restartCluster: every process is told, and none accepts what it has checked before", async () => {
      const [a, b] = [await open("a"), await open("b")];
      const { generation } = await a.state.admission.registerCluster("c1", duckdb);
      const query = await accept(b.state);
      await a.state.admission.restartCluster("c1", { type: "other", debug: true }, true);
      expect((await b.state.admission.accept(submission(), { slots: 9, generation })).refused).toBe("restarted");
      await expect.poll(() => b.told.cancelled).toContain(query.id);
      await expect.poll(() => b.told.generations.get("c1")).toBe(1);
      expect(await b.state.admission.registerCluster("c1", duckdb)).toEqual({
        type: "other",
        debug: true,
        generation: 1,
      });
    });

    test("reserve and beginExport: hold across processes, and end with the process", async () => {
      const [a, b] = [await open("a"), await open("b")];
      await a.state.admission.registerCluster("c1", duckdb);
      const folder = { bucket: "out", key: "x/" };
      await a.state.admission.reserve(folder, "a writer");
      await a.state.admission.beginExport("c1");
      expect(await b.state.admission.reserve(folder, "another")).toMatchObject({
        refused: "overlap",
        owner: "a writer",
      });
      expect(await b.state.admission.beginExport("c1")).toBeUndefined();
      await a.state.close();
      expect((await b.state.admission.reserve(folder, "another")).refused).toBeUndefined();
      expect(await b.state.admission.beginExport("c1")).toBeDefined();
    });

    test("exclusively: one process at a time", async () => {
      const [a, b] = [await open("a"), await open("b")];
      const done = Promise.withResolvers<void>();
      const ran: string[] = [];
      const first = a.state.retention.exclusively(async () => {
        ran.push("a");
        await done.promise;
      });
      await expect.poll(() => ran).toEqual(["a"]);
      await b.state.retention.exclusively(async () => void ran.push("b"));
      expect(ran).toEqual(["a"]);
      done.resolve();
      await first;
      await b.state.retention.exclusively(async () => void ran.push("b"));
      expect(ran).toEqual(["a", "b"]);
    });

    test("database gone: requests are ServiceUnavailable without the password, the end of a query waits, and all recovers", async () => {
      const { state } = await open("a");
      await state.admission.registerCluster("c1", duckdb);
      const query = await accept(state);
      const { server } = postgres;
      await server.kill();
      const error = await state.queries.get(query.id).then(
        () => undefined,
        (reason: unknown) => reason as InstanceType<typeof errors.ServiceUnavailable>,
      );
      expect(error).toBeInstanceOf(errors.ServiceUnavailable);
      expect(error!.retryAfter).toBe(1000);
      expect(JSON.stringify([error!.message, String(error!.cause), error!.stack])).not.toContain(server.password);
      expect(state.problem()).toBe(
        "the database of the service's state does not answer: start it, or check the network",
      );
      const ending = state.attempts.end(query, "finished", advance);
      await sleep(500);
      await server.start();
      expect(await ending).toBe(true);
      expect(await state.queries.get(query.id)).toMatchObject({ status: "finished" });
      expect(state.problem()).toBeUndefined();
      await accept(state);
    });
  });
});

/** Lets the lease of a process expire now. The database stores no renewal of it, as if the process were stopped. */
async function expireLease(url: string, place: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(expireTrigger(client, place));
  await client.end();
}

const expireTrigger = (client: Client, place: string) => `
  CREATE FUNCTION expired() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN NEW.lease_until := now() - interval ''1 s''; RETURN NEW; END';
  CREATE TRIGGER expire BEFORE INSERT OR UPDATE ON dag.processes
    FOR EACH ROW WHEN (NEW.place = ${client.escapeLiteral(place)}) EXECUTE FUNCTION expired();
  UPDATE dag.processes SET place = place;`;

/** Makes the leases that have expired end earlier. */
async function endEarlier(url: string, interval: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`
    DROP TRIGGER expire ON dag.processes;
    UPDATE dag.processes SET lease_until = lease_until - interval '${interval}' WHERE lease_until < now()`);
  await client.end();
}

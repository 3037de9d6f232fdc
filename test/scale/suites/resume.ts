/** A service whose processes end while Hive runs a statement. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { call, ended } from "../../contract/service/caller";
import { kill } from "../../contract/service/service-process";
import type { Place } from "../harness";
import { useServices } from "./service-with-cluster";

/** Runs for some seconds on Hive. */
const someSeconds = "select count(*) n from data.numbers a cross join data.numbers b where a.n < 4000 and b.n >= 0";
const itsResult = "80000000\n";

/** Declares the tests. */
export function resumeSuite(place: Place = "files"): void {
  const { fill, start, submit, result, log, buckets, stateFile } = useServices("hive", place);

  /** Submits a select, and waits until Hive runs it. */
  async function submitted(service: Awaited<ReturnType<typeof start>>, path: string): Promise<number> {
    const { json } = await submit(service, "demo", someSeconds, path);
    await expect.poll(() => log(service, json.queryId), { timeout: 90_000 }).toMatch(/Executing command\(queryId=/);
    return json.queryId;
  }

  const temporary = () => {
    const folder = join(buckets(), "out/tmp");
    return existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  };

  test.each(["SIGKILL", "SIGTERM"] as const)(
    "a service that ends by %s: the next one goes on with the statement, which runs once",
    async (signal) => {
      fill();
      const first = await start();
      const id = await submitted(first, "k");
      await kill(first.child, signal);
      const second = await start();
      expect(await ended(second, id)).toMatchObject({ status: "finished" });
      expect(result("k")).toBe(itsResult);
      const text = await log(second, id);
      expect(text).toContain("going on with the statement that Hive runs already");
      expect(text).not.toContain("run again");
      const named = [...text.matchAll(/Hive runs the statement as (\S+)/g)].map(([, name]) => name);
      expect(named).toEqual([named[0], named[0]]);
      expect(text.match(/ finished after /g)).toHaveLength(1);
      expect(text.match(/result is at /g)).toHaveLength(1);
      await expect.poll(temporary, { timeout: 60_000 }).toEqual([]);
    },
  );

  test("a statement that Hive does not know any more: the next service runs it again, and publishes one result", async () => {
    fill();
    const first = await start();
    const id = await submitted(first, "f");
    await kill(first.child, "SIGKILL");
    forget(stateFile());
    const second = await start();
    expect(await ended(second, id)).toMatchObject({ status: "finished" });
    expect(result("f")).toBe(itsResult);
    const text = await log(second, id);
    expect(text).toContain("Hive has the statement or its result no longer: it is run again");
    const named = [...text.matchAll(/Hive runs the statement as (\S+)/g)].map(([, name]) => name);
    expect(new Set(named).size).toBe(2);
    expect(text.match(/result is at /g)).toHaveLength(1);
    expect(text.match(/ finished after /g)).toHaveLength(1);
  });

  test("cancelQuery: what an earlier process has started is cancelled, and not gone on with", async () => {
    fill();
    const first = await start();
    const id = await submitted(first, "c");
    await kill(first.child, "SIGKILL");
    const second = await start();
    expect((await call(second, "DELETE", `/v1/${id}?query`)).status).toBe(204);
    expect(await ended(second, id)).toMatchObject({ status: "canceled" });
    // A service that ends before Hive has ended its tasks leaves what they write later.
    await expect.poll(temporary, { timeout: 120_000, interval: 500 }).toEqual([]);
    await kill(second.child, "SIGTERM");
    const third = await start();
    expect(await ended(third, id)).toMatchObject({ status: "canceled" });
    expect(readdirSync(join(buckets(), "out"))).not.toContain("c");
  });
}

/** Names other statements in the handles of a state, as if Hive had been restarted. */
function forget(stateFile: string): void {
  const state = new DatabaseSync(stateFile);
  const kept = state.prepare("SELECT id, engine_handle AS handle FROM queries WHERE engine_handle IS NOT NULL").all();
  expect(kept).toHaveLength(1);
  for (const { id, handle } of kept) {
    const changed = String(handle).replaceAll(/"guid":"[0-9a-f]{32}"/g, `"guid":"${"ab".repeat(16)}"`);
    expect(changed).not.toBe(handle);
    state.prepare("UPDATE queries SET engine_handle = ? WHERE id = ?").run(changed, id!);
  }
  state.close();
}

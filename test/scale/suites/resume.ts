/** A service whose processes end while Hive runs a statement. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { HiveServer } from "../../../tools/scale/hive/hive.mts";
import { call, ended } from "../../contract/service/caller";
import { kill, type Process } from "../../contract/service/service-process";
import { s3Credentials } from "../../contract/storage/s3-server";
import type { Place } from "../harness";
import { startOwnHive } from "./own-hive";
import { useServices } from "./service-with-cluster";

/** Runs for some seconds on Hive. */
const someSeconds = "select count(*) n from data.numbers a cross join data.numbers b where a.n < 4000 and b.n >= 0";
/** Its result. */
export const itsResult = "80000000\n";

/** Submits a select that takes some seconds, waits until Hive runs it, and returns its ID. */
export async function submitLong(
  { submit, log }: Pick<ReturnType<typeof useServices>, "submit" | "log">,
  service: Process,
  path: string,
): Promise<number> {
  const { status, json } = await submit(service, "demo", someSeconds, path);
  expect([status, json]).toEqual([202, { queryId: expect.any(Number) }]);
  await expect.poll(() => log(service, json.queryId), { timeout: 90_000 }).toMatch(/Executing command\(queryId=/);
  return json.queryId;
}

/** Returns the names that Hive has given to the statements of a log, in their order. */
export const statementsIn = (log: string): readonly string[] =>
  [...log.matchAll(/Hive runs the statement as (\S+)/g)].map(([, name]) => name!);

/**
 * Declares the tests, on a Hive of their own: the tasks of statements that other tests have cancelled go on in Hive's only
 * process, where those of the next statement can get their input path.
 */
export function resumeSuite(place: Place = "files"): void {
  const services = useServices("hive", place);
  const { fill, result, log, buckets, temporary } = services;
  let hive: HiveServer | undefined;
  beforeAll(async () => {
    const { endpoint } = inject("s3");
    // The tests are skipped.
    if (place === "s3" && endpoint === "") return;
    hive = await startOwnHive(place === "s3" ? { s3: { endpoint, region: "us-east-1", ...s3Credentials } } : {});
  });
  afterAll(() => hive?.stop());
  const start = () => services.start(["hive2://127.0.0.1:1", hive!.url]);

  test.each(["SIGKILL", "SIGTERM"] as const)(
    "a service that ends by %s: the next one goes on with the statement, which runs once",
    async (signal) => {
      fill();
      const first = await start();
      const id = await submitLong(services, first, "k");
      await kill(first.child, signal);
      const second = await start();
      const end = await ended(second, id);
      expect(end, await log(second, id)).toMatchObject({ status: "finished" });
      expect(result("k")).toBe(itsResult);
      const text = await log(second, id);
      expect(text).toContain("going on with the statement that Hive runs already");
      expect(text).not.toContain("run again");
      const named = statementsIn(text);
      expect(named).toEqual([named[0], named[0]]);
      expect(text.match(/ finished after /g)).toHaveLength(1);
      expect(text.match(/result is at /g)).toHaveLength(1);
      await expect.poll(temporary, { timeout: 60_000 }).toEqual([]);
    },
  );

  test("cancelQuery: what an earlier process has started is cancelled, and not gone on with", async () => {
    fill();
    const first = await start();
    const id = await submitLong(services, first, "c");
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

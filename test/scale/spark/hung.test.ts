/** A Spark that hangs while a query is cancelled: it ends a statement with its connection. */
import { afterEach, expect, test } from "vitest";
import { startSpark, type SparkServer } from "../../../tools/scale/spark/spark.mts";
import { call, ended } from "../../contract/service/caller";
import { kill } from "../../contract/service/service-process";
import { useServices } from "../suites/service-with-cluster";

const { fill, start, submit, log } = useServices("spark", "files");
const servers: SparkServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

/** Runs for longer than the test. */
const endless = "select count(*) n from data.numbers a cross join data.numbers b cross join data.numbers c";

/** Returns the numbers of the jobs that Spark runs. */
async function runningJobs({ ui }: SparkServer): Promise<readonly number[]> {
  const read = async (path: string) => (await fetch(`${ui}/api/v1/applications${path}`)).json();
  const [{ id }] = (await read("")) as [{ id: string }];
  return ((await read(`/${id}/jobs?status=running`)) as { jobId: number }[]).map(({ jobId }) => jobId);
}

test.each([
  ["the service goes on", false],
  ["the service is killed too", true],
] as const)("cancelQuery: Spark hangs then, and %s: its jobs end when it wakes", async (_, isKilled) => {
  fill();
  const server = await startSpark({ workers: 0 });
  servers.push(server);
  const service = await start([server.url]);
  const { json } = await submit(service, "demo", endless, "h");
  await expect.poll(() => log(service, json.queryId), { timeout: 90_000 }).toMatch(/Spark runs the statement/);
  await expect.poll(() => runningJobs(server), { timeout: 60_000 }).toHaveLength(1);
  server.hang();
  expect((await call(service, "DELETE", `/v1/${json.queryId}?query`)).status).toBe(204);
  expect(await ended(service, json.queryId)).toMatchObject({ status: "canceled" });
  if (isKilled) await kill(service.child, "SIGKILL");
  server.wake();
  await expect.poll(() => runningJobs(server), { timeout: 60_000 }).toEqual([]);
});

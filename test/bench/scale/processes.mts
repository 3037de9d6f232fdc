/** 1 to 4 service processes on one database: answers and small selects a second. */
import type { BenchResult } from "../support/results.mts";
import { type Running, startSetting } from "./setting.mts";

const quantities = [1, 2, 3, 4];
/** Callers at a time, and how long they call. */
const callers = 8;
const seconds = 8;

export async function measureProcesses(): Promise<BenchResult> {
  await using setting = await startSetting(["s3", "postgres"]);
  const config = { clusters: [{ name: "local", instances: [{ grade: "standard", quantity: callers + 1 }] }] };
  const services: Running[] = [];
  const lists: number[] = [];
  const selects: number[] = [];
  let count = 0;
  for (const quantity of quantities) {
    while (services.length < quantity) services.push(await setting.service(config));
    lists.push(await perSecond(services, ({ client }) => client.listQueries({})));
    selects.push(
      await perSecond(services, async ({ client }) => {
        const path = `dag://out/q${(count += 1)}/`;
        const { queryId } = await client.submitSelect({
          clusterName: "local",
          query: "SELECT 1",
          outputResourcePath: path,
        });
        const { status } = await client.waitForQuery({ queryId, clusterName: "local" });
        if (status !== "finished") throw new Error(`query ${queryId} is ${status}`);
      }),
    );
  }
  const series = [
    { name: "lists of 100 queries", values: lists },
    { name: "small selects, from the submission to the result", values: selects },
  ];
  const title = `Service processes, ${callers} callers`;
  return {
    measurements: [],
    growths: [{ name: "processes", title, quantity: "service processes", unit: "1/s", quantities, series }],
  };
}

/** Calls from several callers, each of one process, one call after another. */
async function perSecond(services: readonly Running[], call: (service: Running) => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let calls = 0;
  const caller = async (_: unknown, index: number) => {
    const service = services[index % services.length]!;
    while (performance.now() < end) {
      await call(service);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return calls / seconds;
}

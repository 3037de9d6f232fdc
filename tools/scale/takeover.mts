/** Kills a service process while it runs a query, and watches another process take the query over. */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pulumi-dag/client";
import type { ServiceProcess } from "./services.mts";

/** A query that two processes have run. */
export interface Takeover {
  readonly query: Query;
  /** When its process was killed. */
  readonly killedAt: Date;
  /** Its log, after its end. */
  readonly log: string;
  readonly status: string;
}

type Query = Extract<Awaited<ReturnType<Client["getQuery"]>>, { type: "select" }>;

interface Options {
  readonly client: Client;
  /** The process that runs the program's queries. */
  readonly service: ServiceProcess;
  /** The deployment of the program. */
  readonly deployed: Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Kills the process while Spark computes the events per day, and waits for the end of that query. Reads its log again and
 * again, because the program's last resource, a restart, deletes it.
 */
export async function killInMidQuery({ client, service, deployed, signal }: Options): Promise<Takeover> {
  const query = await selectOnSpark(client, deployed, signal);
  await service.kill();
  const killedAt = new Date();
  console.log(`\n── kill -9 of service process 1, which runs query ${query.id} on Spark ──\n`);
  let log = "";
  for (;;) {
    signal.throwIfAborted();
    const { status } = await client.getQuery({ queryId: query.id });
    log = (await client.getQueryLog({ queryId: query.id })).log || log;
    if (status !== "running") return { query, killedAt, log, status };
    await pause(100);
  }
}

/**
 * Shows what the second process did.
 * @throws Error when the query was not taken over
 */
export function showTakeover({ query, killedAt, log, status }: Takeover): void {
  console.log(`\n── the log of query ${query.id}, which two service processes have run ──\n`);
  const lines = log.trimEnd().split("\n");
  const again = lines.findIndex((line) => timeOf(line) > killedAt.getTime());
  for (const line of lines.slice(0, again)) console.log(line);
  console.log(`   … process 1 was killed at ${killedAt.toISOString()}, and process 2 took the query over:`);
  for (const line of lines.slice(again)) console.log(line);
  if (again < 0 || status !== "finished") {
    throw new Error(`query ${query.id} was not taken over: it is ${status}`);
  }
  const seconds = ((timeOf(lines[again]!) - killedAt.getTime()) / 1000).toFixed(1);
  console.log(`\nProcess 2 began it ${seconds} s after the kill; Pulumi waited for it and did nothing twice.`);
}

/** Waits until Spark computes the program's query of the events per day. */
async function selectOnSpark(client: Client, deployed: Promise<void>, signal: AbortSignal): Promise<Query> {
  const ended = deployed.then(() => true);
  for (;;) {
    signal.throwIfAborted();
    const { queries } = await client.listQueries({ clusterName: "spark", status: ["running"] });
    for (const { id, ...summary } of queries) {
      if (summary.type !== "select" || !summary.query.includes("to_date(event_time)") || summary.stage < 2) continue;
      const query = await client.getQuery({ queryId: id });
      if (query.type === "select" && query.status === "running") return query;
    }
    if (await Promise.race([ended, pause(50, false)])) {
      throw new Error("the query ended before its service process could be killed: use a larger --event-bytes");
    }
  }
}

/** Returns the time with which a line of a log begins. */
function timeOf(line: string): number {
  return Date.parse(line.slice(0, line.indexOf(" ")));
}

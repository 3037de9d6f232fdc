/** The progress of a statement from the REST API of Spark's web interface: its protocol reports none. */
import * as z from "zod";
import { ProgressError } from "../client/errors";

export interface SparkApi {
  /** URL of the web interface, without a slash at the end. */
  readonly url: string;
}

/** Milliseconds that a call may take; the progress is left as it was after them. */
const callMilliseconds = 2000;

const applications = z.array(z.object({ id: z.string() }));
const jobs = z.array(
  z.object({ jobGroup: z.string().optional(), numTasks: z.number(), numCompletedTasks: z.number() }),
);

/**
 * Returns the share of the tasks of a statement that have ended, 0 to 100; undefined when it has none yet.
 * @throws ProgressError when the web interface does not answer as Spark's does
 */
export async function taskProgress(
  { url }: SparkApi,
  statementId: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const [application] = applications.parse(await read(`${url}/api/v1/applications`, signal));
    if (!application) return undefined;
    const all = jobs.parse(await read(`${url}/api/v1/applications/${application.id}/jobs`, signal));
    const own = all.filter(({ jobGroup }) => jobGroup === statementId);
    const tasks = own.reduce((sum, { numTasks }) => sum + numTasks, 0);
    return tasks === 0 ? undefined : (100 * own.reduce((sum, job) => sum + job.numCompletedTasks, 0)) / tasks;
  } catch {
    signal.throwIfAborted();
    throw new ProgressError(`${new URL(url).origin} does not answer as Spark's web interface: check ui in the config`);
  }
}

async function read(address: string, signal: AbortSignal): Promise<unknown> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(callMilliseconds)]);
  const answer = await fetch(address, { signal: limit, redirect: "error" });
  return answer.json();
}

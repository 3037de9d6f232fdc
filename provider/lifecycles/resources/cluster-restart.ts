/** ClusterRestart: restarts a cluster once. */
import * as z from "zod";
import { clusterStatuses, errors, fields, type ClusterRecord, type ClusterStatus } from "../../../contract";
import { CallAbortedError, isTransient, mayHaveBeenCarriedOut, waitUntil, WaitError } from "../../client";
import { checkProperties } from "../schema/check";
import { startDeadline, formatDuration, clientClock, type Deadline } from "../deadline";
import { diffProperties, withDifference } from "../schema/diff";
import { describeError } from "../describe-error";
import { PartialCreate, type Lifecycle, type LifecycleContext } from "../lifecycle";
import { redacted, redactedError } from "../redaction";
import { always, optional, required, type InputsOf, type OutputsOf } from "../schema/properties";

const inputs = {
  clusterName: required(fields.clusterName),
  type: optional(fields.clusterType, { computed: true }),
  debug: optional(fields.debug, { computed: true }),
  force: optional(fields.force, { change: "update", fallback: false }),
  drain: optional(z.boolean({ error: "it must be true or false" }), {
    change: "update",
    fallback: false,
    description: "Set to `true` to wait for running queries to end before the restart. Default `false`.",
  }),
  triggers: optional(z.unknown(), {
    description: "Any value, such as a list of strings. The cluster is restarted again when the value changes.",
  }),
};

const outputs = {
  type: always(z.string(), "Engine family of the cluster."),
  debug: always(z.boolean(), "True when the engine of the cluster writes verbose logs."),
  status: always(
    z.enum(clusterStatuses),
    "Status of the cluster when the wait for its restart ended: `norm` or `ptfailed`.",
  ),
  restartedAt: always(
    z.string(),
    "Time at which the resource began the restart, before it waited for running queries, in ISO 8601, UTC.",
  ),
};

export type ClusterRestartInputs = InputsOf<typeof inputs>;
export type ClusterRestartState = OutputsOf<typeof outputs>;

/** Restarts a cluster and waits until it accepts work again. */
export const clusterRestart: Lifecycle<ClusterRestartInputs, ClusterRestartState> = {
  name: "ClusterRestart",
  description:
    "Restarts a cluster, optionally with another engine family or with verbose logs, and waits until it accepts queries again. " +
    "A restart deletes the logs of the cluster's queries. When Pulumi is killed before it has stored the restart, the next " +
    "`up` restarts the cluster again.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("ClusterRestart", inputs, given, options.secret);
    const conflict = checked.drain === true && checked.force === true;
    const reason =
      "drain and force are both true: drain waits for running queries, force cancels them; set only one of them";
    const found = failures.length === 0 && conflict ? [{ property: "drain", reason }] : failures;
    return { inputs: checked, failures: found, warnings: [] };
  },

  diff(old, news) {
    const diff = diffProperties(inputs, old.inputs, withoutSame(news, old), { deleteBeforeReplace: false });
    return old.state?.status !== undefined && isUnfinished(old.state.status)
      ? withDifference(diff, "status", false)
      : diff;
  },

  outputsFromInputs: () => ({}),

  async create(news, context) {
    const deadline = startDeadline(context);
    const before = await newestQuerySinceRestart(news.clusterName, context);
    const restartedAt = new Date(context.now()).toISOString();
    for (;;) {
      if (news.drain) await waitUntilDrained(news.clusterName, deadline, context);
      if (await restart(news, before, deadline, context)) break;
    }
    return { id: news.clusterName, state: await waitUntilRestarted(news, restartedAt, deadline, context) };
  },

  async read(id, stored, context) {
    try {
      const cluster = await context.client.getCluster({ clusterName: id }, { signal: context.signal });
      const { type, debug, status } = cluster;
      const restartedAt = stored?.state.restartedAt ?? "";
      const state = { type, debug, status, restartedAt };
      // With what the cluster is, so that a program that says the same does not restart it.
      if (!stored) return { id, inputs: { clusterName: id, type, debug }, state: { ...state, status: "norm" } };
      // Return the cluster's current values as inputs, so that a change outside of Pulumi shows up as a difference.
      const drift = {
        ...(stored.inputs.type !== undefined && { type }),
        ...(stored.inputs.debug !== undefined && { debug }),
      };
      return { id, inputs: { ...stored.inputs, ...drift }, state: { ...state, status: stored.state.status } };
    } catch (error) {
      if (error instanceof errors.ClusterNotFound) return undefined;
      throw error;
    }
  },

  async update(_id, { state }, news, context) {
    if (!isUnfinished(state.status)) return state;
    return waitUntilRestarted(news, state.restartedAt, startDeadline(context), context);
  },

  async delete(_id, { inputs: olds }, context) {
    context.info(
      `a restart of cluster ${redacted(olds.clusterName, context)} cannot be undone: its deletion changes nothing`,
    );
    return Promise.resolve();
  },
};

/** Statuses from which a restarting cluster recovers. */
const recoveringStatuses: ReadonlySet<ClusterStatus> = new Set(["init", "starting", "restarting", "stopped", "failed"]);

/** Pause after a failed request of which the restart did not take place, in milliseconds. */
const pauseAfterFailure = 1_000;

function isUnfinished(status: ClusterStatus): boolean {
  return status !== "norm" && status !== "ptfailed";
}

/** Leaves out what the program says for the first time and the cluster is already: it changes nothing. */
function withoutSame(
  { type, debug, ...news }: ClusterRestartInputs,
  { inputs: before, state = {} }: Parameters<typeof clusterRestart.diff>[0],
): ClusterRestartInputs {
  const isNew = { type: type !== state.type, debug: debug !== state.debug };
  return {
    ...news,
    ...((before.type !== undefined || isNew.type) && { type }),
    ...((before.debug !== undefined || isNew.debug) && { debug }),
  };
}

/** Requests the restart. Returns false when it must be requested again. */
async function restart(
  { clusterName, type, debug, force, drain }: ClusterRestartInputs,
  before: number | undefined,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<boolean> {
  context.report(`[1/2] restarting cluster ${redacted(clusterName, context)}`);
  try {
    const request = {
      clusterName,
      ...(force !== undefined && { force }),
      ...(type !== undefined && { type }),
      ...(debug !== undefined && { debug }),
    };
    await context.client.restartCluster(request, { signal: context.signal, timeout: deadline.remainingForTimer() });
    return true;
  } catch (error) {
    if (error instanceof errors.QueryIsRunning) {
      if (drain) return false;
      throw await runningQueriesError(clusterName, error, context);
    }
    if (error instanceof errors.InvalidClusterState) {
      const status = (await context.client.getCluster({ clusterName }, { signal: context.signal })).status;
      // The cluster may have recovered after it rejected the restart.
      if (!isUnfinished(status)) return false;
      if (!recoveringStatuses.has(status) || status === "stopped") throw error;
      await waitUntilNorm(clusterName, deadline, context, "[1/2] waiting until cluster");
      return false;
    }
    const responseWasLost = (isTransient(error) || error instanceof CallAbortedError) && mayHaveBeenCarriedOut(error);
    if (!responseWasLost || context.signal.aborted) throw error;
    if (await wasRestarted(clusterName, before, context)) return true;
    if (deadline.remaining() <= 0) throw error;
    await context.sleep(pauseAfterFailure, context.signal);
    return false;
  }
}

/** Returns the newest query since the last restart. A restart sets its `clusterRebooted`. */
async function newestQuerySinceRestart(
  clusterName: string,
  { client, signal }: LifecycleContext,
): Promise<number | undefined> {
  const page = await client.listQueries({ clusterName, clusterRebooted: false, order: "desc", max: 1 }, { signal });
  return page.queries[0]?.id;
}

/**
 * Returns true when a restart whose response was lost took place. Without a query that tells, returns false: a second
 * restart is harmless.
 */
async function wasRestarted(
  clusterName: string,
  before: number | undefined,
  context: LifecycleContext,
): Promise<boolean> {
  const { client, signal } = context;
  const { status } = await client.getCluster({ clusterName }, { signal });
  if (status === "restarting" || status === "starting") return true;
  return before !== undefined && (await client.getQuery({ queryId: before }, { signal })).clusterRebooted;
}

async function runningQueriesError(clusterName: string, cause: Error, context: LifecycleContext): Promise<Error> {
  const { client, signal } = context;
  const running: string[] = [];
  for await (const { id, label } of client.queries({ clusterName, status: ["running"] }, { signal })) {
    running.push(label ? `${id} (${label})` : `${id}`);
  }
  const named = running.length > 0 ? `: ${running.join(", ")}` : "";
  return new Error(
    `cluster "${redacted(clusterName, context)}" cannot be restarted while queries are running on it${named}: set drain: true to wait for them, ` +
      `force: true to cancel them, or cancel them yourself`,
    { cause },
  );
}

async function waitUntilDrained(clusterName: string, deadline: Deadline, context: LifecycleContext): Promise<void> {
  const { client } = context;
  const name = redacted(clusterName, context);
  await waitUntil({
    what: `the queries on cluster "${name}" to end`,
    look: async (signal) => {
      const running: number[] = [];
      const page = client.queries({ clusterName, status: ["running"] }, { ...(signal && { signal }) });
      for await (const { id } of page) running.push(id);
      return running;
    },
    until: (running) => running.length === 0,
    observed: ({ length }) =>
      context.report(`[1/2] waiting for ${length} running ${length === 1 ? "query" : "queries"} on ${name}`),
    describe: (running) => `queries ${running.join(", ")} are running`,
    timeout: deadline.remaining(),
    signal: context.signal,
    clock: clientClock(context),
  });
}

async function waitUntilRestarted(
  { clusterName, ...given }: ClusterRestartInputs,
  restartedAt: string,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<ClusterRestartState> {
  const name = redacted(clusterName, context);
  let last: ClusterRecord | undefined;
  try {
    last = await waitUntilNorm(clusterName, deadline, context, "[2/2] cluster", (seen) => (last = seen));
    context.report(`restarted · cluster ${name} is ${last.status}`);
    return { type: last.type, debug: last.debug, status: last.status, restartedAt };
  } catch (error) {
    // What was asked for: other values would be a difference from the inputs, and restart the cluster again.
    const { type, debug } = last ?? { type: given.type ?? "", debug: given.debug ?? false };
    const status = last && isUnfinished(last.status) ? last.status : "restarting";
    const seen = last ? `last observed status: ${last.status}` : "its status was not observed";
    const reason =
      error instanceof WaitError
        ? `cluster "${name}" was restarted, but did not become norm within ${formatDuration(deadline.timeout)} (${seen}): ` +
          `run "pulumi up" again to continue waiting for it`
        : `cluster "${name}" was restarted, but waiting for it failed (${seen}): ${describeError(redactedError(error, context))}`;
    throw new PartialCreate(clusterName, { type, debug, status, restartedAt }, [reason], { cause: error });
  }
}

function waitUntilNorm(
  clusterName: string,
  deadline: Deadline,
  context: LifecycleContext,
  prefix: string,
  observed: (cluster: ClusterRecord) => void = () => {},
): Promise<ClusterRecord> {
  const name = redacted(clusterName, context);
  return waitUntil({
    what: `cluster "${name}" to become norm`,
    look: (signal) => context.client.getCluster({ clusterName }, { ...(signal && { signal }) }),
    until: ({ status }) => {
      if (status === "norm" || status === "ptfailed") return true;
      if (!recoveringStatuses.has(status))
        throw new Error(`its status is ${status}, from which it does not recover by itself`);
      return false;
    },
    observed: (cluster) => {
      observed(cluster);
      context.report(`${prefix} ${name}: ${cluster.status}`);
    },
    describe: ({ status }) => status,
    timeout: deadline.remaining(),
    signal: context.signal,
    clock: clientClock(context),
  });
}

/** ClusterRestart: one restart of a cluster (specification §4.7). */
import * as z from "zod";
import { clusterStatuses, errors, fields, type ClusterRecord, type ClusterStatus } from "../../../contract";
import { CallAbortedError, isTransient, mayHaveBeenCarriedOut, waitUntil, WaitError } from "../../client";
import { checkProperties } from "../schema/check";
import { deadlineOf, formatDuration, waitClock, type Deadline } from "../deadline";
import { diffProperties, withDifference } from "../schema/diff";
import { explain } from "../explanation";
import { PartialCreate, type Lifecycle, type LifecycleContext } from "../lifecycle";
import { always, optional, required, type InputsOf, type OutputsOf } from "../schema/properties";

const inputs = {
  clusterName: required(fields.clusterName),
  type: optional(fields.clusterType, { computed: true }),
  debug: optional(fields.debug, { computed: true }),
  force: optional(fields.force, { change: "update", fallback: false }),
  drain: optional(z.boolean({ error: "it must be true or false" }), {
    change: "update",
    fallback: false,
    description: "Whether to wait until nothing runs on the cluster before it is restarted. Default `false`.",
  }),
  triggers: optional(z.unknown(), {
    description: "Any value, such as a list of texts: whenever it changes, the cluster is restarted again.",
  }),
};

const outputs = {
  type: always(z.string(), "Engine family that the cluster has (specification §2.2)."),
  debug: always(z.boolean(), "Whether the cluster's engine writes verbose logs (specification §2.2)."),
  status: always(
    z.enum(clusterStatuses),
    "Status of the cluster when it was last seen: `norm` after a restart (specification §2.2).",
  ),
  restartedAt: always(z.string(), "When the restart was asked for, ISO 8601, UTC."),
};

export type ClusterRestartInputs = InputsOf<typeof inputs>;
export type ClusterRestartState = OutputsOf<typeof outputs>;

/** Restarts a cluster and waits until it takes work again. */
export const clusterRestart: Lifecycle<ClusterRestartInputs, ClusterRestartState> = {
  name: "ClusterRestart",
  description:
    "Restarts a cluster, with another engine family or verbose logs if asked, and waits until it is `norm` again " +
    "(specification §4.7). A restart destroys the logs of the cluster's queries.",
  properties: { inputs, outputs },

  check(given, options) {
    const { inputs: checked, failures } = checkProperties("ClusterRestart", inputs, given, options.secret);
    const both = checked.drain === true && checked.force === true;
    const reason = "drain waits for the running queries, force cancels them: set one of the two";
    const found = failures.length === 0 && both ? [{ property: "drain", reason }] : failures;
    return { inputs: checked, failures: found, warnings: [] };
  },

  diff(old, news) {
    const diff = diffProperties(inputs, old.inputs, news, { deleteBeforeReplace: false });
    return old.state?.status !== undefined && unfinished(old.state.status)
      ? withDifference(diff, "status", false)
      : diff;
  },

  named: () => ({}),

  async create(news, context) {
    const deadline = deadlineOf(context);
    const before = await latestLivingQuery(news.clusterName, context);
    const restartedAt = new Date(context.now()).toISOString();
    for (;;) {
      if (news.drain) await drained(news.clusterName, deadline, context);
      if (await restart(news, before, deadline, context)) break;
    }
    return { id: news.clusterName, state: await restarted(news, restartedAt, deadline, context) };
  },

  async read(id, known, context) {
    try {
      const cluster = await context.client.getCluster({ clusterName: id }, { signal: context.signal });
      const { type, debug, status } = cluster;
      const restartedAt = known?.state.restartedAt ?? "";
      const state = { type, debug, status, restartedAt };
      if (!known) return { id, inputs: { clusterName: id }, state: { ...state, status: "norm" } };
      // What another has changed since must differ from the program's inputs, so that it is seen.
      const drift = {
        ...(known.inputs.type !== undefined && { type }),
        ...(known.inputs.debug !== undefined && { debug }),
      };
      return { id, inputs: { ...known.inputs, ...drift }, state: { ...state, status: known.state.status } };
    } catch (error) {
      if (error instanceof errors.ClusterNotFound) return undefined;
      throw error;
    }
  },

  async update(_id, { state }, news, context) {
    if (!unfinished(state.status)) return state;
    return restarted(news, state.restartedAt, deadlineOf(context), context);
  },

  async delete(_id, { inputs: olds }, context) {
    context.info(`nothing was done: a restart of cluster ${olds.clusterName} cannot be taken back`);
    return Promise.resolve();
  },
};

/** Statuses from which a restarting cluster comes back. */
const coming: ReadonlySet<ClusterStatus> = new Set(["init", "starting", "restarting", "stopped", "failed"]);

function unfinished(status: ClusterStatus): boolean {
  return status !== "norm" && status !== "ptfailed";
}

/** Asks for the restart; false where it is to be asked for again. */
async function restart(
  { clusterName, type, debug, force, drain }: ClusterRestartInputs,
  before: number | undefined,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<boolean> {
  context.report(`[1/2] restarting cluster ${clusterName}`);
  try {
    const request = {
      clusterName,
      ...(force !== undefined && { force }),
      ...(type !== undefined && { type }),
      ...(debug !== undefined && { debug }),
    };
    await context.client.restartCluster(request, { signal: context.signal, timeout: deadline.timer() });
    return true;
  } catch (error) {
    if (error instanceof errors.QueryIsRunning) {
      if (drain) return false;
      throw await queriesRun(clusterName, error, context);
    }
    if (error instanceof errors.InvalidClusterState) {
      const status = (await context.client.getCluster({ clusterName }, { signal: context.signal })).status;
      // It may have come back between the refusal and the look.
      if (!unfinished(status)) return false;
      if (!coming.has(status) || status === "stopped") throw error;
      await clusterNorm(clusterName, deadline, context, "[1/2] waiting until cluster");
      return false;
    }
    const lost = (isTransient(error) || error instanceof CallAbortedError) && mayHaveBeenCarriedOut(error);
    if (!lost || context.signal.aborted) throw error;
    return wasRestarted(clusterName, before, context);
  }
}

/** The newest query since the last restart: a restart will mark it. */
async function latestLivingQuery(
  clusterName: string,
  { client, signal }: LifecycleContext,
): Promise<number | undefined> {
  const page = await client.listQueries({ clusterName, clusterRebooted: false, order: "desc", max: 1 }, { signal });
  return page.queries[0]?.id;
}

/** Whether a restart whose answer was lost took place. Where no query could tell, another does no harm. */
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

async function queriesRun(clusterName: string, cause: Error, { client, signal }: LifecycleContext): Promise<Error> {
  const running: string[] = [];
  for await (const { id, label } of client.queries({ clusterName, status: ["running"] }, { signal })) {
    running.push(label ? `${id} (${label})` : `${id}`);
  }
  const named = running.length > 0 ? `: ${running.join(", ")}` : "";
  return new Error(
    `cluster "${clusterName}" cannot be restarted while queries run on it${named}: set drain: true to wait for them, ` +
      `force: true to cancel them, or cancel them yourself`,
    { cause },
  );
}

async function drained(clusterName: string, deadline: Deadline, context: LifecycleContext): Promise<void> {
  const { client } = context;
  await waitUntil({
    what: `the queries on cluster "${clusterName}" to end`,
    look: async (signal) => {
      const running: number[] = [];
      const page = client.queries({ clusterName, status: ["running"] }, { ...(signal && { signal }) });
      for await (const { id } of page) running.push(id);
      return running;
    },
    until: (running) => running.length === 0,
    observed: ({ length }) =>
      context.report(`[1/2] waiting for ${length} running ${length === 1 ? "query" : "queries"} on ${clusterName}`),
    describe: (running) => `queries ${running.join(", ")} run`,
    timeout: deadline.left(),
    signal: context.signal,
    clock: waitClock(context),
  });
}

async function restarted(
  { clusterName }: ClusterRestartInputs,
  restartedAt: string,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<ClusterRestartState> {
  let last: ClusterRecord | undefined;
  try {
    last = await clusterNorm(clusterName, deadline, context, "[2/2] cluster", (seen) => (last = seen));
    context.report(`restarted · cluster ${clusterName} is ${last.status}`);
    return { type: last.type, debug: last.debug, status: last.status, restartedAt };
  } catch (error) {
    const { type = "", debug = false } = last ?? {};
    const status = last && unfinished(last.status) ? last.status : "restarting";
    const seen = last ? `it was last seen ${last.status}` : "it was not seen";
    const reason =
      error instanceof WaitError
        ? `cluster "${clusterName}" was restarted, but did not become norm within ${formatDuration(deadline.timeout)} (${seen}): ` +
          `run "pulumi up" again to go on waiting for it`
        : `cluster "${clusterName}" was restarted, but waiting for it failed (${seen}): ${explain(error)}`;
    throw new PartialCreate(clusterName, { type, debug, status, restartedAt }, [reason], { cause: error });
  }
}

function clusterNorm(
  clusterName: string,
  deadline: Deadline,
  context: LifecycleContext,
  prefix: string,
  observed: (cluster: ClusterRecord) => void = () => {},
): Promise<ClusterRecord> {
  return waitUntil({
    what: `cluster "${clusterName}" to become norm`,
    look: (signal) => context.client.getCluster({ clusterName }, { ...(signal && { signal }) }),
    until: ({ status }) => {
      if (status === "norm" || status === "ptfailed") return true;
      if (!coming.has(status)) throw new Error(`its status is ${status}, from which it does not come back by itself`);
      return false;
    },
    observed: (cluster) => {
      observed(cluster);
      context.report(`${prefix} ${clusterName}: ${cluster.status}`);
    },
    describe: ({ status }) => status,
    timeout: deadline.left(),
    signal: context.signal,
    clock: waitClock(context),
  });
}

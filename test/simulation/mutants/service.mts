/** Changes of how one service accepts, runs, cancels and ends queries. */
import type { Mutant } from "./mutant.mts";

const attemptSteps = "service/state/sqlite/attempt-steps.ts";
const leases = "service/state/sqlite/leases.ts";
const running = "service/state/sqlite/running-queries.ts";
const execution = "service/core/queries/execution.ts";
const executions = "service/core/queries/executions.ts";
const publication = "service/core/queries/publication.ts";
const service = "service/core/service.ts";

export const serviceMutants: readonly Mutant[] = [
  { name: "accept: more than the slots", file: running, from: "if (running >= slots)", to: "if (running > slots)" },
  {
    name: "accept: an output of another query",
    file: running,
    from: "return this.#overlap(outputFolder(query), reservation);",
    to: "return undefined;",
  },
  {
    name: "accept: the query is not started",
    file: "service/core/queries/submissions.ts",
    from: "executions.start(accepted.query, reads);",
    to: "",
  },
  {
    name: "accept: also when the caller has left",
    file: "service/core/queries/submissions.ts",
    from: "  signal.throwIfAborted();\n",
    to: "",
  },
  {
    name: "cancel: is forgotten",
    file: attemptSteps,
    from: 'if (query.isCancelled) return "cancelled";',
    to: "",
  },
  {
    name: "cancel: is answered before the query has ended",
    file: executions,
    from: 'return (await this.#cancelled(id, (execution) => execution.ended())) === "canceled";',
    to: "void this.#cancelled(id, ({ done }) => done); return true;",
  },
  {
    name: "restart of the service: running queries hold no folder",
    file: leases,
    from: "running.add(row.id, toQuery(row, false), { isPublishing: row.publishing !== 0 });",
    to: "",
  },
  {
    name: "start: takes nothing over",
    file: service,
    from: "for (const query of await state.leases.takeOver()) this.#resume(query);",
    to: "",
  },
  { name: "start: deletes no orphans", file: service, from: "await deleteOrphans(platform, state.queries);", to: "" },
  {
    name: "takeOver: the attempt keeps its number",
    file: leases,
    from: "UPDATE queries SET epoch = epoch + 1 WHERE id = ?",
    to: "UPDATE queries SET epoch = epoch WHERE id = ?",
  },
  {
    name: "takeOver: a complete result is computed again",
    file: execution,
    from: "if (this.query.publishing) return undefined;",
    to: "",
  },
  {
    name: "takeOver: publishes its own attempt",
    file: publication,
    from: "const writtenBy = isRetry ? query.publishedEpoch : publishedBy;",
    to: "const writtenBy = publishedBy;",
  },
  {
    name: "stop: ends the queries",
    file: execution,
    from: 'if (this.#interrupted === "stopped" && (!this.#publishing || isUnavailable)) return;',
    to: "",
  },
  {
    name: "publish: without the mark",
    file: execution,
    from: "if (result) await this.#markPublishing(result);",
    to: "",
  },
  {
    name: "end: what a failed publication wrote is deleted before the error is stored",
    file: execution,
    from: '(this.#isKept || (status === "error" && this.#publishing))',
    to: "this.#isKept",
  },
  {
    name: "retention: also of a query that runs",
    file: "service/core/retention.ts",
    from: 'if (query.status === "running" || !isDeleted(query)) continue;',
    to: "if (!isDeleted(query)) continue;",
  },
  {
    name: "end: what the attempt wrote stays",
    file: execution,
    from: "if (!discardLast) await this.#discard(output.bucket, isRetry ? undefined : epoch);",
    to: "",
  },
  {
    name: "restartCluster: is answered before its queries have ended",
    file: "service/core/clusters/cluster-operations.ts",
    from: "  await cancelled;",
    to: "",
  },
];

/**
 * Changes of one line of the real code, each of which takes away a fence, an order, a flush, an attempt's number or a look
 * before a repeat. Schedules must find each: they show that the simulation can fail.
 */
import type { Mutant } from "./build.mts";

const folders = "service/state/outputs/folders.ts";
const attemptSteps = "service/state/sqlite/attempt-steps.ts";
const leases = "service/state/sqlite/leases.ts";
const running = "service/state/sqlite/running-queries.ts";
const execution = "service/core/queries/execution.ts";
const executions = "service/core/queries/executions.ts";
const publication = "service/core/queries/publication.ts";
const service = "service/core/service.ts";
const s3 = "service/state/outputs/s3.ts";
const s3Publication = "service/state/outputs/s3-publication.ts";
const submission = "provider/lifecycles/queries/submission.ts";
const search = "provider/lifecycles/queries/submission-search.ts";
const queryResource = "provider/lifecycles/queries/query-resource.ts";
const lease = "service/state/postgres/lease.ts";
const takeover = "service/state/postgres/takeover.ts";
const selectQuery = "provider/lifecycles/resources/select-query.ts";

export const mutants: readonly Mutant[] = [
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
    name: "cancel: is forgotten",
    file: attemptSteps,
    from: 'if (query.isCancelled) return "cancelled";',
    to: "",
  },
  {
    name: "cancel: is answered before the query has ended",
    file: executions,
    from: 'return (await this.#cancelled(id)) === "canceled";',
    to: "void this.#cancelled(id); return true;",
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
    name: "start: deletes the folders of running queries",
    file: folders,
    from: 'const isKept = kind !== "attempt" && queryId !== undefined && ids.has(queryId);',
    to: "const isKept = false;",
  },
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
    name: "publish: a result is not flushed",
    file: folders,
    from: "replaceFolder(from, to, old);\n        await syncFolder(dirname(to));",
    to: "replaceFolder(from, to, old);",
  },
  {
    name: "publish: a table is not flushed",
    file: folders,
    from: "      await syncFolder(dirname(to));\n    });\n  }\n\n  discard(",
    to: "    });\n  }\n\n  discard(",
  },
  {
    name: "publish: without the mark",
    file: execution,
    from: "if (result) await this.#markPublishing(result);",
    to: "",
  },
  {
    name: "publish: the old result stays in tmp/",
    file: folders,
    from: "      }\n      await removeFolder(old);\n    });",
    to: "      }\n    });",
  },
  {
    name: "S3: the manifest is made again by each try",
    file: s3Publication,
    from: "(await storedManifest(this.publication)) ?? (await this.#writeManifest())",
    to: "await this.#writeManifest()",
  },
  {
    name: "S3: the old result stays beside the new one",
    file: s3Publication,
    from: "if (!isNew) await this.storage.deleteFolder(target);",
    to: "",
  },
  {
    name: "S3: what was published is published again",
    file: s3,
    from: "if (!record || record.published) {",
    to: "if (!record) {",
  },
  {
    name: "S3: an attempt is not recorded as published",
    file: s3Publication,
    from: "if (!(await records.setPublished(record, publishedBy))) throw new AttemptLost();",
    to: "",
  },
  {
    name: "S3: a publication is not repeated",
    file: s3Publication,
    from: "if (signal.aborted || !isTransientS3Error(error) || performance.now() > end) throw error;",
    to: "throw error;",
  },
  {
    name: "S3: late objects stay",
    file: s3,
    from: "if (!output.published) this.#removeLater(output);",
    to: "if (!output.published) await this.options.records.remove(output);",
  },
  {
    name: "S3: the marker is forgotten",
    file: s3,
    from: "for (const output of published) this.#removeLater(output);\n      throw error;",
    to: "for (const output of published) await this.options.records.remove(output);\n      throw error;",
  },
  {
    name: "S3: a start deletes no leftovers",
    file: s3,
    from: "for (const output of await this.options.records.ended()) {",
    to: "for (const output of [] as OutputRecord[]) {",
  },
  {
    name: "end: what a failed publication wrote is deleted before the error is stored",
    file: execution,
    from: '(this.#isKept || (status === "error" && this.#publishing))',
    to: "this.#isKept",
  },
  {
    name: "publish: a rename that fails leaves no old result",
    file: folders,
    from: "if (exists(old)) renameSync(old, to);",
    to: "",
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
    name: "end: the marker stays",
    file: folders,
    from: "rmSync(marker, { force: true });",
    to: "",
  },
  {
    name: "submit: no look before a repeat",
    file: submission,
    from: "const found = await this.#findEarlierAttempt(error);",
    to: "const found = undefined as number | undefined;",
  },
  {
    name: "submit: a look for running queries only",
    file: search,
    from: '(record.status === "running" || record.id > snapshot.newestId)',
    to: 'record.status === "running"',
  },
  {
    name: "submit: one look for a request that may still arrive",
    file: search,
    from: "mayStillArrive ? lostSearchDelays : [0]",
    to: "[0]",
  },
  {
    name: "submit: adopts a query of an older table",
    file: selectQuery,
    from: "const read = { tables: identityOf(news.tables), inputFingerprint };",
    to: "const read = { inputFingerprint };",
  },
  {
    name: "update: does not wait for a query that runs",
    file: selectQuery,
    from: 'if (state.status === "running") {',
    to: "if (false) {",
  },
  {
    name: "diff: a query that runs needs nothing",
    file: queryResource,
    from: 'return status === "running" ? withDifference(diff, "status", false) : diff;',
    to: "return diff;",
  },
  {
    name: "diff: a failed query needs nothing",
    file: queryResource,
    from: 'if (status === "error" || status === "canceled") {',
    to: 'if (status === "error" && status !== "error") {',
  },
  {
    name: "delete: does not wait for the end of the query",
    file: "provider/lifecycles/queries/cancel.ts",
    from: 'until: (status) => status !== "running",',
    to: "until: () => true,",
  },
  {
    name: "create: a failed query is a result",
    file: "provider/lifecycles/queries/query-failure.ts",
    from: 'if (isOfType && record.status === "finished") return',
    to: 'if (isOfType && record.status !== "running") return',
  },
  {
    name: "replace: the table keeps its generation",
    file: "provider/lifecycles/freshness/generations.ts",
    from: "if (generation !== earlier) return generation;",
    to: "return earlier ?? generation;",
  },
  {
    name: "refresh: a changed input object is not noticed",
    file: "provider/lifecycles/freshness/follow-inputs.ts",
    from: "if (!follows || !hasRead || !storage || inputFingerprint === undefined) return state;",
    to: "return state;",
  },
  {
    name: "refresh: a changed input object of a query that runs is not noticed",
    file: "provider/lifecycles/freshness/follow-inputs.ts",
    from: 'state.status === "finished" || state.status === "running"',
    to: 'state.status === "finished"',
  },
  {
    name: "restartCluster: is answered before its queries have ended",
    file: "service/core/clusters/cluster-operations.ts",
    from: "  await cancelled;",
    to: "",
  },
  {
    name: "PostgreSQL: takes over a query whose publication is confirmed",
    kind: "shared",
    file: takeover,
    from: "coalesce(q.held_until, '-infinity') < now()",
    to: "true",
  },
  {
    name: "PostgreSQL: takes over what a living process runs",
    kind: "shared",
    file: takeover,
    from: "WHERE p.id = q.runner AND ${isAlive})`;",
    to: "WHERE p.id = q.runner AND false)`;",
  },
  {
    name: "PostgreSQL: a taken over attempt keeps its number",
    kind: "shared",
    file: takeover,
    from: "SET runner = $1, epoch = epoch + 1, held_until = NULL",
    to: "SET runner = $1, held_until = NULL",
  },
  {
    name: "PostgreSQL: queries of ended processes are left",
    kind: "shared",
    file: lease,
    from: "if (orphan) takeover.request(listener);",
    to: "",
  },
  {
    name: "PostgreSQL: a slow confirmation counts",
    kind: "shared",
    file: lease,
    from: "if (performance.now() - sent < confirmedMilliseconds) return true;",
    to: "return true;",
  },
  {
    name: "PostgreSQL: an attempt that was lost is confirmed",
    kind: "shared",
    file: lease,
    from: "WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id`,",
    to: "WHERE id = $1 AND $2 = $2 AND status = 'running' RETURNING id`,",
  },
  {
    name: "PostgreSQL: a query that its process does not know is kept",
    kind: "shared",
    file: lease,
    from: "if (twice.length === 0) return;",
    to: "return;",
  },
  {
    name: "PostgreSQL: a cancel of another process's query is not told",
    kind: "shared",
    file: lease,
    from: "for (const { id, cancelling } of rows) if (cancelling) listener.cancelled(id);",
    to: "",
  },
  {
    name: "PostgreSQL: more than the slots",
    kind: "shared",
    file: "service/state/postgres/admission-transactions.ts",
    from: "if (running >= slots)",
    to: "if (running > slots)",
  },
  {
    name: "PostgreSQL: the end of an earlier attempt is stored",
    kind: "shared",
    file: "service/state/postgres/ends.ts",
    from: "WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id`,\n    [id, epoch, status,",
    to: "WHERE id = $1 AND $2 = $2 AND status = 'running' RETURNING id`,\n    [id, epoch, status,",
  },
  {
    name: "PostgreSQL: a cancelled query is published",
    kind: "shared",
    file: "service/state/postgres/attempt-steps.ts",
    from: "AND status = 'running' AND NOT cancelling RETURNING id)",
    to: "AND status = 'running' RETURNING id)",
  },
];

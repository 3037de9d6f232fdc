/** Changes of how a deployment submits queries, and compares what it has. */
import type { Mutant } from "./mutant.mts";

const submission = "provider/lifecycles/queries/submission.ts";
const search = "provider/lifecycles/queries/submission-search.ts";
const queryResource = "provider/lifecycles/queries/query-resource.ts";
const selectQuery = "provider/lifecycles/resources/select-query.ts";

export const providerMutants: readonly Mutant[] = [
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
];

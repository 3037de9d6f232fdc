/** Pages of queries. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { queryStatuses, queryTypes, type QueryStatus } from "../../../contract";
import type { QueryFilter, State, StoredQuery } from "../../../service/core/ports/state";
import { accept, advance, duckdb, submission, useState, type StateStore } from "./state-store";

/** Tests of lists, and of what is kept. */
export function queriesSuite(create: () => Promise<StateStore>): void {
  let state: State;
  useState(create, (opened) => (state = opened));

  test("kept and remove: page through the queries, and never delete one that runs", async () => {
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const query = await accept(state);
      ids.push(query.id);
      if (count !== 3) await state.attempts.end(query, "finished", advance);
    }
    const first = await state.retention.listQueries(0, 3);
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(first[0]).toMatchObject({ clusterName: "c1", status: "finished", startTime: 1_700_000_000_000 });
    expect((await state.retention.listQueries(ids[2]!, 3)).map(({ id }) => id)).toEqual(ids.slice(3));
    expect(await state.retention.storedBytes()).toBeGreaterThan(0);
    await state.retention.removeQueries(ids);
    expect((await state.retention.listQueries(0, 9)).map(({ id }) => id)).toEqual([ids[3]]);
  });

  test("queries: returns the same pages as a simple filter over all queries", async () => {
    const letter = fc.constantFrom("a", "b", "c", "%", "_", "\\", "é", "\ud7ff", "\ue000", "\u{10ffff}");
    const label = fc.option(fc.string({ unit: letter, maxLength: 4 }), { nil: null });
    const clusterName = fc.constantFrom("c1", "c2", "d1");
    const query = fc.record({
      type: fc.constantFrom(...queryTypes),
      clusterName,
      label,
      status: fc.constantFrom(...queryStatuses),
    });
    const filter = fc.record(
      {
        statuses: fc.uniqueArray(fc.constantFrom(...queryStatuses), { minLength: 1 }),
        type: fc.constantFrom(...queryTypes),
        labelPrefix: fc.string({ unit: letter, maxLength: 2 }),
        clusterName,
        clusterNamePrefix: fc.constantFrom("", "c", "c1", "x"),
        clusterRebooted: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    let generation = (await state.admission.registerCluster("c1", duckdb)).generation;
    await fc.assert(
      fc.asyncProperty(
        fc.array(query, { maxLength: 25 }),
        fc.nat(25),
        filter,
        fc.constantFrom("asc", "desc"),
        fc.integer({ min: 1, max: 7 }),
        async (all, restartAt, given, order, max) => {
          const ids: StoredQuery[] = [];
          for (const [index, { status, ...rest }] of all.entries()) {
            if (index === restartAt) {
              const restarted = await state.admission.restartCluster("c1", duckdb, true);
              if (!restarted.refused) generation = restarted.cluster.generation;
            }
            const own = rest.clusterName === "c1" ? generation : 0;
            const accepted = await accept(state, submission(rest), { generation: own });
            if (status !== "running") await state.attempts.end(accepted, status, advance);
            ids.push(accepted);
          }
          const current = await Promise.all(ids.map(async ({ id }) => (await state.queries.get(id))!));
          const expected = current.filter((found) => matches(given, found)).map(({ id }) => id);
          if (order === "desc") expected.reverse();
          const pages: number[] = [];
          for (let marker: number | undefined; ;) {
            const page = await state.queries.list({
              ...given,
              order,
              limit: max,
              ...(marker === undefined ? {} : { marker }),
            });
            pages.push(...page.map(({ id }) => id));
            marker = page.at(-1)?.id;
            if (marker === undefined) break;
          }
          expect(pages).toEqual(expected);
          for (const { id, epoch, status } of current) {
            if (status === "running") await state.attempts.end({ id, epoch }, "canceled", advance);
          }
          await state.retention.removeQueries(ids.map(({ id }) => id));
        },
      ),
      { numRuns: 30 },
    );
  });

  test("queries: pages neither repeat nor miss queries while others are added and end", async () => {
    const before: StoredQuery[] = [];
    for (let count = 0; count < 25; count += 1) before.push(await accept(state));
    const seen: number[] = [];
    for (let marker: number | undefined; ;) {
      const more = marker === undefined ? {} : { marker };
      const page = await state.queries.list({ order: "desc", limit: 4, clusterName: "c1", ...more });
      if (page.length === 0) break;
      seen.push(...page.map(({ id }) => id));
      marker = page.at(-1)!.id;
      await accept(state);
      await state.attempts.end(before[seen.length % before.length]!, "finished", advance);
    }
    expect(seen).toEqual(before.map(({ id }) => id).toReversed());
  });
}

function matches(filter: Partial<QueryFilter>, query: StoredQuery): boolean {
  return (
    (filter.statuses?.includes(query.status as QueryStatus) ?? true) &&
    (filter.type ?? query.type) === query.type &&
    (filter.labelPrefix === undefined ||
      filter.labelPrefix === "" ||
      (query.label ?? "").startsWith(filter.labelPrefix)) &&
    (filter.clusterName ?? query.clusterName) === query.clusterName &&
    query.clusterName.startsWith(filter.clusterNamePrefix ?? "") &&
    (filter.clusterRebooted ?? query.clusterRebooted) === query.clusterRebooted
  );
}

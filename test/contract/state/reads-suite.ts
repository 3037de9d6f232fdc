/** What every adapter of the state does with the records of what queries read. */
import { expect, test } from "vitest";
import type { ReadInput } from "../../../service/core/ports/read-records";
import type { PublishedFolder, State } from "../../../service/core/ports/state";
import { accept, advance, submission, useState, type StateStore } from "./state-store";

export function readsSuite(create: () => Promise<StateStore>): void {
  let state: State;
  const { reopen } = useState(create, (opened) => (state = opened));

  const folder = (name: string) => ({ bucket: "out", key: `${name}/` });
  const read = (name: string, more: Partial<ReadInput> = {}): ReadInput => ({
    kind: "table",
    folder: folder(name),
    isDirect: true,
    objects: 2,
    bytes: 3_000_000_000,
    fingerprint: "f",
    ...more,
  });
  /** A finished query that has read some tables and written one. */
  async function finished(name: string, reads: readonly ReadInput[]): Promise<number> {
    const query = await accept(state, submission({ folder: name }));
    expect(await state.attempts.markPublishing(query, { columns: null, checked: false, reads })).toBe("marked");
    const known = { type: "select", format: "csv", columns: null, fingerprint: null, content: null } as const;
    const published: PublishedFolder = { ...known, queryId: query.id, folder: folder(name) };
    await state.attempts.end(query, "finished", advance, { published });
    return query.id;
  }

  test("of: returns what each query read, also when the state is opened again", async () => {
    const view = read("v", { kind: "view", isDirect: false, objects: null, bytes: null, fingerprint: null });
    const first = await finished("a", [read("x"), view]);
    const second = await finished("b", [read("x", { fingerprint: "g" })]);
    await reopen();
    expect(await state.reads.of([first, second])).toEqual([
      { queryId: first, ...read("x") },
      { queryId: first, ...view },
      { queryId: second, ...read("x", { fingerprint: "g" }) },
    ]);
    expect(await state.reads.of([second + 1])).toEqual([]);
  });

  test("markPublishing: a query that is lost or cancelled has no reads", async () => {
    const query = await accept(state);
    await state.attempts.markPublishing({ ...query, epoch: 7 }, { columns: null, checked: false, reads: [read("x")] });
    await state.admission.cancel(query.id);
    await state.attempts.markPublishing(query, { columns: null, checked: false, reads: [read("x")] });
    expect(await state.reads.of([query.id])).toEqual([]);
  });

  test("lastTo and readersOf: count only the last query to a folder", async () => {
    const first = await finished("a", [read("x")]);
    const second = await finished("a", [read("x")]);
    const third = await finished("b", [read("x"), read("y")]);
    expect((await state.reads.lastTo([folder("a"), folder("none")])).map(({ queryId }) => queryId)).toEqual([second]);
    const readers = async (name: string, limit = 9) =>
      (await state.reads.readersOf([folder(name)], limit)).map(({ read: { queryId }, published }) => [
        queryId,
        published.folder.key,
      ]);
    expect(await readers("x")).toEqual([
      [third, "b/"],
      [second, "a/"],
    ]);
    expect(await readers("x", 1)).toEqual([[third, "b/"]]);
    expect(await readers("y")).toEqual([[third, "b/"]]);
    expect((await state.reads.newest(third, 9)).map(({ queryId }) => queryId)).toEqual([second]);
    expect(first).toBeLessThan(second);
  });

  test("remove: what a query read goes with its record", async () => {
    const first = await finished("a", [read("x")]);
    const running = await accept(state);
    await state.attempts.markPublishing(running, { columns: null, checked: false, reads: [read("x")] });
    await state.retention.removeQueries([first, running.id]);
    expect((await state.reads.of([first, running.id])).map(({ queryId }) => queryId)).toEqual([running.id]);
    await state.reset();
    expect(await state.reads.of([running.id])).toEqual([]);
  });
}

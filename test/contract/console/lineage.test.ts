import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { InspectedPage, LineageEdge, LineageGraph, LineageNode, QueryRead } from "../../../contract";
import { ended } from "../service/caller";
import { useService } from "../service/fixture";

const fixture = useService({
  views: [
    { database: "data", view: "totals", query: "SELECT v, count(*) n FROM data.events GROUP BY v" },
    { database: "data", view: "above", query: "SELECT * FROM data.totals" },
  ],
});
beforeEach(() => fixture.service.reset());

const get = (target: string) => fixture.call("GET", target);
const graph = async (path: string): Promise<LineageGraph> => (await get(`/lineage/${path}`)).json;

/** Runs a select to `out.<table>`. */
async function make(table: string, query: string): Promise<number> {
  const { json } = await fixture.select({ query, outputResourcePath: `dag://out/${table}` });
  expect((await ended(fixture.service, json.queryId)).status).toBe("finished");
  return json.queryId;
}

const edgesOf = ({ edges }: LineageGraph) => edges.map(({ from, to }: LineageEdge) => `${from} ${to}`).toSorted();
const staleIn = ({ nodes }: LineageGraph) =>
  Object.fromEntries(
    nodes.filter(({ stale }: LineageNode) => stale).map(({ name, stale }: LineageNode) => [name, stale]),
  );
const change = (path: string) => writeFileSync(join(fixture.service.bucketsDirectory, path), "4,z\n");

describe("lineage", () => {
  test("a result has what it was made of and who reads it, over several levels", async () => {
    const first = await make("a", "select id, v from data.events");
    const second = await make("b", "select * from `out`.a");
    const third = await make("c", "select * from `out`.b");
    await make("other", "select * from data.numbers");
    const found = await graph("out/b");
    expect(found.root).toBe("dag://out/b/");
    expect(found.isCut).toBe(false);
    expect(edgesOf(found)).toEqual([
      "dag://data/events/ dag://out/a/",
      "dag://out/a/ dag://out/b/",
      "dag://out/b/ dag://out/c/",
    ]);
    expect(found.edges.map(({ queryId }) => queryId).toSorted()).toEqual([first, second, third]);
    expect(found.nodes).toEqual(
      expect.arrayContaining([
        { id: "dag://data/events/", kind: "table", name: "data.events" },
        { id: "dag://out/a/", kind: "result", name: "out.a", queryId: first },
        { id: "dag://out/b/", kind: "result", name: "out.b", queryId: second },
        { id: "dag://out/c/", kind: "result", name: "out.c", queryId: third },
      ]),
    );
    expect(edgesOf(await graph("out/c?levels=1"))).toEqual(["dag://out/b/ dag://out/c/"]);
  });

  test("a query has what it read, with the state of it", async () => {
    const id = await make("a", "select id from data.events");
    const { reads, stale } = (await get(`/queries/${id}`)).json;
    expect(reads).toEqual([
      {
        kind: "table",
        location: "dag://data/events/",
        name: "data.events",
        objects: 1,
        bytes: 12,
        fingerprint: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
    expect(stale).toBeUndefined();
  });

  test("a split has the objects that it read, and its table is what a select reads", async () => {
    const { json } = await fixture.split({ outputTable: "cut", schema: "bigint id, string v" });
    await ended(fixture.service, json.queryId);
    await make("a", "select id from data.cut");
    expect(edgesOf(await graph("out/a"))).toEqual(["dag://data/cut/ dag://out/a/", "dag://raw/ dag://data/cut/"]);
    expect((await graph("data/cut")).nodes[0]).toMatchObject({ kind: "table", queryId: json.queryId });
    // Another object of that folder is not its input.
    change("raw/in.jsonl");
    expect(staleIn(await graph("out/a"))).toEqual({});
    change("raw/in.csv");
    expect(staleIn(await graph("out/a"))).toEqual({
      "data.cut": "dag://raw/ was changed",
      "out.a": "dag://raw/ was changed (through data.cut)",
    });
  });

  test("a view stands between the table and who reads it", async () => {
    await make("a", "select * from data.above");
    const expected = [
      "dag://data/above/ dag://out/a/",
      "dag://data/events/ dag://data/totals/",
      "dag://data/totals/ dag://data/above/",
    ];
    for (const path of ["out/a", "data/events", "data/totals"]) expect(edgesOf(await graph(path))).toEqual(expected);
    expect((await graph("data/totals")).nodes[0]).toMatchObject({ kind: "view", name: "data.totals" });
  });

  test("a table that is read directly and through a view has both ways", async () => {
    await make("a", "select t.v from data.totals t join data.events e on e.v = t.v");
    expect(edgesOf(await graph("out/a"))).toContain("dag://data/events/ dag://out/a/");
    expect(edgesOf(await graph("out/a"))).toContain("dag://data/totals/ dag://out/a/");
  });

  test("who reads a table reads the folders of its partitions", async () => {
    await make("p/dt=1", "select id from data.events");
    await make("a", "select * from `out`.p");
    const expected = [
      "dag://data/events/ dag://out/p/dt=1/",
      "dag://out/p/ dag://out/a/",
      "dag://out/p/dt=1/ dag://out/p/",
    ];
    for (const path of ["out/a", "out/p/dt%3D1"]) expect(edgesOf(await graph(path))).toEqual(expected);
  });

  test("a table that is made of itself over time is no endless way", async () => {
    await make("a", "select id, v from data.events");
    await make("b", "select * from `out`.a");
    const last = await make("a", "select * from `out`.b");
    expect(edgesOf(await graph("out/a"))).toEqual(["dag://out/a/ dag://out/b/", "dag://out/b/ dag://out/a/"]);
    expect(staleIn(await graph("out/a"))["out.b"]).toContain(`out.a was rebuilt by query ${last}`);
  });

  test("a result whose objects were changed is a folder and says why, as the catalog does, until a query writes it again", async () => {
    const id = await make("a", "select id, v from data.events");
    change("out/a/000000_0");
    const note = `objects of dag://out/a/ were changed, removed or added since query ${id} wrote its result there`;
    const [node] = (await graph("out/a")).nodes;
    expect(node).toEqual({ id: "dag://out/a/", kind: "folder", name: "out.a", queryId: id, note });
    expect((await get("/catalog/out/a")).json).toMatchObject({ source: "folder", note: expect.stringContaining(note) });
    expect((await get(`/results/${id}`)).json.replaced).toEqual({ reason: note });
    expect((await graph("data/events")).nodes).toContainEqual(node);
    const again = await make("a", "select id, v from data.events");
    expect((await graph("out/a")).nodes[0]).toEqual({
      id: "dag://out/a/",
      kind: "result",
      name: "out.a",
      queryId: again,
    });
  });

  test("the table of a split with an object beside it says so, and stays its table", async () => {
    const { json } = await fixture.split({ outputTable: "cut", schema: "bigint id, string v" });
    await ended(fixture.service, json.queryId);
    change("data/cut/more.csv");
    const { note } = (await get("/catalog/data/cut")).json;
    const [node] = (await graph("data/cut")).nodes;
    expect(node).toMatchObject({ kind: "table", queryId: json.queryId });
    expect(note).toContain(node!.note);
  });

  test("the objects of an older query that were put back are its result, made of what it read", async () => {
    const first = await make("a", "select id, v from data.events");
    const path = join(fixture.service.bucketsDirectory, "out/a/000000_0");
    const older = readFileSync(path);
    await make("a", "select n from data.numbers");
    writeFileSync(path, older);
    expect((await get("/catalog/out/a")).json).toMatchObject({
      source: "select",
      columns: [{ name: "id" }, { name: "v" }],
    });
    const found = await graph("out/a");
    expect(found.nodes[0]).toEqual({ id: "dag://out/a/", kind: "result", name: "out.a", queryId: first });
    expect(edgesOf(found)).toEqual(["dag://data/events/ dag://out/a/"]);
  });

  test("refuses what is no folder", async () => {
    for (const path of ["out/", "out/..%2Fx/y", "out/a?levels=0", "out/a?nothing=1"]) {
      expect((await get(`/lineage/${path}`)).json.code).toBe("InvalidParameter");
    }
  });

  test("a folder with nothing in it, of which nothing is known, does not exist", async () => {
    for (const path of ["out/none", "missing/none"]) {
      const { status, json } = await get(`/lineage/${path}`);
      expect([status, json.code, json.message]).toEqual([
        404,
        "InputObjectNotFound",
        expect.stringContaining(`dag://${path}/ does not exist`),
      ]);
    }
  });
});

describe("stale", () => {
  const stale = async (more = "") => (await get(`/queries?stale=true${more}`)).json;

  test("a result is stale when its table was changed, rebuilt or deleted after it, with all that is made of it", async () => {
    const first = await make("a", "select id, v from data.events");
    const second = await make("b", "select * from `out`.a");
    expect(staleIn(await graph("out/b"))).toEqual({});
    expect((await stale()).queries).toEqual([]);
    change("data/events/b.csv");
    const reason = "data.events was changed";
    expect(staleIn(await graph("data/events"))).toEqual({ "out.a": reason, "out.b": `${reason} (through out.a)` });
    expect((await stale()).queries).toEqual([
      expect.objectContaining({ id: second, stale: `${reason} (through out.a)`, run: expect.anything() }),
      expect.objectContaining({ id: first, stale: reason, query: "select id, v from data.events" }),
    ]);
    const { reads } = (await get(`/queries/${first}`)).json;
    expect(reads.map((read: QueryRead) => read.change)).toEqual([reason]);

    const again = await make("a", "select id, v from data.events");
    expect(staleIn(await graph("data/events"))).toEqual({ "out.b": `out.a was rebuilt by query ${again}` });
    await make("b", "select * from `out`.a");
    expect((await stale()).queries).toEqual([]);
    rmSync(join(fixture.service.bucketsDirectory, "out/a"), { recursive: true });
    expect(staleIn(await graph("out/b"))).toEqual({ "out.b": "out.a was deleted" });
  });

  test("a result that was deleted is not stale: the lineage says that it is gone, and the list leaves it out", async () => {
    await make("a", "select id, v from data.events");
    const second = await make("b", "select * from `out`.a where false");
    const third = await make("c", "select * from `out`.b");
    change("data/events/b.csv");
    const ids = async () => ((await stale()) as InspectedPage).queries.map(({ id }) => id);
    expect(await ids()).toContain(second);
    rmSync(join(fixture.service.bucketsDirectory, "out/b"), { recursive: true });
    expect(await ids()).not.toContain(second);
    expect(await ids()).toContain(third);
    const { nodes } = await graph("out/a");
    expect(nodes.filter(({ isDeleted }) => isDeleted)).toEqual([
      { id: "dag://out/b/", kind: "result", name: "out.b", queryId: second, isDeleted: true },
    ]);
    expect(nodes.find(({ name }) => name === "out.c")).toMatchObject({ stale: "out.b was deleted" });
  });

  test("the list has pages", async () => {
    const ids: number[] = [];
    for (const name of ["a", "b", "c"]) ids.unshift(await make(name, "select id from data.events"));
    change("data/events/b.csv");
    const first = await stale("&max=2");
    expect(first).toMatchObject({ isTruncated: true, nextMarker: ids[1] });
    const rest = await stale(`&max=2&marker=${first.nextMarker}`);
    expect([...first.queries, ...rest.queries].map(({ id }) => id)).toEqual(ids);
    expect(rest.isTruncated).toBe(false);
    expect((await stale("&status=error")).code).toBe("InvalidParameter");
    expect((await get("/queries?stale=false")).json.code).toBe("InvalidParameter");
  });
});

import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { queriesOf, startService, TestStack, type Run } from "../provider/harness";
import { birds, frontEndOfToday, objects, type FrontEnd } from "./front-ends";

/** A component of a table and two queries of it, one of them in a component of its own. */
class Sightings extends pulumi.ComponentResource {
  readonly rows: pulumi.Output<unknown>;

  constructor(frontEnd: FrontEnd, name: string, database: string, options: pulumi.ComponentResourceOptions = {}) {
    super("test:birds:Sightings", name, {}, options);
    const table = frontEnd.table(`${name}-birds`, birds(database), { parent: this });
    const counts = frontEnd.query(
      `${name}-counts`,
      {
        clusterName: "demo",
        query: pulumi.interpolate`SELECT bird, sum(n) AS n FROM ${table.qualifiedName} GROUP BY bird ORDER BY bird`,
        outputResourcePath: `dag://${database}/counts/`,
        resultRows: 10,
      },
      { parent: this },
    );
    new Total(frontEnd, name, database, table.qualifiedName, { parent: this });
    this.rows = counts.result.apply((result) => result?.rows);
    this.registerOutputs({ rows: this.rows });
  }
}

class Total extends pulumi.ComponentResource {
  constructor(
    frontEnd: FrontEnd,
    name: string,
    database: string,
    table: pulumi.Input<string>,
    options: pulumi.ComponentResourceOptions,
  ) {
    super("test:birds:Total", name, {}, options);
    const query = pulumi.interpolate`SELECT sum(n) AS n FROM ${table}`;
    for (const kind of ["total", "again"]) {
      const outputResourcePath = `dag://${database}/${kind}/`;
      frontEnd.query(`${name}-${kind}`, { clusterName: "demo", query, outputResourcePath }, { parent: this });
    }
    this.registerOutputs();
  }
}

const counted = [
  ["owl", "5"],
  ["wren", "1"],
];

/** Names of this package's resources, in the order in which the service accepted their queries. */
async function order(stack: TestStack): Promise<string[]> {
  const resources = await stack.resources();
  return resources.toSorted((a, b) => Number(a.id) - Number(b.id)).map(({ urn }) => urn.split("::").at(-1)!);
}

describe.each(frontEndOfToday(0))("components, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["west", "east", "results"] });
    stack = await TestStack.create(service);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  const twice = () => {
    const west = new Sightings(frontEnd, "west", "west");
    const east = new Sightings(frontEnd, "east", "east");
    return { west: west.rows, east: east.rows };
  };

  async function runsNothing(change: Promise<Run>): Promise<void> {
    const before = await queriesOf(service);
    const run = await change;
    expect(run.text).not.toContain("error");
    expect(run.changes).toMatchObject({ same: 8 });
    expect(Object.keys(run.changes).filter((op) => op !== "same" && op !== "refresh")).toEqual([]);
    expect(await queriesOf(service)).toEqual(before);
  }

  test("preview: a component used twice, with a component inside, lists its resources", async () => {
    stack.program = twice;
    const run = await stack.preview();
    expect(run.changes, run.text).toEqual({ create: 8 });
  });

  test("up: creates them, with one query for each", async () => {
    const run = await stack.up();
    expect(run.outputs, run.text).toMatchObject({ west: counted, east: counted });
    expect(await queriesOf(service)).toHaveLength(8);
    const types = ["test:birds:Sightings", "test:birds:Total", frontEnd.type("SelectQuery")];
    const { urn, inputs } = await stack.resource("west-total");
    // Earlier releases stored the same for the only resource of a component.
    if (frontEnd.name !== "plugin") {
      // oxlint-disable-next-line vitest/no-conditional-expect -- the plugin stores no metadata
      expect(inputs["__dag"]).toMatch(/ dev::e2e::test:birds:Sightings\$test:birds:Total\$SelectQuery::west-total$/);
    }
    expect(urn).toBe(`urn:pulumi:dev::e2e::${types.join("$")}::west-total`);
  });

  test("up: runs nothing again", async () => {
    await runsNothing(stack.up());
    await runsNothing(stack.up({ refresh: true }));
  });

  test("up: runs nothing again when a transform returns what it was given", async () => {
    const unchanged: pulumi.ResourceTransform = ({ props, opts }) => ({ props, opts });
    stack.program = () => {
      pulumi.runtime.registerResourceTransform(unchanged);
      pulumi.runtime.registerStackTransformation(({ props, opts }) => ({ props, opts }));
      const west = new Sightings(frontEnd, "west", "west", { transforms: [unchanged] });
      const east = new Sightings(frontEnd, "east", "east", {
        transformations: [({ props, opts }) => ({ props, opts })],
      });
      return { west: west.rows, east: east.rows };
    };
    await runsNothing(stack.up());
  });

  test("up: a transform on a component changes the inputs of its resources", async () => {
    stack.program = () => {
      const relabel: pulumi.ResourceTransform = ({ type, props, opts }) =>
        type === frontEnd.type("SelectQuery") ? { props: { ...props, deletionPolicy: "purge" }, opts } : undefined;
      const west = new Sightings(frontEnd, "west", "west", { transforms: [relabel] });
      const east = new Sightings(frontEnd, "east", "east");
      return { west: west.rows, east: east.rows };
    };
    const run = await stack.up();
    expect(run.changes, run.text).toEqual({ same: 5, update: 3 });
    expect(run.outputs).toMatchObject({ west: counted, east: counted });
  });

  test("up: a moved and renamed component with an alias runs nothing again", async () => {
    stack.program = () => {
      const parent = new pulumi.ComponentResource("test:birds:All", "all");
      const west = new Sightings(frontEnd, "west", "west", { parent, aliases: [{ parent: pulumi.rootStackResource }] });
      const east = new Sightings(frontEnd, "east", "east");
      return { west: west.rows, east: east.rows };
    };
    const before = await queriesOf(service);
    const run = await stack.up();
    expect(run.text).not.toContain("error");
    expect(await queriesOf(service)).toEqual(before);
    expect(run.outputs).toMatchObject({ west: counted, east: counted });
  });

  test("up: what depends on a component runs after all of it, also from inside another one", async () => {
    await stack.destroy();
    stack.program = () => {
      const west = new Sightings(frontEnd, "west", "west");
      new Sightings(frontEnd, "east", "east", { dependsOn: west });
      const last = new pulumi.ComponentResource("test:birds:Last", "last", {}, { dependsOn: [west] });
      const query = { clusterName: "demo", query: "SELECT 1 AS n", outputResourcePath: "dag://results/last/" };
      frontEnd.query("last", query, { parent: last, dependsOn: west });
    };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    const names = await order(stack);
    const west = names.slice(0, 4);
    expect(west.every((name) => name.startsWith("west-"))).toBe(true);
    expect(west).toHaveLength(4);
    expect(names.slice(4)).toContain("last");
  });

  test("destroy: deletes the resources of all components", async () => {
    expect((await stack.destroy()).ok).toBe(true);
    expect(await stack.resources()).toEqual([]);
  });
});

describe.each(frontEndOfToday(0))("resources of one name in components of two types, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;
  let second: { query: string; outputResourcePath: string };

  beforeAll(async () => {
    service = await startService({ buckets: ["results"] });
    stack = await TestStack.create(service);
    stack.program = () => {
      const [a, b] = ["A", "B"].map((type) => new pulumi.ComponentResource(`test:birds:${type}`, type));
      const first = { query: "SELECT 7 AS n", outputResourcePath: "dag://results/first/" };
      frontEnd.query("daily", { clusterName: "demo", ...second, resultRows: 1 }, { parent: b!, dependsOn: reads(a!) });
      frontEnd.query("daily", { clusterName: "demo", ...first }, { parent: a! });
    };
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  /** The plugin does not find out which tables a statement reads. */
  const reads = (component: pulumi.Resource) => (frontEnd.name === "plugin" ? [component] : []);

  test("preview: refuses the same folder for both", async () => {
    second = { query: "SELECT 8 AS n", outputResourcePath: "dag://results/first/" };
    const run = await stack.preview();
    expect(run.ok).toBe(false);
    expect(run.text).toContain('SelectQuery "daily" of test:birds:A');
    expect(run.text).toContain('SelectQuery "daily" of test:birds:B');
  });

  test("up: one reads the result of the other", async () => {
    second = { query: "SELECT count(*) AS n FROM results.first", outputResourcePath: "dag://results/second/" };
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    const resources = await stack.resources();
    expect(resources.map(({ outputs }) => outputs["result"])).toContainEqual(
      expect.objectContaining({ rows: [["1"]] }),
    );
  });
});

import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { queriesOf, startService, TestStack } from "../provider/harness";
import { frontEndOfToday, objects } from "./front-ends";

/** A component that a package of another process makes, as a generated SDK defines it. */
class Sightings extends pulumi.ComponentResource {
  declare readonly rows: pulumi.Output<unknown>;

  constructor(name: string, args: { readonly frontEnd: string; readonly database: string }) {
    super("birds:index:Sightings", name, { rows: undefined, ...args }, {}, true);
  }
}

describe.each(frontEndOfToday(1))("components of a package, $name", ({ name }) => {
  let service: TestService;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["west", "east"] });
    stack = await TestStack.create(service, {}, { birds: join(__dirname, "birds-package") });
    const frontEnd = name === "plugin" ? "plugin" : "dynamic";
    stack.program = () => {
      const west = new Sightings("west", { frontEnd, database: "west" });
      return { west: west.rows };
    };
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  test("preview: lists the resources of the component", async () => {
    const run = await stack.preview();
    expect(run.changes, run.text).toEqual({ create: 3 });
  });

  test("up: creates them, with a query that reads the table after it is made", async () => {
    const run = await stack.up();
    expect(run.outputs, run.text).toMatchObject({ west: [["6"]] });
    const before = await queriesOf(service);
    expect(before.map(({ type }) => type)).toEqual(["split", "select", "select"]);
    expect((await stack.up()).changes).toEqual({ same: 3 });
    expect(await queriesOf(service)).toEqual(before);
  });

  test("destroy: deletes them", async () => {
    const run = await stack.destroy();
    expect(run.ok, run.text).toBe(true);
    expect(await stack.resources()).toEqual([]);
  });
});

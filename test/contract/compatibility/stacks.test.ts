/** Stacks that 0.1.0 deployed are not changed by this version. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { startService } from "../../e2e/provider/harness";
import { dynamicFrontEnd, pluginFrontEnd, type FrontEnd, type Kind } from "../plugin/front-ends";
import type { Values } from "../plugin/plugin-process";
import { fixture } from "./fixtures";

interface Deployed {
  readonly kind: Kind;
  readonly name: string;
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
}

const stacks = fixture<Readonly<Record<"plugin" | "dynamic", readonly Deployed[]>>>("stacks.json");
const makers = { plugin: pluginFrontEnd, dynamic: dynamicFrontEnd };
let service: TestService;
beforeAll(async () => {
  service = await startService({ buckets: ["results", "tables"] });
});
afterAll(() => service?.close());

describe.each(["plugin", "dynamic"] as const)("%s front end: a resource of 0.1.0", (name) => {
  let frontEnd: FrontEnd;
  beforeAll(async () => {
    frontEnd = await makers[name](service);
  });
  afterAll(() => frontEnd?.[Symbol.asyncDispose]());

  test.each(stacks[name])("$kind: is the same with the same inputs, and another with others", async (deployed) => {
    const { kind, id, inputs, outputs } = deployed;
    const old = { properties: outputs, inputs };
    const { __gen: _generation, ...program } = inputs;
    const checked = await frontEnd.check(kind, deployed.name, program, inputs);
    expect(checked.failures).toEqual([]);
    expect(await frontEnd.diff(kind, deployed.name, id, old, checked.inputs)).toMatchObject({ changes: false });
    const other = await frontEnd.check(kind, deployed.name, { ...program, ...others[kind] }, inputs);
    expect(await frontEnd.diff(kind, deployed.name, id, old, other.inputs)).toMatchObject({
      changes: true,
      replaces: Object.keys(others[kind]!),
    });
  });
});

const others: Partial<Record<Kind, Values>> = {
  SelectQuery: { query: "SELECT 1 AS one" },
  SplitTable: { schema: "string bird, bigint eggs" },
};

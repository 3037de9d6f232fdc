// oxlint-disable vitest/no-conditional-expect, vitest/no-standalone-expect -- the front ends answer some options differently
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { objectsUnder, queriesOf, startService, TestStack } from "../provider/harness";
import { birds, frontEndOfToday, number, objects } from "./front-ends";
import { onlyWithPlugin, OtherProvider } from "./plugin-options";
import { defineScenarios } from "./scenarios";

type Options = pulumi.CustomResourceOptions;

describe.each(frontEndOfToday(1))("resource options, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["results", "tables"] });
    stack = await TestStack.create(service);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  const isPlugin = frontEnd.name === "plugin";
  const scenario = defineScenarios(() => stack);
  const folder = (key: string) => `dag://results/${key}/`;
  /** The query `one` of a scenario, which is its label. */
  const one = (key: string, value = 1, options: Options = {}, more: object = {}) =>
    frontEnd.query(`${key}.one`, number(value, folder(key), { label: key, ...more }), options);
  /** The query `two` of a scenario, which writes beside the first one. */
  const two = (key: string, options: Options) => frontEnd.query(`${key}.two`, number(1, folder(`${key}-two`)), options);
  /** What ran for the query `one` of a scenario. */
  const queries = async (key: string) => (await queriesOf(service)).filter(({ label }) => label?.startsWith(key));
  const expectResult = (key: string) => expect(objectsUnder(service, folder(key))).toEqual(["000000_0"]);

  let before: unknown[] = [];
  scenario("aliases", "aliases: a renamed resource is the same one", [
    {
      program: () => void one("aliases"),
      then: async () => {
        before = await queries("aliases");
        expect(before).toHaveLength(1);
      },
    },
    {
      program: () =>
        void frontEnd.query("aliases.new", number(1, folder("aliases"), { label: "aliases" }), {
          aliases: [{ name: "aliases.one" }],
        }),
      then: async (operations) => {
        expect(operations).toEqual([]);
        expect(await queries("aliases")).toEqual(before);
        expectResult("aliases");
      },
    },
  ]);

  const byOutput = (value: number) => {
    const { queryId } = one("outputName", value);
    const outputTable = pulumi.interpolate`by_output_${queryId}`;
    frontEnd.table("outputName.two", birds("tables", { outputTable } as never));
  };
  scenario("outputName", "a table that is named by an output of a resource that is replaced: is replaced, too", [
    { program: () => byOutput(1) },
    {
      program: () => byOutput(2),
      then: (operations) => expect(operations).toEqual(expect.arrayContaining(["replace one", "replace two"])),
    },
  ]);

  const isUnchanged = (operations: readonly string[]) => expect(operations).toEqual([]);
  const ignoring = (ignoreChanges: string[], value: number, more: object = {}) => ({
    program: () => void one("ignored", value, { ignoreChanges }, more),
    then: isUnchanged,
  });
  scenario("ignored", "ignoreChanges: a changed input changes nothing", [
    { program: () => void one("ignored") },
    ignoring(["query"], 2),
    ignoring(["resultRows"], 1, { resultRows: 0 }),
    ignoring(["*"], 2, { resultRows: 0 }),
  ]);

  /** Two steps, of which the second one replaces a resource. */
  const replacing = (first: () => void, second: () => void, replaced = "one") => [
    { program: first },
    { program: second, then: (operations: readonly string[]) => expect(operations).toContain(`replace ${replaced}`) },
  ];
  scenario(
    "named",
    "replaceOnChanges: an input whose change replaces anyway may be named",
    replacing(
      () => void one("named", 1, { replaceOnChanges: ["query", "triggers"] }),
      () => void one("named", 2, { replaceOnChanges: ["query"] }),
    ),
  );
  scenario(
    "trigger",
    "replacementTrigger: a changed value runs the query again",
    replacing(
      () => void one("trigger", 1, { replacementTrigger: "a" }),
      () => void one("trigger", 1, { replacementTrigger: "b" }),
    ),
  );
  scenario(
    "with",
    "replaceWith: runs again with the resource that it names",
    replacing(
      () => void two("with", { replaceWith: [one("with", 1)] }),
      () => void two("with", { replaceWith: [one("with", 2)] }),
      "two",
    ),
  );
  scenario(
    "hidden",
    "hideDiffs: changes nothing but the display",
    replacing(
      () => void one("hidden", 1, { hideDiffs: ["query"] }),
      () => void one("hidden", 2, { hideDiffs: ["query"] }),
    ),
  );

  const createdFirst = (value: number) =>
    void one("first", value, { deleteBeforeReplace: false }, { deletionPolicy: "keep" });
  scenario("first", "deleteBeforeReplace: false creates the replacement first", [
    { program: () => createdFirst(1) },
    {
      program: () => createdFirst(2),
      then: (operations) => {
        expect(operations).toEqual(["create-replacement one", "replace one", "delete-replaced one"]);
        expectResult("first");
      },
    },
  ]);

  const transformed = (trigger: string) => () => {
    // The SDK passes `deleteBeforeReplace: false` to a transform unless the resource sets it, as dynamic ones do.
    const options = isPlugin ? { deleteBeforeReplace: true } : {};
    const transforms: pulumi.ResourceTransform[] = [({ props, opts }) => ({ props, opts })];
    const table = birds("tables", { outputTable: "transforms", label: "transforms table", triggers: [trigger] });
    frontEnd.table("transforms.table", table, { ...options, transforms });
    one("transforms", 1, { ...options, transforms }, { triggers: [trigger] });
  };
  const splits = async () => (await queries("transforms")).filter(({ type }) => type === "split");
  scenario("transforms", "transforms: returned options still delete the old query and table first", [
    {
      program: transformed("a"),
      then: async () => {
        expect(await queries("transforms")).toHaveLength(2);
        expect(await splits()).toHaveLength(1);
      },
    },
    {
      program: transformed("b"),
      then: async (operations) => {
        for (const name of ["table", "one"]) {
          const own = operations.filter((operation) => operation.endsWith(` ${name}`));
          expect(own).toEqual([`delete-replaced ${name}`, `replace ${name}`, `create-replacement ${name}`]);
        }
        expect(await queries("transforms")).toHaveLength(4);
        expect(await splits()).toHaveLength(2);
        expect(objectsUnder(service, "dag://tables/transforms/")).toEqual(["000000_0"]);
      },
    },
  ]);

  scenario("changed", "transformations: change the inputs of a resource", [
    {
      program: () => {
        const change: pulumi.ResourceTransformation = ({ props, opts }) => ({
          props: { ...(props as object), resultRows: 0 },
          opts,
        });
        one("changed", 1, { transformations: [change] });
      },
      then: async () => {
        const { outputs } = await stack.resource("changed.one");
        expect(outputs["queryId"]).toBeDefined();
        expect(outputs["result"]).not.toHaveProperty("rows");
      },
    },
  ]);

  scenario("retained", "retainOnDelete: forgets the resource and deletes nothing", [
    { program: () => void one("retained", 1, { retainOnDelete: true }) },
    {
      program: () => {},
      then: (operations) => {
        expect(operations).toEqual(["delete one"]);
        expectResult("retained");
      },
    },
  ]);

  scenario("with-it", "deletedWith: is not deleted by itself when the other is", [
    { program: () => void two("with-it", { deletedWith: one("with-it") }) },
    {
      program: () => {},
      then: () => {
        expect(objectsUnder(service, folder("with-it"))).toEqual([]);
        expectResult("with-it-two");
      },
    },
  ]);

  scenario("late", "dependsOn: waits for the resource", [
    {
      program: () => void one("late", 1, { dependsOn: [two("late", {})] }),
      then: async () => {
        const [first, second] = [await stack.resource("late.two"), await stack.resource("late.one")];
        expect(Number(first.id)).toBeLessThan(Number(second.id));
        expect(second.dependencies).toEqual([first.urn]);
      },
    },
  ]);

  scenario("secret", "additionalSecretOutputs: encrypts the output in the state", [
    {
      program: () => void one("secret", 1, { additionalSecretOutputs: ["result"] }),
      then: async () => {
        const { outputs } = await stack.resource("secret.one");
        expect(outputs["result"]).toHaveProperty("4dabf18193072939515e22adb298388d");
      },
    },
  ]);

  const called: string[] = [];
  const hook = (name: string) => (args: { readonly urn: string }) => {
    called.push(`${name} ${args.urn.split("::").at(-1)}`);
  };
  const hooked = (more: object) => () => {
    const hooks: pulumi.ResourceHookBinding = {
      beforeCreate: [hook("beforeCreate")],
      afterCreate: [hook("afterCreate")],
      afterUpdate: [hook("afterUpdate")],
      beforeDelete: [new pulumi.ResourceHook("bye", hook("beforeDelete"))],
    };
    one("hooks", 1, { hooks }, more);
  };
  scenario("hooks", "hooks: run before and after each operation", [
    { program: hooked({}) },
    { program: hooked({ resultRows: 0 }) },
    {
      program: () => void new pulumi.ResourceHook("bye", hook("beforeDelete")),
      then: () => {
        const operations = ["beforeCreate", "afterCreate", "afterUpdate", "beforeDelete"];
        expect(called).toEqual(operations.map((operation) => `${operation} hooks.one`));
      },
    },
  ]);

  const provided = "provider: one that a component passes down serves the plugin, and does not reach dynamic resources";
  scenario("passed", provided, [
    {
      program: () => {
        const providers = [new OtherProvider("passed", service)];
        one("passed", 1, { parent: new pulumi.ComponentResource("test:birds:Holder", "holder", {}, { providers }) });
      },
      then: async () => {
        const { provider } = (await stack.resource("passed.one")) as unknown as { readonly provider: string };
        expect(provider.includes("::passed::")).toBe(isPlugin);
      },
    },
  ]);

  /** Runs a program that is refused before it has created a resource. */
  async function expectRefused(program: () => void, text: string | RegExp): Promise<void> {
    stack.program = program;
    const run = await stack.up();
    expect(run.ok).toBe(false);
    expect(run.text).toMatch(text);
    expect(await stack.resources()).toEqual([]);
  }

  onlyWithPlugin({
    isPlugin,
    one,
    folder,
    scenario,
    expectRefused,
    frontEnd,
    service: () => service,
    stack: () => stack,
  });

  test("customTimeouts: a duration that cannot be read is refused", () =>
    expectRefused(() => void one("timeouts", 1, { customTimeouts: { create: "1 hour" } }), /customTimeout.*1 hour/));

  test("protect: refuses to delete", async () => {
    stack.program = () => void one("protected", 1, { protect: true });
    expect((await stack.up()).ok).toBe(true);
    const run = await stack.destroy();
    expect(run.ok).toBe(false);
    expect(run.text).toContain("protect");
    expectResult("protected");
    stack.program = () => void one("protected", 1, { protect: false });
    expect((await stack.up()).ok).toBe(true);
    expect((await stack.destroy()).ok).toBe(true);
  });
});

// oxlint-disable vitest/no-conditional-expect, vitest/no-standalone-expect -- the front ends answer some options differently
import * as pulumi from "@pulumi/pulumi";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { objectsUnder, queriesOf, startService, TestStack, type Run } from "../provider/harness";
import { birds, frontEnds, number, objects } from "./front-ends";

/** Operations on this package's resources, in their order, such as `create one`. */
function operations(run: Run): string[] {
  return run.events.flatMap(({ resourcePreEvent }) => {
    const { op = "", type = "", urn = "" } = resourcePreEvent?.metadata ?? {};
    const isOurs = /dag/.test(type) && !type.startsWith("pulumi:") && op !== "same" && op !== "refresh";
    return isOurs ? [`${op} ${urn.split("::").at(-1)}`] : [];
  });
}

/** A provider of the plugin with a configuration of its own. */
class OtherProvider extends pulumi.ProviderResource {
  constructor({ url, credentials, bucketsDirectory }: TestService) {
    super("dag", "other", { endpoint: url, ...credentials, storage: `file:${bucketsDirectory}` });
  }
}

describe.each(frontEnds)("resource options, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;
  let round = 0;
  let path = "";

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["results", "tables"] });
    stack = await TestStack.create(service);
  });
  beforeEach(() => {
    round += 1;
    path = `dag://results/${round}/`;
  });
  afterEach(async () => {
    stack.program = () => {};
    expect((await stack.destroy()).ok).toBe(true);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  async function up(program: () => Promise<void> | void): Promise<Run> {
    stack.program = program;
    const run = await stack.up();
    expect(run.ok, run.text).toBe(true);
    return run;
  }

  const isPlugin = frontEnd.name === "plugin";
  /** The inputs that a record tells. */
  const plain = (value: number) => number(value, path, { deletionPolicy: undefined, resultRows: undefined });
  const one = (value = 1, options: pulumi.CustomResourceOptions = {}, more: object = {}) =>
    frontEnd.query("one", number(value, path, more), options);

  test("aliases: a renamed resource is the same one", async () => {
    await up(() => void one());
    const before = await queriesOf(service);
    const run = await up(() => void frontEnd.query("renamed", number(1, path), { aliases: [{ name: "one" }] }));
    expect(operations(run)).toEqual([]);
    expect(await queriesOf(service)).toEqual(before);
    expect(objectsUnder(service, path)).toEqual(["000000_0"]);
  });

  test("protect: refuses to delete", async () => {
    await up(() => void one(1, { protect: true }));
    const run = await stack.destroy();
    expect(run.ok).toBe(false);
    expect(run.text).toContain("protect");
    expect(objectsUnder(service, path)).toEqual(["000000_0"]);
    await up(() => void one(1, { protect: false }));
  });

  test("ignoreChanges: a changed input changes nothing", async () => {
    await up(() => void one(1));
    expect(operations(await up(() => void one(2, { ignoreChanges: ["query"] })))).toEqual([]);
    expect(operations(await up(() => void one(1, { ignoreChanges: ["resultRows"] }, { resultRows: 0 })))).toEqual([]);
    expect(operations(await up(() => void one(2, { ignoreChanges: ["*"] }, { resultRows: 0 })))).toEqual([]);
  });

  test("replaceOnChanges: an input whose change replaces anyway may be named", async () => {
    await up(() => void one(1, { replaceOnChanges: ["query", "triggers"] }));
    expect(operations(await up(() => void one(2, { replaceOnChanges: ["query"] })))).toContain("replace one");
  });

  test("replacementTrigger: a changed value runs the query again", async () => {
    await up(() => void one(1, { replacementTrigger: "a" }));
    const run = await up(() => void one(1, { replacementTrigger: "b" }));
    expect(operations(run)).toContain("replace one");
  });

  test("replaceWith: runs again with the resource that it names", async () => {
    const program = (value: number) => () => {
      const first = one(value);
      frontEnd.query("two", number(1, `dag://results/${round}b/`), { replaceWith: [first] });
    };
    await up(program(1));
    expect(operations(await up(program(2)))).toContain("replace two");
  });

  test("deleteBeforeReplace: false creates the replacement first", async () => {
    await up(() => void one(1, { deleteBeforeReplace: false }, { deletionPolicy: "keep" }));
    const run = await up(() => void one(2, { deleteBeforeReplace: false }, { deletionPolicy: "keep" }));
    expect(operations(run)).toEqual(["create-replacement one", "replace one", "delete-replaced one"]);
    expect(objectsUnder(service, path)).toEqual(["000000_0"]);
  });

  test("transforms: returned options still delete the old query and table first", async () => {
    // The SDK passes `deleteBeforeReplace: false` to a transform unless the resource sets it, as dynamic ones do.
    const options = isPlugin ? { deleteBeforeReplace: true } : {};
    const program = (trigger: string) => () => {
      const transforms: pulumi.ResourceTransform[] = [({ props, opts }) => ({ props, opts })];
      frontEnd.table("table", birds("tables", { triggers: [trigger] }), { ...options, transforms });
      one(1, { ...options, transforms }, { triggers: [trigger] });
    };
    await up(program("a"));
    const before = await queriesOf(service);
    const run = await up(program("b"));
    for (const name of ["table", "one"]) {
      const own = operations(run).filter((operation) => operation.endsWith(` ${name}`));
      expect(own).toEqual([`delete-replaced ${name}`, `replace ${name}`, `create-replacement ${name}`]);
    }
    expect(await queriesOf(service)).toHaveLength(before.length + 2);
    expect(objectsUnder(service, "dag://tables/birds/")).toEqual(["000000_0"]);
  });

  test("transformations: change the inputs of a resource", async () => {
    const transformations: pulumi.ResourceTransformation[] = [
      ({ props, opts }) => ({ props: { ...(props as object), resultRows: 0 }, opts }),
    ];
    await up(() => void one(1, { transformations }));
    const { outputs } = await stack.resource("one");
    expect(outputs["result"]).not.toHaveProperty("rows");
  });

  test("retainOnDelete: forgets the resource and deletes nothing", async () => {
    await up(() => void one(1, { retainOnDelete: true }));
    const run = await stack.destroy();
    expect(operations(run)).toEqual(["delete one"]);
    expect(objectsUnder(service, path)).toEqual(["000000_0"]);
  });

  test("deletedWith: is not deleted by itself when the other is", async () => {
    await up(() => {
      const first = one(1);
      frontEnd.query("two", number(1, `dag://results/${round}b/`), { deletedWith: first });
    });
    expect((await stack.destroy()).ok).toBe(true);
    expect(objectsUnder(service, path)).toEqual([]);
    expect(objectsUnder(service, `dag://results/${round}b/`)).toEqual(["000000_0"]);
  });

  test("dependsOn: waits for the resource", async () => {
    await up(() => {
      const late = frontEnd.query("z-late", number(1, `dag://results/${round}b/`));
      one(1, { dependsOn: [late] });
    });
    const [first, second] = [await stack.resource("z-late"), await stack.resource("one")];
    expect(Number(first.id)).toBeLessThan(Number(second.id));
    expect(second.dependencies).toEqual([first.urn]);
  });

  test("additionalSecretOutputs: encrypts the output in the state", async () => {
    await up(() => void one(1, { additionalSecretOutputs: ["result"] }));
    const { outputs } = await stack.resource("one");
    expect(outputs["result"]).toHaveProperty("4dabf18193072939515e22adb298388d");
  });

  test("customTimeouts: a duration that cannot be read is refused", async () => {
    stack.program = () => void one(1, { customTimeouts: { create: "1 hour" } });
    expect((await stack.up()).text).toMatch(/customTimeout.*1 hour/);
  });

  test("hooks: run before and after each operation", async () => {
    const called: string[] = [];
    const hook =
      (name: string) =>
      ({ urn }: { readonly urn: string }) => {
        called.push(`${name} ${urn.split("::").at(-1)}`);
      };
    const hooks = (): pulumi.ResourceHookBinding => ({
      beforeCreate: [hook("beforeCreate")],
      afterCreate: [hook("afterCreate")],
      afterUpdate: [hook("afterUpdate")],
      beforeDelete: [new pulumi.ResourceHook("bye", hook("beforeDelete"))],
    });
    await up(() => void one(1, { hooks: hooks() }));
    await up(() => void one(1, { hooks: hooks() }, { resultRows: 0 }));
    await up(() => void new pulumi.ResourceHook("bye", hook("beforeDelete")));
    expect(called).toEqual(["beforeCreate one", "afterCreate one", "afterUpdate one", "beforeDelete one"]);
  });

  test("hideDiffs: changes nothing but the display", async () => {
    await up(() => void one(1, { hideDiffs: ["query"] }));
    expect(operations(await up(() => void one(2, { hideDiffs: ["query"] })))).toContain("replace one");
  });

  const onlyPlugin: readonly (readonly [string, () => pulumi.CustomResourceOptions, string])[] = [
    [
      "replaceOnChanges",
      () => ({ replaceOnChanges: ["resultRows"] }),
      'replaceOnChanges "resultRows", because the SDK',
    ],
    ["provider", () => ({ provider: new OtherProvider(service) }), "provider, because they use the configuration"],
    ["version", () => ({ version: "0.0.1" }), 'version "0.0.1", because they have no plugin'],
    ["pluginDownloadURL", () => ({ pluginDownloadURL: "file:///none" }), 'pluginDownloadURL "file:///none", because'],
  ];
  test.each(onlyPlugin)(
    "%s: works with the plugin, and is refused by dynamic resources",
    async (name, options, text) => {
      stack.program = () => void one(1, options());
      const run = await stack.up();
      if (!isPlugin) {
        expect(run.ok).toBe(false);
        expect(run.text).toContain(`SelectQuery "one": dynamic resources do not support ${text}`);
        return;
      }
      expect(run.ok, run.text).toBe(true);
      const changed = await up(() => void one(1, options(), { resultRows: 0 }));
      expect(operations(changed)).toContain(name === "replaceOnChanges" ? "replace one" : "update one");
    },
  );

  test("provider: one that a component passes down serves the plugin, and does not reach dynamic resources", async () => {
    await up(() => {
      const providers = [new OtherProvider(service)];
      const parent = new pulumi.ComponentResource("test:birds:Holder", "holder", {}, { providers });
      one(1, { parent });
    });
    const { provider } = (await stack.resource("one")) as unknown as { readonly provider: string };
    expect(provider.includes("::other::")).toBe(isPlugin);
  });

  test("import: works with the plugin, and is refused by dynamic resources", async () => {
    await up(() => void one(1, { retainOnDelete: true }));
    const { id } = await stack.resource("one");
    await up(() => {});
    stack.program = () => void frontEnd.query("imported", plain(1), { import: id! });
    const run = await stack.up();
    if (isPlugin) expect(operations(run), run.text).toEqual(["import imported"]);
    else expect(run.text).toContain(`use dag.SelectQuery.get("imported", "${id}") to refer to it`);
  });
});

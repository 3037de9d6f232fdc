/** `replaceWith` that leaves the program: the engine deletes what it has said to be the same. */
import type * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { objectsUnder, queriesOf, startService, TestStack } from "../provider/harness";
import { birds, frontEndOfToday, number, objects } from "./front-ends";

describe.each(frontEndOfToday(1))("replaceWith, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["mart"] });
    stack = await TestStack.create(service);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  const makeOne = (trigger: string, options: pulumi.CustomResourceOptions = {}) =>
    frontEnd.query("one", number(1, "dag://mart/one/", { triggers: [trigger] }), options);
  const makeOthers = (options: pulumi.CustomResourceOptions = {}) => [
    frontEnd.table("birds", birds("mart"), options),
    frontEnd.query("two", number(2, "dag://mart/two/"), options),
  ];
  const up = async (program: () => void, options: { readonly refresh?: boolean } = {}) => {
    stack.program = program;
    const { ok, text } = await stack.up(options);
    expect(ok, text).toBe(true);
    return text;
  };
  const withObjects = () =>
    ["birds", "one", "two"].filter((name) => objectsUnder(service, `dag://mart/${name}/`).length > 0);

  test("the option leaves the program while the other resource is replaced: the result and the table stay", async () => {
    await up(() => void makeOthers({ replaceWith: [makeOne("x")] }));
    const before = await queriesOf(service);
    const text = await up(() => void makeOne("y", { dependsOn: makeOthers() }));
    expect(text.match(/^ +warning: it is deleted with another resource, .* its query made is kept$/gm)).toHaveLength(2);
    expect(text).toContain("1 ran, 0 adopted, 2 kept");
    expect(await queriesOf(service)).toHaveLength(before.length + 1);
    expect(withObjects()).toEqual(["birds", "one", "two"]);
    expect(await up(() => void makeOne("y", { dependsOn: makeOthers() }))).toContain("3 results are kept");
  });

  test("what leaves the program is deleted by an up that refreshes, and the others by a destroy that runs the program", async () => {
    await up(() => void makeOne("y"), { refresh: true });
    expect(withObjects()).toEqual(["one"]);
    const destroyed = await stack.destroy({ runProgram: true });
    expect(destroyed.ok, destroyed.text).toBe(true);
    expect(withObjects()).toEqual([]);
  });
});

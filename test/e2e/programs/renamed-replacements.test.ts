/** Resources with `purge` that are replaced in a run that says less of them: by another name, or with inputs that are not known yet. */
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { objectsUnder, startService, TestStack } from "../provider/harness";
import { birds, frontEndOfToday, number, objects } from "./front-ends";

/** What a program makes: the names of its resources, their folders, and what makes them run again. */
interface Made {
  readonly suffix?: string;
  readonly folder?: string;
  readonly trigger?: string;
}

describe.each(frontEndOfToday(0))("renamed and replaced, $name", (frontEnd) => {
  let service: TestService;
  let stack: TestStack;
  let round = 0;

  beforeAll(async () => {
    service = await startService({ objects, buckets: ["mart"] });
  });
  beforeEach(async () => {
    round += 1;
    stack = await TestStack.create(service);
    return () => stack[Symbol.asyncDispose]();
  });
  afterAll(() => service?.close());

  const programOf =
    ({ suffix = "", folder = "", trigger = "" }: Made) =>
    () => {
      const aliasOf = (name: string) => (suffix === "" ? {} : { aliases: [{ name }] });
      const place = `${round}${folder}`;
      const table = birds("mart", { outputTable: `birds_${place}`, triggers: [trigger] });
      frontEnd.table(`birds${suffix}`, table, aliasOf("birds"));
      frontEnd.query(`one${suffix}`, number(1, `dag://mart/one_${place}/`, { triggers: [trigger] }), aliasOf("one"));
    };
  const up = async (made: Made) => {
    stack.program = programOf(made);
    const { ok, text, changes } = await stack.up();
    expect(ok, text).toBe(true);
    return changes;
  };
  const tables = () => objectsUnder(service, "dag://mart/").filter((name) => name.startsWith(`birds_${round}`));
  const results = () => objectsUnder(service, "dag://mart/").filter((name) => name.startsWith(`one_${round}`));

  test("in one run: is made again, and what it has left is deleted", async () => {
    await up({});
    expect(await up({ suffix: "-new", trigger: "x" })).toEqual({
      "create-replacement": 2,
      "delete-replaced": 2,
      replace: 2,
    });
    expect(await up({ suffix: "-new", trigger: "x", folder: "b" })).toMatchObject({ replace: 2 });
    expect([tables(), results()]).toEqual([[`birds_${round}b`], [`one_${round}b`]]);
  });

  test("in one run, with other folders: the old ones are deleted", async () => {
    await up({});
    await up({ suffix: "-new", folder: "b" });
    expect([tables(), results()]).toEqual([[`birds_${round}b`], [`one_${round}b`]]);
    const destroyed = await stack.destroy();
    expect(destroyed.ok, destroyed.text).toBe(true);
    expect([tables(), results()]).toEqual([[], []]);
  });

  test("in a later run: is made again", async () => {
    await up({});
    expect(await up({ suffix: "-new" })).toEqual({ same: 2 });
    expect(await up({ suffix: "-new", trigger: "x" })).toMatchObject({ replace: 2 });
    expect([tables(), results()]).toEqual([[`birds_${round}`], [`one_${round}`]]);
  });

  test.each([
    ["the same folders", ""],
    ["other folders", "b"],
  ])("all inputs are made from a query that is replaced, with %s: what it has left is deleted", async (_, folder) => {
    for (const [trigger, suffix] of [
      ["x", ""],
      ["y", folder],
    ] as const) {
      stack.program = () => {
        const { queryId } = frontEnd.query("maker", number(1, `dag://mart/maker_${round}/`, { triggers: [trigger] }));
        const place = queryId.apply(() => `${round}${suffix}`);
        const deletionPolicy = queryId.apply(() => "purge" as const);
        const more = { deletionPolicy, triggers: [queryId] };
        frontEnd.table("birds", birds("mart", { ...more, outputTable: pulumi.interpolate`birds_${place}` }));
        const result = number(2, "", more);
        frontEnd.query("one", { ...result, outputResourcePath: pulumi.interpolate`dag://mart/one_${place}/` });
      };
      const { ok, text } = await stack.up();
      expect(ok, text).toBe(true);
      expect([tables(), results()]).toEqual([[`birds_${round}${suffix}`], [`one_${round}${suffix}`]]);
    }
  });
});

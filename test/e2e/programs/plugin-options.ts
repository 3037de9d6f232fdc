// oxlint-disable vitest/no-conditional-tests, vitest/valid-title -- a test of the same name is another one for each front end
/** Tests of the resource options that the plugin takes and dynamic resources refuse. */
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import type { TestStack } from "../provider/harness";
import { number, type FrontEnd } from "./front-ends";
import type { DefineScenario } from "./scenarios";

type Options = pulumi.CustomResourceOptions;

/** A provider of the plugin with a configuration of its own. */
export class OtherProvider extends pulumi.ProviderResource {
  constructor(name: string, { url, credentials, bucketsDirectory }: TestService) {
    super("dag", name, { endpoint: url, ...credentials, storage: `file:${bucketsDirectory}` });
  }
}

interface Context {
  readonly frontEnd: FrontEnd;
  readonly isPlugin: boolean;
  readonly service: () => TestService;
  readonly stack: () => TestStack;
  readonly scenario: DefineScenario;
  /** Returns the folder of a scenario's results. */
  readonly folder: (key: string) => string;
  /** Creates the query `one` of a scenario. */
  readonly one: (key: string, value?: number, options?: Options, more?: object) => unknown;
  /** Runs a program that is refused before it has created a resource. */
  readonly expectRefused: (program: () => void, text: string) => Promise<void>;
}

/** Defines a test for each option. */
export function onlyWithPlugin(context: Context): void {
  const { frontEnd, isPlugin, service, stack, scenario, folder, one, expectRefused } = context;
  const refusals: readonly (readonly [string, () => Options, string])[] = [
    [
      "replaceOnChanges",
      () => ({ replaceOnChanges: ["resultRows"] }),
      'replaceOnChanges "resultRows", because the SDK',
    ],
    [
      "provider",
      () => ({ provider: new OtherProvider("own", service()) }),
      "provider, because they use the configuration",
    ],
    ["version", () => ({ version: "0.0.1" }), 'version "0.0.1", because they have no plugin'],
    ["pluginDownloadURL", () => ({ pluginDownloadURL: "file:///none" }), 'pluginDownloadURL "file:///none", because'],
  ];
  for (const [option, options, text] of refusals) {
    const name = `${option}: works with the plugin, and is refused by dynamic resources`;
    const key = option.toLowerCase();
    const refused = `SelectQuery "${key}.one": dynamic resources do not support ${text}`;
    const changed = option === "replaceOnChanges" ? "replace one" : "update one";
    if (isPlugin) {
      scenario(key, name, [
        { program: () => void one(key, 1, options()) },
        {
          program: () => void one(key, 1, options(), { resultRows: 0 }),
          then: (operations) => expect(operations).toContain(changed),
        },
      ]);
    } else test(name, () => expectRefused(() => void one(key, 1, options()), refused));
  }

  /** The inputs that a record tells. */
  const recorded = number(1, folder("import"), { label: "import", deletionPolicy: undefined, resultRows: undefined });
  const name = "import: works with the plugin, and is refused by dynamic resources";
  const refused = 'use dag.SelectQuery.get("imported", "1") to refer to it';
  let id = "";
  if (isPlugin) {
    scenario("import", name, [
      {
        program: () => void one("import", 1, { retainOnDelete: true }),
        then: async () => void (id = (await stack().resource("import.one")).id!),
      },
      { program: () => {} },
      {
        program: () => void frontEnd.query("import.imported", recorded, { import: id }),
        then: (operations) => expect(operations).toEqual(["import imported"]),
      },
    ]);
  } else test(name, () => expectRefused(() => void frontEnd.query("imported", recorded, { import: "1" }), refused));
}

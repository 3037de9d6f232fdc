import { describe, expect, test } from "vitest";
import { enumerationOf } from "../../../../tools/generate/enums.mts";
import { examples, languages } from "../../../../tools/generate/examples.mts";
import { inputProperty } from "../../../../tools/generate/pulumi-schema.mts";
import schema from "../../../../schema.json";

const resources = Object.entries(schema.resources);

describe("schema.json", () => {
  test("has the fields that the Pulumi registry requires", () => {
    expect(schema).toMatchObject({
      name: "dag",
      displayName: "DAG",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      description: expect.any(String),
      keywords: expect.arrayContaining(["kind/native", expect.stringMatching(/^category\//)]),
      homepage: expect.stringMatching(/^https:/),
      license: "Apache-2.0",
      repository: expect.stringMatching(/^https:/),
      logoUrl: expect.stringMatching(/^https:/),
      publisher: expect.any(String),
      pluginDownloadURL: expect.any(String),
    });
    expect(Object.keys(schema.language).toSorted()).toEqual(["csharp", "go", "java", "nodejs", "python"]);
  });

  test.each(resources)("%s: describes every input and output", (_token, { inputProperties, properties }) => {
    for (const [name, property] of [...Object.entries(inputProperties), ...Object.entries(properties)]) {
      expect((property as { description?: string }).description, name).toMatch(/\S/);
    }
  });

  test.each(resources)(
    "%s: a required output exists, and a required input is a required output",
    (_token, resource) => {
      for (const name of resource.required) expect(Object.keys(resource.properties)).toContain(name);
      for (const name of resource.requiredInputs) expect(resource.required).toContain(name);
    },
  );

  test("has the replacing inputs, the defaults, the enumerations and the secrets", () => {
    const { inputProperties } = schema.resources["dag:index:SelectQuery"];
    expect(inputProperties.query).toMatchObject({ replaceOnChanges: true, willReplaceOnChanges: true });
    expect(inputProperties.resultRows).not.toHaveProperty("willReplaceOnChanges");
    expect(inputProperties.outputFormat).toMatchObject({ default: "csv", $ref: "#/types/dag:index:OutputFormat" });
    expect(schema.types["dag:index:OutputFormat"].enum.map(({ value }) => value)).toEqual(["csv", "tsv"]);
    expect(schema.config.variables.secretAccessKey).toMatchObject({ secret: true });
  });
});

describe("the generator", () => {
  test("enumerationOf: finds an enumeration by its values in any order", () => {
    expect(enumerationOf(["tsv", "csv"]).name).toBe("OutputFormat");
    expect(() => enumerationOf(["csv"])).toThrow("enums.mts has no enumeration of csv");
  });

  test("inputProperty: a deprecated input has a deprecation message", () => {
    const declared = { name: "old", description: "Old.", required: false, replaces: false, fallback: undefined };
    const property = inputProperty({ ...declared, type: { type: "string", deprecated: "use `new`" } }, new Map());
    expect(property).toEqual({ description: "Old.", type: "string", deprecationMessage: "use `new`" });
  });

  test("examples: follow each language's conventions for names and values", () => {
    const write = (language: string) => languages[language]!("ClusterRestart", examples["ClusterRestart"]!);
    expect(write("typescript")).toContain(
      'new dag.ClusterRestart("restart", {\n  clusterName: "demo",\n  drain: true,',
    );
    expect(write("python")).toContain('cluster_name="demo",\n    drain=True,\n    triggers=["2026-11-20"],');
    expect(write("go")).toContain('ClusterName: pulumi.String("demo"),\n\t\t\tDrain:       pulumi.Bool(true),');
    expect(write("yaml")).toContain('type: dag:ClusterRestart\n    properties:\n      clusterName: "demo"');
  });
});

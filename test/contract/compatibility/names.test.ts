/** The names of 0.1.0's API and schema are still there, with the same types; what is new is optional. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture } from "./fixtures";

/* oxlint-disable typescript/no-explicit-any -- walks two JSON documents of formats of their own */
const read = (name: string): any => JSON.parse(readFileSync(join(__dirname, "../../..", name), "utf8"));

describe("schema.json", () => {
  const { provider, config, resources, functions, types } = read("schema.json");
  const before = fixture<any>("schema.json");

  test("configuration: every key is there", () => {
    expect(typesOf(provider.inputProperties)).toMatchObject(before.provider);
    expect(typesOf(config.variables)).toMatchObject(before.configuration);
  });

  test.each(Object.keys(before.resources))(
    "%s: every input and output is there, and none more is required",
    (token) => {
      const { inputProperties, properties, requiredInputs = [] } = resources[token];
      expect(typesOf(inputProperties)).toMatchObject(before.resources[token].inputs);
      expect(typesOf(properties)).toMatchObject(before.resources[token].outputs);
      expect(before.resources[token].required).toEqual(expect.arrayContaining(requiredInputs));
    },
  );

  test.each(Object.keys(before.functions))(
    "%s: every input and output is there, and none more is required",
    (token) => {
      const { inputs, outputs } = functions[token];
      expect(typesOf(inputs.properties)).toMatchObject(before.functions[token].inputs);
      expect(typesOf(outputs.properties)).toMatchObject(before.functions[token].outputs);
      expect(before.functions[token].required).toEqual(expect.arrayContaining(inputs.required ?? []));
    },
  );

  test("types: every property and value is there", () => {
    for (const [token, expected] of Object.entries(before.types))
      expect(namesOf(types[token])).toMatchObject(expected!);
  });
});

describe("openapi.json", () => {
  const operations = Object.entries<any>(read("openapi.json").paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
  );
  const before = fixture<any>("api.json");

  test.each(Object.keys(before))(
    "%s: takes every parameter and answers every field, and requires none more",
    (name) => {
      const { call, parameters, body, required, answer } = before[name];
      const { operation, ...found } = operations.find((each) => each.operation.operationId === name)!;
      expect(found.call).toBe(call);
      expect((operation.parameters ?? []).map((each: any) => each.name)).toEqual(expect.arrayContaining(parameters));
      const schema = operation.requestBody?.content["application/json"].schema ?? {};
      expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining(body));
      expect(required).toEqual(expect.arrayContaining(schema.required ?? []));
      for (const [code, fields] of Object.entries(answer))
        expect(fieldsOf(operation.responses[code].content?.["application/json"].schema ?? {})).toEqual(
          expect.arrayContaining(fields as string[]),
        );
    },
  );
});

function typesOf(properties: Readonly<Record<string, any>>): Record<string, string> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, typeOf(property)]));
}

function typeOf({ $ref, type = "", items, additionalProperties }: any): string {
  if ($ref) return $ref;
  if (type === "array") return `array of ${typeOf(items)}`;
  return type === "object" && additionalProperties ? `map of ${typeOf(additionalProperties)}` : type;
}

function namesOf(type: any): Record<string, string> {
  if (type.properties) return typesOf(type.properties);
  return Object.fromEntries(type.enum.map(({ value }: any) => [String(value), "value"]));
}

function fieldsOf({ anyOf, oneOf, properties = {} }: any): string[] {
  return (anyOf ?? oneOf)?.flatMap(fieldsOf) ?? Object.keys(properties);
}

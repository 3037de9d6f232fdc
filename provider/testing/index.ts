/**
 * Mocks for unit tests of programs: `pulumi.runtime.setMocks` with the outputs that the resources and functions of this
 * package would have, without an engine and without a service. `dag-service/testing` starts a real service in a test.
 */
// oxlint-disable-next-line no-unassigned-import -- it must run before the other modules are loaded
import "../client/require-node";
import type * as pulumi from "@pulumi/pulumi";
import { propertyNames } from "../dynamic/types/property-names";
import { functionNames, mockFunctions, type FunctionMocks } from "./functions";
import { requireNames } from "./options";
import { mockResources, type ResourceOutputs } from "./resources";

export type { FunctionMocks } from "./functions";
export type { ResourceOutputs } from "./resources";

/** What differs from the mocks' own values; everything is optional. */
export interface MockOptions {
  /** Outputs of resources of this package, by the resource's name, such as `{ daily: { status: "error" } }`. */
  readonly outputs?: Readonly<Record<string, ResourceOutputs>>;
  /** Results of functions, by the function's name without `dag.`. */
  readonly functions?: FunctionMocks;
  /** Mocks of other packages' resources and functions. @default the inputs are the outputs */
  readonly others?: pulumi.runtime.Mocks;
}

/** A resource or a call of the program under test. */
export interface MockedResource {
  /** Name of the class, such as `SelectQuery`. */
  readonly kind: string;
  /** Name of the resource. */
  readonly name: string;
  /** The inputs that the program set. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Mocks for `pulumi.runtime.setMocks`. */
export interface DagMocks extends pulumi.runtime.Mocks {
  /** The resources of this package that the program has created so far, in their order. */
  readonly resources: readonly MockedResource[];
}

/**
 * Returns mocks of all resources and functions of this package. A query is finished at once, with the ids 1, 2, …; its
 * result has one object, and no rows unless `outputs` gives some.
 * @example
 * ```ts
 * const mocks = dagMocks({ outputs: { daily: { result: { objects: [], rows: [["2026-01-01", "3"]] } } } });
 * await pulumi.runtime.setMocks(mocks);
 * ```
 */
export function dagMocks(options: MockOptions = {}): DagMocks {
  requireNames(options, optionNames, "there is no option");
  const { outputs = {}, functions = {}, others } = options;
  requireNames(functions, functionNames, "there is no function");
  for (const [name, values] of Object.entries(outputs)) requireNames(values, outputNames, `"${name}" has no output`);
  const resources: MockedResource[] = [];
  const create = mockResources();
  return {
    resources,
    newResource(args) {
      const [, kind] = resourceType.exec(args.type) ?? [];
      if (kind === undefined) return others?.newResource(args) ?? { id: `${args.name}-id`, state: args.inputs };
      const inputs = visible(args.inputs);
      resources.push({ kind, name: args.name, inputs });
      const { id, state } = create(kind, { name: args.name, id: args.id, inputs });
      return { id, state: { ...inputs, ...state, ...outputs[args.name] } };
    },
    call(args) {
      const [, name] = functionToken.exec(args.token) ?? [];
      return name === undefined ? (others?.call(args) ?? args.inputs) : mockFunctions(name, args.inputs, functions);
    },
  };
}

const optionNames = Object.keys({ outputs: true, functions: true, others: true } satisfies Record<
  keyof MockOptions,
  true
>);

/** The outputs of all resources: two of different classes may have one name. */
const outputNames = [...new Set(Object.values(propertyNames).flat())];

/** Types of both front ends. */
const resourceType = /^(?:pulumi-nodejs:dynamic\/dag|dag:index):(\w+)$/;
const functionToken = /^dag:index:(\w+)$/;

/** Returns the inputs that the program set: neither undefined ones nor those by which the handlers find a resource. */
function visible(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = Object.entries(inputs).filter(([name, value]) => value !== undefined && !name.startsWith("__"));
  return Object.fromEntries(own);
}

/**
 * Declarations of a resource's inputs and outputs. Checks, diffs, schema.json, the TypeScript types and the
 * documentation are derived from them.
 */
import * as z from "zod";
import { metaOf } from "../../../contract";

/** Effect of a changed input: replace the resource or update it. */
type Change = "replace" | "update";

/** An input property. */
export interface InputProperty<Schema extends z.ZodType = z.ZodType, Required extends boolean = boolean> {
  readonly schema: Schema;
  /** Effect, constraints, unit and default, for users. */
  readonly description: string;
  readonly required: Required;
  readonly change: Change;
  /** Default value. Setting an input to its default is not a difference. */
  readonly fallback?: z.output<Schema> | undefined;
  /** True when the resource computes a value for an unset input. Unsetting the input is then not a difference. */
  readonly computed?: boolean | undefined;
  /** True for a value that the check adds. Programs cannot set it, and schema.json does not contain it. */
  readonly hidden?: boolean | undefined;
}

/** An output property. */
export interface OutputProperty<Schema extends z.ZodType = z.ZodType, Always extends boolean = boolean> {
  readonly schema: Schema;
  readonly description: string;
  /** True when every finished resource has the output. */
  readonly always: Always;
  /** True when the value may contain inputs or data. It is then secret when an input is secret. */
  readonly quotesInputs: boolean;
  /** A value that the state leaves out, because the other outputs imply it. */
  readonly implied?: z.output<Schema> | undefined;
  /** True when the value is computed from the inputs alone, so that front ends know it without the state. */
  readonly fromInputs: boolean;
}

export type InputProperties = Readonly<Record<string, InputProperty>>;
type OutputProperties = Readonly<Record<string, OutputProperty>>;

/** All declarations of a resource. An output with the name of an input has the input's value. */
export interface Properties {
  readonly inputs: InputProperties;
  readonly outputs: OutputProperties;
}

type Simplify<Type> = { [Key in keyof Type]: Type[Key] };

/** Type of the checked inputs. */
export type InputsOf<Inputs extends InputProperties> = Simplify<
  {
    readonly [Key in keyof Inputs as Inputs[Key]["required"] extends true ? Key : never]: z.output<
      Inputs[Key]["schema"]
    >;
  } & {
    readonly [Key in keyof Inputs as Inputs[Key]["required"] extends true ? never : Key]?:
      | z.output<Inputs[Key]["schema"]>
      | undefined;
  }
>;

/** Type of the outputs in the state. */
export type OutputsOf<Outputs extends OutputProperties> = Simplify<
  {
    readonly [Key in keyof Outputs as Outputs[Key]["always"] extends true ? Key : never]: z.output<
      Outputs[Key]["schema"]
    >;
  } & {
    readonly [Key in keyof Outputs as Outputs[Key]["always"] extends true ? never : Key]?:
      | z.output<Outputs[Key]["schema"]>
      | undefined;
  }
>;

interface InputOptions<Schema extends z.ZodType> {
  /** @default the description of the API's field */
  readonly description?: string;
  /** @default "replace" */
  readonly change?: Change;
  readonly fallback?: z.output<Schema>;
  readonly computed?: boolean;
  readonly hidden?: boolean;
}

/** Declares a required input. */
export function required<Schema extends z.ZodType>(
  schema: Schema,
  options: InputOptions<Schema> = {},
): InputProperty<Schema, true> {
  return {
    ...options,
    schema,
    required: true,
    change: options.change ?? "replace",
    description: describe(schema, options),
  };
}

/** Declares an optional input. */
export function optional<Schema extends z.ZodType>(
  schema: Schema,
  options: InputOptions<Schema> = {},
): InputProperty<Schema, false> {
  return {
    ...options,
    schema,
    required: false,
    change: options.change ?? "replace",
    description: describe(schema, options),
  };
}

interface OutputOptions<Schema extends z.ZodType> {
  /** True when the value may contain inputs or data. @default false */
  readonly quotesInputs?: boolean;
  /** True when the value is computed from the inputs alone. @default false */
  readonly fromInputs?: boolean;
  readonly implied?: z.output<Schema>;
}

/** Declares an output that every finished resource has. */
export function always<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  options: OutputOptions<Schema> = {},
): OutputProperty<Schema, true> {
  return {
    schema,
    description,
    always: true,
    quotesInputs: options.quotesInputs ?? false,
    fromInputs: options.fromInputs ?? false,
    implied: options.implied,
  };
}

/** Declares an output that a resource may lack. */
export function sometimes<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  options: OutputOptions<Schema> = {},
): OutputProperty<Schema, false> {
  return {
    schema,
    description,
    always: false,
    quotesInputs: options.quotesInputs ?? false,
    fromInputs: options.fromInputs ?? false,
    implied: options.implied,
  };
}

function describe(schema: z.ZodType, options: { readonly description?: string }): string {
  return options.description ?? metaOf(schema)?.description ?? "";
}

/** Returns the outputs to store: those that others imply are left out, because every resource has them. */
export function withoutImplied(state: object, { outputs }: Properties): Readonly<Record<string, unknown>> {
  const entries = Object.entries(state).filter(
    ([name, value]) => value !== undefined && (outputs[name]?.implied === undefined || outputs[name].implied !== value),
  );
  return Object.fromEntries(entries);
}

/** Returns the outputs of a stored state with those that it implies. */
export function withImplied(
  state: Readonly<Record<string, unknown>>,
  { outputs }: Properties,
): Readonly<Record<string, unknown>> {
  const implied = Object.entries(outputs).flatMap(([name, output]) =>
    output.implied === undefined ? [] : [[name, output.implied] as const],
  );
  return { ...Object.fromEntries(implied), ...state };
}

/** Returns true when the values are the state of a resource, not those of a lookup by id. */
export function isState(values: Readonly<Record<string, unknown>>, { outputs }: Properties): boolean {
  return Object.entries(outputs).every(
    ([name, { always: isRequired, fromInputs, implied }]) =>
      !isRequired || fromInputs || implied !== undefined || values[name] !== undefined,
  );
}

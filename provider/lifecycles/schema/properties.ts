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

interface OutputOptions {
  /** True when the value may contain inputs or data. @default false */
  readonly quotesInputs?: boolean;
  /** True when the value is computed from the inputs alone. @default false */
  readonly fromInputs?: boolean;
}

/** Declares an output that every finished resource has. */
export function always<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  options: OutputOptions = {},
): OutputProperty<Schema, true> {
  return {
    schema,
    description,
    always: true,
    quotesInputs: options.quotesInputs ?? false,
    fromInputs: options.fromInputs ?? false,
  };
}

/** Declares an output that a resource may lack. */
export function sometimes<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  options: OutputOptions = {},
): OutputProperty<Schema, false> {
  return {
    schema,
    description,
    always: false,
    quotesInputs: options.quotesInputs ?? false,
    fromInputs: options.fromInputs ?? false,
  };
}

function describe(schema: z.ZodType, options: { readonly description?: string }): string {
  return options.description ?? metaOf(schema)?.description ?? "";
}

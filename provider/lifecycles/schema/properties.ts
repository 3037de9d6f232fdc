/**
 * How a resource declares its inputs and outputs. Checks, diffs, schema.json, the TypeScript types and the
 * documentation are all made of these declarations.
 */
import * as z from "zod";
import { metaOf } from "../../../contract";

/** What a changed input means: a new resource, or an update of the one there is. */
type Change = "replace" | "update";

/** An input property. */
export interface InputProperty<Schema extends z.ZodType = z.ZodType, Required extends boolean = boolean> {
  readonly schema: Schema;
  /** Effect, constraint, unit, default and section of the specification. */
  readonly description: string;
  readonly required: Required;
  readonly change: Change;
  /** What a left out input means; it is no difference to say so. */
  readonly fallback?: z.output<Schema> | undefined;
  /** Whether the resource has a value of its own where the input is left out, which then is no difference. */
  readonly computed?: boolean | undefined;
}

/** An output property that is no input. */
export interface OutputProperty<Schema extends z.ZodType = z.ZodType, Always extends boolean = boolean> {
  readonly schema: Schema;
  readonly description: string;
  /** Whether every finished resource has it. */
  readonly always: Always;
  /** Whether its value quotes inputs or data, so that it is secret where an input is. */
  readonly derived: boolean;
  /** Whether it only says what the inputs say, so that a front end can tell it without the state. */
  readonly named: boolean;
}

export type InputProperties = Readonly<Record<string, InputProperty>>;
type OutputProperties = Readonly<Record<string, OutputProperty>>;

/** Everything a resource declares. An output may have an input's name: it then is the input's value. */
export interface Properties {
  readonly inputs: InputProperties;
  readonly outputs: OutputProperties;
}

type Simplify<Type> = { [Key in keyof Type]: Type[Key] };

/** Inputs as they are after a check. */
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

/** Outputs as the state keeps them. */
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
  /** @default that of the API's field */
  readonly description?: string;
  /** @default "replace" */
  readonly change?: Change;
  readonly fallback?: z.output<Schema>;
  readonly computed?: boolean;
}

/** An input that must be given. */
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

/** An input that may be left out. */
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
  /** Whether it is secret where an input is. @default false */
  readonly derived?: boolean;
  /** Whether it only says what the inputs say. @default false */
  readonly named?: boolean;
}

/** An output that every finished resource has. */
export function always<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  options: OutputOptions = {},
): OutputProperty<Schema, true> {
  return { schema, description, always: true, derived: options.derived ?? false, named: options.named ?? false };
}

/** An output that a resource may lack. */
export function sometimes<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  options: OutputOptions = {},
): OutputProperty<Schema, false> {
  return { schema, description, always: false, derived: options.derived ?? false, named: options.named ?? false };
}

function describe(schema: z.ZodType, options: { readonly description?: string }): string {
  return options.description ?? metaOf(schema)?.description ?? "";
}

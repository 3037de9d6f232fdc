/** The plugin's resources for TypeScript programs, as an SDK generated from schema.json defines them. */
import * as pulumi from "@pulumi/pulumi";

type Args = Readonly<Record<string, unknown>>;

/** Outputs that tests use. */
const answered = [
  "queryId",
  "status",
  "log",
  "result",
  "location",
  "qualifiedName",
  "outputTable",
  "restartedAt",
] as const;

/** A resource that the plugin serves. */
export class PluginResource extends pulumi.CustomResource {
  declare readonly queryId: pulumi.Output<number>;
  declare readonly status: pulumi.Output<string>;
  declare readonly log: pulumi.Output<string>;
  declare readonly result: pulumi.Output<{ readonly rows?: unknown }>;
  declare readonly location: pulumi.Output<string>;
  declare readonly qualifiedName: pulumi.Output<string>;
  declare readonly outputTable: pulumi.Output<string>;
  declare readonly restartedAt: pulumi.Output<string>;

  constructor(kind: string, name: string, args: Args, options: pulumi.CustomResourceOptions = {}) {
    const outputs = Object.fromEntries(answered.map((output) => [output, undefined]));
    super(`dag:index:${kind}`, name, { ...outputs, ...args }, options);
  }
}

/** Calls a function of the plugin. */
export function invoke(name: string, args: Args): pulumi.Output<Record<string, unknown>> {
  return pulumi.output(pulumi.runtime.invoke(`dag:index:${name}`, args)) as pulumi.Output<Record<string, unknown>>;
}

/**
 * What only the program can see, for the engine checks one resource at a time: resources that get into each other's
 * way, and queries that read a table of the same program.
 */
import * as pulumi from "@pulumi/pulumi";
import { LocationClaims, mentions, OverlapError } from "../lifecycles/overlap/overlap";
import type { ClusterLogExportArgs, SelectQueryArgs, SplitTableArgs } from "./types";

interface TableName {
  readonly database: string;
  readonly table: string;
}

/** A table of the program whose name is known without waiting for any resource. */
interface ProgramTable extends TableName {
  readonly resource: pulumi.Resource;
}

/** Watches over the resources of one run of one program. */
export class ProgramResources {
  readonly #claims = new LocationClaims(tablesOf);
  readonly #tables: Promise<ProgramTable | undefined>[] = [];

  /** A SelectQuery's inputs and options: its claims are made, and it depends on the tables that it reads. */
  select(name: string, args: SelectQueryArgs, options: pulumi.CustomResourceOptions) {
    const owner = `SelectQuery "${name}"`;
    const claims = this.#claims;
    const guarded: SelectQueryArgs = {
      ...args,
      outputResourcePath: watched(args.outputResourcePath, (path) => claims.addOutput(owner, path, { deletes: true })),
      query: watched(args.query, (text) => claims.addStatement(owner, text)),
    };
    const tables = pulumi.output(args.query).apply((text) => this.#tablesReadBy(text));
    const dependsOn = [options.dependsOn ?? [], tables] as pulumi.Input<pulumi.Resource>[];
    return { args: guarded, options: { ...options, dependsOn } };
  }

  /** A SplitTable's inputs: its claims are made. */
  split(name: string, args: SplitTableArgs): SplitTableArgs {
    const owner = `SplitTable "${name}"`;
    const claims = this.#claims;
    const outputTable =
      args.outputTable === undefined
        ? undefined
        : watched(pulumi.all([args.outputDatabase, args.outputTable]), ([database, table]) =>
            claims.addOutput(owner, `dag://${database}/${table}/`, { deletes: false }),
          ).apply(([, table]) => table);
    return {
      ...args,
      inputObjectKeys: watched(args.inputObjectKeys, (keys) => {
        if (Array.isArray(keys)) keys.forEach((key) => claims.addInput(owner, String(key)));
      }),
      ...(outputTable && { outputTable }),
    };
  }

  /** A ClusterLogExport's inputs: its claims are made. */
  logExport(name: string, args: ClusterLogExportArgs): ClusterLogExportArgs {
    const owner = `ClusterLogExport "${name}"`;
    const claim = (path: string) => this.#claims.addOutput(owner, path, { deletes: false });
    return { ...args, outputLogPath: watched(args.outputLogPath, claim) };
  }

  /** A table that queries of the program may read. */
  table(resource: pulumi.Resource, { outputDatabase, outputTable }: SplitTableArgs): void {
    if (outputTable === undefined) return;
    const names = pulumi.all([outputDatabase, outputTable]);
    // A name that a resource makes cannot be waited for: that resource may wait for the query.
    if (madeByResource(names)) return;
    this.#tables.push(
      new Promise((resolve) => {
        names.apply(([database, table]) => resolve({ database, table, resource }));
      }),
    );
  }

  async #tablesReadBy(text: string): Promise<pulumi.Resource[]> {
    // The rest of the program may make the table.
    await new Promise((resolve) => setImmediate(resolve));
    if (typeof text !== "string") return [];
    const tables = (await Promise.all(this.#tables)).filter((table) => table !== undefined);
    const mentioned = tables.filter(({ database, table }) => mentions(text, { bucket: database, key: `${table}/` }));
    if (mentioned.length === 0) return [];
    const read = await tablesOf(text);
    const isRead = (own: TableName) =>
      read.some(({ database, table }) => database === own.database && table === own.table);
    return mentioned.filter(isRead).map(({ resource }) => resource);
  }
}

const guards = new WeakMap<object, ProgramResources>();

/** The guard of the program that runs; several can run in one process through the Automation API. */
export function programResources(): ProgramResources {
  const stack = pulumi.runtime.getStackResource();
  // Without an engine, in a unit test with mocks, nothing tells two programs apart.
  if (!stack) return new ProgramResources();
  const guard = guards.get(stack) ?? new ProgramResources();
  guards.set(stack, guard);
  return guard;
}

/** The same value, once it was looked at; what the look refuses ends the program with the message alone. */
function watched<Value>(
  value: pulumi.Input<Value>,
  look: (value: Value) => void | Promise<void>,
): pulumi.Output<Value> {
  const output = pulumi.output(value);
  return output.apply(async (known) => {
    try {
      // What is said of an overlap quotes locations.
      if (known !== undefined && known !== null && !(await pulumi.isSecret(output))) await look(known as Value);
    } catch (error) {
      throw error instanceof OverlapError ? refusal(error.message) : error;
    }
    return known;
  }) as pulumi.Output<Value>;
}

/** Ends the program with the message alone; the SDK would put the name of the property before it that was read first. */
function refusal(message: string): pulumi.RunError {
  return Object.defineProperty(new pulumi.RunError(message), "message", { get: () => message, set() {} });
}

function madeByResource(output: pulumi.Output<unknown>): boolean {
  const { resources } = output as unknown as { resources(): ReadonlySet<pulumi.Resource> };
  return resources.call(output).size > 0;
}

/** The tables that a statement reads; none where it cannot be read, which its own check says. */
async function tablesOf(text: string): Promise<readonly TableName[]> {
  // The grammar takes a while to load, and most programs never need it here.
  const { checkStatement } = await import("../../hiveql/syntax/index.js");
  return checkStatement(text).tables;
}

/**
 * Checks across the resources of one program, because the engine checks each resource alone: detects resources with
 * overlapping locations, and adds the dependency of a query on the tables of the same program that it reads.
 */
import * as pulumi from "@pulumi/pulumi";
import { LocationClaims, mentions, OverlapError } from "../lifecycles/overlap/overlap";
import type { ClusterLogExportArgs, SelectQueryArgs, SplitTableArgs } from "./types";

interface TableName {
  readonly database: string;
  readonly table: string;
}

/** A table of the program whose name does not depend on another resource. */
interface ProgramTable extends TableName {
  readonly resource: pulumi.Resource;
}

/** The resources of one run of one program. */
export class ProgramResources {
  readonly #claims = new LocationClaims(tablesReadBy);
  readonly #tables: Promise<ProgramTable | undefined>[] = [];

  /**
   * Registers a SelectQuery's locations. Returns its inputs, and options with a dependency on each table that it reads.
   */
  addSelectQuery(name: string, args: SelectQueryArgs, options: pulumi.CustomResourceOptions) {
    const owner = `SelectQuery "${name}"`;
    const claims = this.#claims;
    const checkedArgs: SelectQueryArgs = {
      ...args,
      outputResourcePath: checkedInput(args.outputResourcePath, (path) =>
        claims.addOutput(owner, path, { deletes: true }),
      ),
      query: checkedInput(args.query, (text) => claims.addStatement(owner, text)),
    };
    const tables = pulumi.output(args.query).apply((text) => this.#tablesReadBy(text));
    const dependsOn = [options.dependsOn ?? [], tables] as pulumi.Input<pulumi.Resource>[];
    return { args: checkedArgs, options: { ...options, dependsOn } };
  }

  /** Registers a SplitTable's locations and returns its inputs. */
  addSplitTable(name: string, args: SplitTableArgs): SplitTableArgs {
    const owner = `SplitTable "${name}"`;
    const claims = this.#claims;
    const outputTable =
      args.outputTable === undefined
        ? undefined
        : checkedInput(pulumi.all([args.outputDatabase, args.outputTable]), ([database, table]) =>
            claims.addOutput(owner, `dag://${database}/${table}/`, { deletes: false }),
          ).apply(([, table]) => table);
    return {
      ...args,
      inputObjectKeys: checkedInput(args.inputObjectKeys, (keys) => {
        if (Array.isArray(keys)) keys.forEach((key) => claims.addInput(owner, String(key)));
      }),
      ...(outputTable && { outputTable }),
    };
  }

  /** Registers a ClusterLogExport's location and returns its inputs. */
  addClusterLogExport(name: string, args: ClusterLogExportArgs): ClusterLogExportArgs {
    const owner = `ClusterLogExport "${name}"`;
    const claim = (path: string) => this.#claims.addOutput(owner, path, { deletes: false });
    return { ...args, outputLogPath: checkedInput(args.outputLogPath, claim) };
  }

  /** Registers a table, so that queries of the program that read it depend on it. */
  addTable(resource: pulumi.Resource, { outputDatabase, outputTable }: SplitTableArgs): void {
    if (outputTable === undefined) return;
    const names = pulumi.all([outputDatabase, outputTable]);
    // Waiting for a name that is another resource's output could deadlock: that resource may depend on the query.
    if (dependsOnResource(names)) return;
    this.#tables.push(
      new Promise((resolve) => {
        names.apply(([database, table]) => resolve({ database, table, resource }));
      }),
    );
  }

  async #tablesReadBy(text: string): Promise<pulumi.Resource[]> {
    // Wait a tick, because the program may create the table after the query.
    await new Promise((resolve) => setImmediate(resolve));
    if (typeof text !== "string") return [];
    const tables = (await Promise.all(this.#tables)).filter((table) => table !== undefined);
    const mentioned = tables.filter(({ database, table }) => mentions(text, { bucket: database, key: `${table}/` }));
    if (mentioned.length === 0) return [];
    const read = await tablesReadBy(text);
    const isRead = (own: TableName) =>
      read.some(({ database, table }) => database === own.database && table === own.table);
    return mentioned.filter(isRead).map(({ resource }) => resource);
  }
}

const instances = new WeakMap<object, ProgramResources>();

/**
 * Returns the resources of the running program. Through the Automation API, several programs can run in one process.
 */
export function programResources(): ProgramResources {
  const stack = pulumi.runtime.getStackResource();
  // Unit tests with mocks have no stack resource, so their programs cannot be told apart.
  if (!stack) return new ProgramResources();
  const resources = instances.get(stack) ?? new ProgramResources();
  instances.set(stack, resources);
  return resources;
}

/** Returns the value after `check` has accepted it. An OverlapError ends the program with its message only. */
function checkedInput<Value>(
  value: pulumi.Input<Value>,
  check: (value: Value) => void | Promise<void>,
): pulumi.Output<Value> {
  const output = pulumi.output(value);
  return output.apply(async (resolved) => {
    try {
      // Secret values are not checked, because the message of an overlap quotes locations.
      if (resolved !== undefined && resolved !== null && !(await pulumi.isSecret(output)))
        await check(resolved as Value);
    } catch (error) {
      throw error instanceof OverlapError ? messageOnlyError(error.message) : error;
    }
    return resolved;
  }) as pulumi.Output<Value>;
}

/** Returns an error that prints only the message. The SDK would otherwise prepend the name of a property to it. */
function messageOnlyError(message: string): pulumi.RunError {
  return Object.defineProperty(new pulumi.RunError(message), "message", { get: () => message, set() {} });
}

function dependsOnResource(output: pulumi.Output<unknown>): boolean {
  const { resources } = output as unknown as { resources(): ReadonlySet<pulumi.Resource> };
  return resources.call(output).size > 0;
}

/** Returns the tables that a statement reads; none for an invalid statement, which the resource's own check reports. */
async function tablesReadBy(text: string): Promise<readonly TableName[]> {
  // Loaded on first use: the grammar loads slowly, and few programs need it here.
  const { checkStatement } = await import("../../hiveql/syntax/index.js");
  return checkStatement(text).tables;
}

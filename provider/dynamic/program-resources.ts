/**
 * Checks across the resources of one program, because the engine checks each resource alone: detects resources with
 * overlapping locations, and adds the dependency of a query on the tables of the same program that it reads.
 */
import * as pulumi from "@pulumi/pulumi";
import { cycleMessage, DependencyOrder } from "../lifecycles/overlap/dependency-order";
import { FolderIndex, longestToken, TokenIndex, tokens } from "../lifecycles/overlap/location-index";
import { LocationClaims, locationOf, mentions, OverlapError } from "../lifecycles/overlap/overlap";
import { runError } from "./run-error";
import type { ClusterLogExportArgs, SelectQueryArgs, SplitTableArgs } from "./types";

interface TableName {
  readonly database: string;
  readonly table: string;
}

/** A resource that makes objects. */
interface Maker {
  readonly resource: pulumi.Resource;
  /** The resource, such as `SelectQuery "daily"`. */
  readonly owner: string;
}

/** A folder of the program, as a table, whose name does not depend on another resource. */
interface ProgramTable extends TableName, Maker {}

/** The resources of one run of one program. */
export class ProgramResources {
  readonly #claims = new LocationClaims(tablesReadBy);
  /** The tables by the longest word of their name, so that a query is not compared with every table. */
  readonly #tables = new TokenIndex<ProgramTable>();
  /** The folders of tables and results, whose objects a table may read. */
  readonly #folders = new FolderIndex<Maker>();
  /** Resolves when the names of all tables so far are known. */
  #tablesKnown: Promise<unknown> = Promise.resolve();
  /** Which resource waits for which, because the engine would wait for a cycle for ever. */
  readonly #order = new DependencyOrder();
  /** The names of the resources of this package. */
  readonly #owners = new Map<pulumi.Resource, string>();

  /**
   * Registers a SelectQuery's locations. Returns its inputs, and options with a dependency on each table that it reads.
   */
  addSelectQuery(name: string, args: SelectQueryArgs, options: pulumi.CustomResourceOptions) {
    const owner = ownerName("SelectQuery", name, options.parent);
    const claims = this.#claims;
    const checkedArgs: SelectQueryArgs = {
      ...args,
      outputResourcePath: checkedText(args.outputResourcePath, async (path) => {
        await claims.addOutput(owner, path, { deletes: true });
        // The query deletes what is in its folder, so it waits for what the program makes after it.
        await nextTick();
        await claims.requireNoConflict(owner);
      }),
      query: checkedText(args.query, (text) =>
        // #tablesReadBy finds cycles, because a query waits for more than the tables that its statement names.
        claims.addStatement(owner, text, { follows: false }),
      ),
    };
    const tables = pulumi.output(args.query).apply((text) => this.#tablesReadBy(owner, text));
    this.#addOrder(owner, [args.query, args.outputResourcePath, args.triggers]);
    const dependsOn = [options.dependsOn ?? [], tables] as pulumi.Input<pulumi.Resource>[];
    return { args: checkedArgs, options: { ...options, dependsOn } };
  }

  /**
   * Registers a SplitTable's locations. Returns its inputs, and options with a dependency on each resource that makes one
   * of its input objects.
   */
  addSplitTable(name: string, args: SplitTableArgs, options: pulumi.CustomResourceOptions) {
    const owner = ownerName("SplitTable", name, options.parent);
    const claims = this.#claims;
    const outputTable =
      args.outputTable === undefined
        ? undefined
        : checkedInput(pulumi.all([args.outputDatabase, args.outputTable]), ([database, table]) =>
            claims.addOutput(owner, `dag://${database}/${table}/`, { deletes: false }),
          ).apply(([, table]) => table);
    const checkedArgs: SplitTableArgs = {
      ...args,
      inputObjectKeys: checkedInput(args.inputObjectKeys, (keys) => {
        if (Array.isArray(keys)) keys.forEach((key) => claims.addInput(owner, String(key)));
      }),
      ...(outputTable && { outputTable }),
    };
    const makers = pulumi.output(args.inputObjectKeys).apply((keys) => this.#makersOf(owner, keys));
    const dependsOn = [options.dependsOn ?? [], makers] as pulumi.Input<pulumi.Resource>[];
    return { args: checkedArgs, options: { ...options, dependsOn } };
  }

  /** Registers a ClusterLogExport's location and returns its inputs. */
  addClusterLogExport(
    name: string,
    args: ClusterLogExportArgs,
    { parent }: pulumi.ResourceOptions,
  ): ClusterLogExportArgs {
    const owner = ownerName("ClusterLogExport", name, parent);
    const claim = (path: string) => this.#claims.addOutput(owner, path, { deletes: false });
    return { ...args, outputLogPath: checkedText(args.outputLogPath, claim) };
  }

  /** Registers a table, so that queries of the program that read it depend on it. */
  addTable(name: string, resource: pulumi.Resource, { outputDatabase, outputTable, ...args }: SplitTableArgs): void {
    const owner = ownerName("SplitTable", name, parentOf(resource));
    this.#owners.set(resource, owner);
    this.#addOrder(owner, args);
    if (outputTable === undefined) return;
    const folder = pulumi
      .all([outputDatabase, outputTable])
      .apply(([database, table]) => `dag://${database}/${table}/`);
    this.#addFolder(folder, { resource, owner });
  }

  /** Registers the result of a query, so that queries of the program that read it as a table depend on it. */
  addResult(name: string, resource: pulumi.Resource, { outputResourcePath }: SelectQueryArgs): void {
    const owner = ownerName("SelectQuery", name, parentOf(resource));
    this.#owners.set(resource, owner);
    this.#addFolder(pulumi.output(outputResourcePath), { resource, owner });
  }

  /** Adds the resources whose outputs a resource uses. */
  #addOrder(owner: string, args: unknown): void {
    const others = [...dependenciesOf(args)].flatMap((resource) => this.#owners.get(resource) ?? []);
    this.#order.add(owner, others);
  }

  #addFolder(folder: pulumi.Output<string>, maker: Maker): void {
    // Waiting for a name that is another resource's output could deadlock: that resource may depend on the query.
    if (dependsOnResource(folder)) return;
    const added = new Promise<void>((resolve) => {
      folder.apply((path) => {
        const location = locationOf(path);
        const [table = "", ...rest] = location?.key.split("/") ?? [];
        if (location) this.#folders.add(location, maker);
        // HiveQL ignores the upper case of a table's name.
        const named = { database: location?.bucket ?? "", table: table.toLowerCase() };
        if (table !== "" && rest.join("") === "") this.#tables.add([longestToken(table)], { ...named, ...maker });
        resolve();
      });
    });
    this.#tablesKnown = Promise.all([this.#tablesKnown, added]);
  }

  /** Returns the resources that make objects of these names. */
  async #makersOf(owner: string, names: unknown): Promise<pulumi.Resource[]> {
    // The program may create them after the table.
    await nextTick();
    if (!Array.isArray(names)) return [];
    await this.#tablesKnown;
    const locations = names.map(locationOf).filter((location) => location !== undefined);
    const found = locations.flatMap((location) => this.#folders.containing(location));
    return this.#dependOn(
      owner,
      [...new Set(found)].filter((maker) => maker.owner !== owner),
    );
  }

  /** @throws an error that names the cycle when one of the makers waits for the owner. */
  #dependOn(owner: string, makers: readonly Maker[]): pulumi.Resource[] {
    const cycle = this.#order.add(
      owner,
      makers.map((maker) => maker.owner),
    );
    if (cycle) throw messageOnlyError(cycleMessage(cycle));
    return makers.map(({ resource }) => resource);
  }

  async #tablesReadBy(owner: string, text: string): Promise<pulumi.Resource[]> {
    // The program may create the table after the query.
    await nextTick();
    if (typeof text !== "string") return [];
    await this.#tablesKnown;
    const others = this.#tables.matching(tokens(text)).filter((table) => table.owner !== owner);
    const mentioned = others.filter(({ database, table }) => mentions(text, { bucket: database, key: `${table}/` }));
    if (mentioned.length === 0) return [];
    const read = await tablesReadBy(text);
    const isRead = (own: TableName) =>
      read.some(({ database, table }) => database === own.database && table === own.table);
    return this.#dependOn(owner, mentioned.filter(isRead));
  }
}

const instances = new WeakMap<object, ProgramResources>();

/**
 * Returns the resources of the running program. Through the Automation API, several programs can run in one process. In
 * the process of a component package, a program is one remote component.
 */
export function programResources({ parent }: pulumi.ResourceOptions): ProgramResources {
  const program = pulumi.runtime.getStackResource() ?? ancestors(parent).at(-1);
  // Neither tests with mocks nor component packages have a stack resource.
  if (!program) return new ProgramResources();
  const resources = instances.get(program) ?? new ProgramResources();
  instances.set(program, resources);
  return resources;
}

/**
 * Returns a name that is unique in the program: resources of one type may have the same name in components of different
 * types.
 */
function ownerName(kind: string, name: string, parent: pulumi.Resource | undefined): string {
  const types = ancestors(parent).map((resource) => (resource as ResourceInternals).__pulumiType ?? "");
  const components = types.filter((type) => type !== "" && type !== "pulumi:pulumi:Stack").toReversed();
  return `${kind} "${name}"${components.length > 0 ? ` of ${components.join("$")}` : ""}`;
}

/** What the SDK stores in a resource. */
type ResourceInternals = pulumi.Resource & {
  readonly __pulumiType?: string;
  readonly __parentResource?: pulumi.Resource;
};

function parentOf(resource: pulumi.Resource): pulumi.Resource | undefined {
  return (resource as ResourceInternals).__parentResource;
}

/** Returns a parent, its parent, and so on. */
function ancestors(parent: pulumi.Resource | undefined): pulumi.Resource[] {
  return parent ? [parent, ...ancestors(parentOf(parent))] : [];
}

/** Resolves when the program has made the resources that it makes without waiting for anything. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
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
      throw error instanceof OverlapError ? overlapRunError(error) : error;
    }
    return resolved;
  }) as pulumi.Output<Value>;
}

/** Returns the value after `check` has accepted it, if it is a text: the resource's own check reports another type. */
function checkedText(value: pulumi.Input<string>, check: (text: string) => Promise<void>): pulumi.Output<string> {
  return checkedInput(value, (given: unknown) => (typeof given === "string" ? check(given) : undefined));
}

const overlapRunErrors = new WeakMap<OverlapError, pulumi.RunError>();

/** Returns one error for both resources of an overlap. The SDK prints an error once. */
function overlapRunError(overlap: OverlapError): pulumi.RunError {
  const error = overlapRunErrors.get(overlap) ?? messageOnlyError(overlap.message);
  overlapRunErrors.set(overlap, error);
  return error;
}

/** Returns an error that prints only the message. The SDK would otherwise prepend the name of a property to it. */
function messageOnlyError(message: string): pulumi.RunError {
  return Object.defineProperty(runError(message), "message", { get: () => message, set() {} });
}

function dependsOnResource(output: pulumi.Output<unknown>): boolean {
  return resourcesOf(output).size > 0;
}

/** Returns the resources whose outputs occur in a value, as far as they are known at once. */
function dependenciesOf(value: unknown): Set<pulumi.Resource> {
  if (pulumi.Output.isInstance(value)) return resourcesOf(value);
  if (typeof value !== "object" || value === null) return new Set();
  return new Set(Object.values(value).flatMap((inner) => [...dependenciesOf(inner)]));
}

function resourcesOf(output: pulumi.Output<unknown>): Set<pulumi.Resource> {
  const { resources } = output as unknown as { resources(): Set<pulumi.Resource> };
  return resources.call(output);
}

/** Returns the tables that a statement reads; none for an invalid statement, which the resource's own check reports. */
async function tablesReadBy(text: string): Promise<readonly TableName[]> {
  // Loaded on first use: the grammar loads slowly, and few programs need it here.
  const { checkStatement } = await import("../../hiveql/syntax/index.js");
  return checkStatement(text).tables;
}

/** What the resources of one run share: the tables of the program, and the report of the run. */
import type { CheckFailure, DiffResult, Lifecycle, LifecycleContext } from "../lifecycle";
import { ProgramTables } from "./program-tables";
import { RunReport } from "./run-report";

/** A resource of the run. */
interface RunResource {
  readonly urn: string;
  /** True when an input is secret, so that no message quotes inputs. */
  readonly secret: boolean;
}

/** One run of the engine. */
export class Run {
  readonly tables = new ProgramTables();
  readonly report = new RunReport();
  /** The tables that the resources have read, as their stored inputs say, by URN. */
  readonly #tablesRead = new Map<string, string | undefined>();
  /** URNs of resources to be replaced. The engine checks them again as new resources. */
  readonly #replaced = new Set<string>();

  /** Notes that a resource was checked. */
  checked(urn: string, { properties }: Lifecycle<object, object>, inputs: object, olds: object | undefined): void {
    const { clusterName } = inputs as { readonly clusterName?: unknown };
    const exists = olds !== undefined;
    if (exists) this.#tablesRead.set(urn, (olds as { readonly tables?: string }).tables);
    if (Object.hasOwn(properties.outputs, "queryId")) this.report.checked(urn, { cluster: clusterName, exists });
  }

  /**
   * Returns the tables that a resource has read, for a front end whose state contains only outputs.
   * @param tables those of its new inputs, which count when this run has not checked it.
   */
  tablesReadBy(urn: string, tables: string | undefined): string | undefined {
    return this.#tablesRead.has(urn) ? this.#tablesRead.get(urn) : tables;
  }

  /** Runs the preflight of a resource that is about to be created, and returns the problems that it found. */
  async preflight<Inputs extends object>(
    { urn, secret }: RunResource,
    { preflight }: Pick<Lifecycle<Inputs, never>, "preflight">,
    inputs: Inputs,
    context: Pick<LifecycleContext, "storage" | "warn">,
  ): Promise<readonly CheckFailure[]> {
    const { deletes, failures = [] } =
      (await preflight?.(inputs, { ...context, secret }, this.#replaced.has(urn))) ?? {};
    if (deletes !== undefined) this.report.deletes(urn, deletes);
    return failures;
  }

  /**
   * Notes the difference of a resource.
   * @returns why its query runs again (undefined if it does not, or if it is no query), and the keys of the replacement,
   * which quote nothing when an input is secret.
   */
  compared(
    { urn, secret }: RunResource,
    diff: DiffResult,
    old: { readonly inputs: object; readonly state: object },
  ): { readonly reason?: string; readonly replaces: readonly string[] } {
    const replaces = secret ? diff.replaces.map((key) => key.split("[", 1)[0]!) : diff.replaces;
    const state = old.state as { readonly queryId?: unknown; readonly location?: string; readonly status?: unknown };
    const { deletionPolicy, outputResourcePath } = old.inputs as {
      readonly deletionPolicy?: unknown;
      readonly outputResourcePath?: unknown;
    };
    if (diff.replaces.length > 0) {
      this.#replaced.add(urn);
      if (state.queryId === undefined) return { replaces };
      this.tables.replaces(Number(state.queryId));
      const reasons = secret ? ["its inputs changed"] : diff.reasons;
      // The result of a select takes the place of the old one, unless its folder changed.
      const isReplaced =
        deletionPolicy === "purge" ||
        (outputResourcePath !== undefined && !diff.replaces.includes("outputResourcePath"));
      const folder = secret ? "[secret]" : state.location;
      this.report.runsAgain(urn, reasons, isReplaced ? folder : undefined);
      return { reason: `runs again: ${reasons.join(", ")}`, replaces };
    }
    if (diff.changes && state.queryId !== undefined && state.status === "running") this.report.waitsFor(urn);
    return { replaces };
  }
}

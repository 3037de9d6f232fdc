/** What the resources of one run share: the tables of the program, and the report of the run. */
import { ApiError } from "../../../contract";
import { ServiceTables } from "../columns/service-tables";
import { ProgramOverlaps } from "../overlap/program-overlaps";
import { PartialCreate, type CheckFailure, type DiffResult, type Lifecycle, type LifecycleContext } from "../lifecycle";
import { ClusterCheck } from "../clusters/cluster-check";
import { nameOf } from "../queries/resource-name";
import type { ObjectList } from "../queries/results";
import { readStatement } from "../queries/statement";
import { hasUnknown } from "../schema/check";
import { unknownValueOf } from "../schema/diff";
import { redacted, redactedError } from "../redaction";
import { Refusal } from "../refusal";
import { reasonsWithNew, tableRebuilt } from "./differences";
import { KeptResults } from "./kept-results";
import { warnOfLeft } from "./left-objects";
import { ProgramTables, tableName } from "./program-tables";
import { policyOfReplaced } from "./replaced-policy";
import { RunReport } from "./run-report";

/** A resource of the run. */
interface RunResource {
  readonly urn: string;
  /** True when an input is secret, so that no message quotes inputs. */
  readonly secret: boolean;
}

/** What a preflight needs of the front end. */
type PreflightDependencies = Pick<LifecycleContext, "storage" | "warn" | "client" | "submissionToken">;

/** What the front end knows of the order in which a resource is replaced. */
interface ReplacementOrder {
  /** True when the program asks that the replacement is created first. @default false */
  readonly createsFirst?: boolean | undefined;
  /** True when the old resource is deleted first, also with `--replace`. @default false */
  readonly deletesFirst?: boolean | undefined;
}

/** Inputs that say where the objects of a resource are. */
interface FolderInputs {
  readonly outputResourcePath?: unknown;
  readonly outputDatabase?: unknown;
  readonly outputTable?: unknown;
}

/** What a comparison needs of a resource's state. */
interface ComparedState {
  readonly queryId?: unknown;
  readonly location?: string;
  readonly status?: unknown;
  readonly adopted?: unknown;
  readonly result?: ObjectList;
}

/** The provider does not know the option: with it, the engine does not ask for the deletion. */
const unlessRetained = "(unless retainOnDelete keeps it)";

/** The name of a cluster that the run has not made yet, in the lines of the report. */
const notKnown = "not known yet";

/** One run of the engine. */
export class Run {
  readonly overlaps = new ProgramOverlaps();
  readonly tables = new ProgramTables((context) => this.overlaps.registered(context));
  readonly #keptResults = new KeptResults();
  readonly report = new RunReport();
  /** The tables that the resources have read, as their stored inputs say, by URN. */
  readonly #tablesRead = new Map<string, readonly string[] | undefined>();
  /** Resources to be replaced, by URN, with the folder of each. The engine checks them again as new resources. */
  readonly #replaced = new Map<string, string | undefined>();
  /** The queries of the resources that were compared, by URN. */
  readonly #queries = new Map<string, number>();
  /** URNs of resources that the program has, and that the run does not replace, as far as is known. */
  readonly #staying = new Set<string>();
  /** URNs of resources that a preview replaces although their inputs may turn out to be the same. */
  readonly #uncertain = new Set<string>();
  /** URNs of new resources that delete objects, as far as is known. */
  readonly #deleting = new Set<string>();
  #serviceTables: ServiceTables | undefined;
  #clusterCheck: ClusterCheck | undefined;

  /** Notes that a resource was checked. */
  checked(
    { urn, secret }: RunResource,
    { properties }: Lifecycle<object, object>,
    inputs: object,
    olds: object | undefined,
  ): void {
    const { clusterName } = inputs as { readonly clusterName?: unknown };
    const isKnown = typeof clusterName === "string";
    const cluster = isKnown ? redacted(clusterName, { secret }) : hasUnknown(clusterName) ? notKnown : undefined;
    const exists = olds !== undefined;
    if (exists) {
      this.#tablesRead.set(urn, (olds as { readonly tables?: readonly string[] }).tables);
      this.#staying.add(urn);
    } else {
      this.tables.creates(urn, inputs);
      this.#staying.delete(urn);
    }
    if (Object.hasOwn(properties.outputs, "queryId")) this.report.checked(urn, { cluster, exists });
  }

  /**
   * Returns the tables that a resource has read, for a front end whose state contains only outputs.
   * @param tables those of its new inputs, which count when this run has not checked it.
   */
  tablesReadBy(urn: string, tables: readonly string[] | undefined): readonly string[] | undefined {
    return this.#tablesRead.has(urn) ? this.#tablesRead.get(urn) : tables;
  }

  /** Notes that a resource's inputs were refused. */
  refused(urn: string): void {
    this.report.ended(urn, "refused");
  }

  /** Runs a part of a resource's comparison, and notes when that refuses the change. */
  async comparing<Result>(urn: string, part: () => Promise<Result>): Promise<Result> {
    try {
      return await part();
    } catch (error) {
      if (error instanceof Refusal) this.refused(urn);
      throw error;
    }
  }

  /**
   * Notes what was read of a resource that the program refers to by its id: no purge of this run deletes it, and queries
   * that read it run again when it is of a later query than theirs, and has finished.
   */
  lookedUp({ id, state }: { readonly id: string; readonly state: object }): void {
    const { location, status = "finished" } = state as ComparedState;
    if (location !== undefined) this.tables.looksUp(location, status === "finished" ? id : undefined);
  }

  /**
   * Runs the create of a resource, and notes how it ended. One that deletes objects waits for the resources that the
   * program registers after it, one of which may own them.
   */
  async create<Result extends { readonly adopted?: boolean | undefined }>(
    context: Pick<LifecycleContext, "urn" | "sleep" | "signal" | "programTables" | "warn" | "secret">,
    create: () => Promise<Result>,
  ): Promise<Result> {
    const { urn } = context;
    this.tables.creates(urn, undefined);
    return this.#deploy(context, async () => {
      if (this.#deleting.has(urn)) await this.overlaps.requireNoConflict(urn, context);
      const made = create().finally(() => this.tables.earlyReaders.made(urn));
      made.catch(() => warnOfLeft(context));
      const result = await made;
      this.report.ended(urn, result.adopted ? "adopted" : "ran");
      return result;
    });
  }

  /** Runs the update of a resource, and notes how it ended. @param state the state before it. */
  async update<State>(resource: RunResource, state: object, update: () => Promise<State>): Promise<State> {
    return this.#deploy(resource, async () => {
      const result = await update();
      if ((state as { readonly status?: unknown }).status === "running") this.report.ended(resource.urn, "adopted");
      return result;
    });
  }

  /**
   * Runs the delete of a resource under the name of the one that replaces it: the resource has another one in its state
   * when an alias, or a new name of the stack, has renamed it since. A resource that the program has, and that the run has
   * compared as one that stays, loses nothing: the engine deletes it when the last `up` has stored `replaceWith`, and the
   * program no longer has that option.
   */
  async delete<Context extends Pick<LifecycleContext, "urn" | "warn">>(
    id: string,
    context: Context,
    remove: (context: Context) => Promise<void>,
  ): Promise<void> {
    this.report.deploys();
    if (this.#staying.has(context.urn) && this.#queries.get(context.urn) === Number(id)) {
      context.warn(
        "it is deleted with another resource, as its option replaceWith said until now, and the program has it without a " +
          "change: what its query made is kept",
      );
      return;
    }
    await remove({ ...context, urn: this.tables.replaced(Number(id))?.urn ?? context.urn });
  }

  async #deploy<Result>({ urn, secret }: RunResource, operation: () => Promise<Result>): Promise<Result> {
    this.report.deploys();
    try {
      return await operation();
    } catch (error) {
      const isRunning = error instanceof PartialCreate && (error.state as { status?: unknown }).status === "running";
      const isRefused = error instanceof Refusal || (error instanceof ApiError && error.status < 500);
      this.report.ended(urn, isRunning ? "not finished" : isRefused ? "refused" : "failed");
      throw redactedError(error, { secret });
    }
  }

  /** Notes that a resource is to adopt a table that exists. */
  adopts(urn: string): void {
    this.report.adopts(urn);
    this.tables.adopts(urn);
  }

  /** Runs the preflight of a resource that is about to be created, and returns the problems that it found. */
  async preflight<Inputs extends object>(
    { urn, secret }: RunResource,
    { preflight }: Pick<Lifecycle<Inputs, never>, "preflight">,
    inputs: Inputs,
    { client, storage, warn, submissionToken }: PreflightDependencies,
    { createsFirst = false, deletesFirst = false }: ReplacementOrder = {},
  ): Promise<readonly CheckFailure[]> {
    // One that was compared without a difference is made again after a run that was interrupted, or with `--replace`.
    this.#keptResults.remove(urn);
    const { clusterName } = inputs as { readonly clusterName?: unknown };
    const clusterCheck = (this.#clusterCheck ??= new ClusterCheck(client, warn));
    // A message would quote the name.
    if (typeof clusterName === "string" && !secret && !hasUnknown(clusterName)) {
      await clusterCheck.check(clusterName);
    }
    this.#serviceTables ??= new ServiceTables(client, (text) => {
      if (!clusterCheck.isUnreachable) warn(text);
    });
    const context = {
      client,
      storage,
      warn,
      submissionToken,
      urn,
      secret,
      createsFirst,
      deletesFirst,
      programTables: this.tables,
      serviceTables: this.#serviceTables,
      keptResults: this.#keptResults,
      ownFolder: this.#replaced.get(urn),
    };
    const {
      deletes,
      mayDelete,
      isUnchecked,
      adopts,
      failures = [],
    } = (await preflight?.(inputs, context, this.#replaced.has(urn))) ?? {};
    if (mayDelete) this.#deleting.add(urn);
    if (adopts) this.adopts(urn);
    if (deletes !== undefined) this.report.deletes(urn, deletes);
    if (isUnchecked) this.report.mayDelete(urn);
    if (failures.length > 0) this.refused(urn);
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
    news: object,
  ): { readonly reason?: string; readonly replaces: readonly string[] } {
    this.report.compared(urn);
    const replaces = secret ? diff.replaces.map((key) => key.split("[", 1)[0]!) : diff.replaces;
    const state = old.state as ComparedState;
    const { outputResourcePath } = old.inputs as { readonly outputResourcePath?: unknown };
    const deletionPolicy = policyOfReplaced(old.inputs, news, diff.replaces, this.tables.isGenerated(news));
    this.#noteQuery(urn, state.queryId, diff.replaces.length > 0);
    if (diff.replaces.length > 0) {
      const isUncertain = this.#isUncertain(urn, diff);
      this.#replaced.set(urn, state.location);
      this.#staying.delete(urn);
      this.#keptResults.remove(urn);
      if (state.queryId === undefined) return { replaces };
      this.tables.replaces(Number(state.queryId), { urn, deletionPolicy, etag: state.result?.etag, news });
      const reasons = secret ? ["its inputs changed"] : this.#reasonsOf(diff, old.inputs, news);
      // A table of another resource is kept. The result of a select takes the place of the old one, unless its folder changed.
      const isOverwritten = outputResourcePath !== undefined && !diff.replaces.includes("outputResourcePath");
      const isPurged = deletionPolicy === "purge" && state.adopted !== true;
      const folder = state.location === undefined ? undefined : redacted(state.location, { secret });
      const deleted = isOverwritten ? folder : isPurged ? folder && `${folder} ${unlessRetained}` : undefined;
      this.report.runsAgain(urn, reasons, deleted, isUncertain);
      // It may be the folder of now.
      const { outputResourcePath: next, outputDatabase, outputTable } = news as FolderInputs;
      if (hasUnknown(next) && deleted === undefined) this.report.mayDelete(urn);
      if (hasUnknown([next, outputDatabase, outputTable]) && state.location !== undefined)
        this.tables.mayMove(state.location);
      // As the state says: it may have ended since the run that waited for it.
      const isRunning = state.status === "running" && state.adopted !== true;
      if (isRunning) this.report.cancels(urn, Number(state.queryId));
      const cancelled = isRunning ? `; query ${Number(state.queryId)}, which may still run, is cancelled` : "";
      return { reason: `${isUncertain ? "may run" : "runs"} again: ${reasons.join(", ")}${cancelled}`, replaces };
    }
    this.#noteUnmade(urn);
    const reason = this.#noteUnknownMaker(urn, state.location);
    if (diff.changes && state.queryId !== undefined && state.status === "running") this.report.waitsFor(urn);
    const { queryId, location: folder, status, result: objects } = state;
    // A message would quote the folder.
    if (!secret && status === "finished" && folder !== undefined && objects?.etag !== undefined) {
      this.#keptResults.add({ urn, queryId: Number(queryId), folder, objects });
    }
    return { ...(reason !== undefined && { reason }), replaces };
  }

  /** Finds a kept result of a table whose resource has a folder that is not known yet. Returns why its query may run again. */
  #noteUnknownMaker(urn: string, folder: string | undefined): string | undefined {
    const { secret, tables } = this.tables.followedButNotMade(urn, true);
    if (tables.length === 0) return undefined;
    const why = `whether the program still makes ${secret ? "a table that it reads" : tables.join(" and ")} is not known yet`;
    this.#uncertain.add(urn);
    this.report.runsAgain(urn, [why], folder === undefined ? undefined : redacted(folder, { secret }), true);
    return `may run again: ${why}`;
  }

  /**
   * Returns true when a resource is replaced only in a preview, as far as is known: its inputs depend on a resource that the
   * run changes, or it reads a table for which that holds, and their values may be the same. What depends on a resource
   * that the engine deletes before its replacement is replaced with it, in any case where that one is: the engine then
   * compares it before the check.
   */
  #isUncertain(urn: string, { replaces, unknown = [], rebuilt = [] }: DiffResult): boolean {
    if (!this.#staying.has(urn) && this.#uncertain.size === 0) return false;
    const tables = rebuilt.filter((name) => this.#uncertain.has(this.tables.makerOf(name)?.urn ?? ""));
    const keys = new Set([...unknown, ...tables.map((name) => `tables["${name}"]`)]);
    const isUncertain = replaces.every((key) => keys.has(key));
    if (isUncertain) this.#uncertain.add(urn);
    return isUncertain;
  }

  /** Finds a kept result of a table that moved away, or left the program: nothing runs it again. */
  #noteUnmade(urn: string): void {
    const { secret, tables } = this.tables.followedButNotMade(urn, false);
    if (tables.length === 0) return;
    const text =
      `it reads ${secret ? "a table" : tables.join(" and ")}, which a resource of the program made when its query ran, and no ` +
      "resource that this run has registered so far makes, or one of another provider configuration makes it: its result is " +
      "kept, and nothing runs it again. Read what the program makes now, or set rerunWithTables: false to keep the result " +
      "(a run with --target or --exclude registers a part of the program; the next one without may run it again)";
    this.tables.earlyReaders.found({ urn, text });
  }

  /** Finds results of queries that were compared before the resource whose table they read, and that it outdates. */
  #noteQuery(urn: string, queryId: unknown, isReplaced: boolean): void {
    if (queryId === undefined) return;
    const made = Number(queryId);
    this.#queries.set(urn, made);
    this.tables.hasQuery(urn, made);
    this.tables.earlyReaders.comparedMaker(urn, (reader, table) => {
      const read = this.#queries.get(reader);
      // A new one, and one that is replaced, runs now.
      if (read === undefined || this.#replaced.has(reader)) return undefined;
      if (isReplaced) return `${nameOf(urn)} makes ${table} again`;
      return read < made ? `query ${made} of ${nameOf(urn)} has made ${table} after its query ${read}` : undefined;
    });
  }

  /**
   * Returns why a query runs again. While a table that its statement names is rebuilt, the engine passes the statement as
   * unknown: the reason is then the table, and not another statement.
   */
  #reasonsOf(diff: DiffResult, old: object, news: object): readonly string[] {
    const { reasons } = diff;
    const { query: before } = old as { readonly query?: unknown };
    const { query: now } = news as { readonly query?: unknown };
    if (typeof before !== "string" || !hasUnknown(now)) return reasonsWithNew(diff, this.tables);
    const rebuilt = readStatement(before).tables.filter((table) =>
      this.#replaced.has(this.tables.get(table)?.urn ?? ""),
    );
    if (rebuilt.length === 0) return reasons;
    const others = reasons.filter((reason) => reason !== unknownValueOf("query"));
    return [...rebuilt.map((table) => tableRebuilt(tableName(table))), ...others];
  }
}

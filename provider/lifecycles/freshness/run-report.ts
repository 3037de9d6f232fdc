/** What a run does with the queries of the program: the last lines of a preview and of a deployment, one a cluster. */

/** Maximum number of queries or folders that a line names. */
const maxNames = 20;

/** A query resource of the run. */
interface Entry {
  readonly name: string;
  readonly cluster: string;
  /** `kept` until the run finds a reason to run the query. */
  action: "new" | "again" | "adopts" | "waited for" | "kept";
  /** Why the query runs again. */
  reasons: readonly string[];
  /** True when inputs that are not known yet are the only reason, so that the query may not run. */
  isUncertain?: boolean;
  /** The folders whose objects will be deleted: of the old query, and of the new one. */
  deletes?: readonly string[];
  /** True when nobody can tell whether its output folder has objects, which will be deleted. */
  isUnchecked?: boolean;
  /** The query of an earlier run that is cancelled first. */
  cancels?: number | undefined;
  outcome?: Outcome;
  /** True when the engine has compared the resource with its state, which a refusal of another one can prevent. */
  compared?: boolean;
}

/** How a query ended. `refused`: nothing ran. `not finished`: it still runs, or its result was not read; the next run does both. */
type Outcome = "ran" | "adopted" | "refused" | "failed" | "not finished";

/** Collects what happens to the queries of one run. */
export class RunReport {
  readonly #entries = new Map<string, Entry>();
  /** Queries that run again, and are not checked yet. */
  readonly #again = new Map<string, Pick<Entry, "action" | "reasons" | "isUncertain" | "deletes" | "cancels">>();
  #isDeployment = false;

  /** Notes that a resource was checked; `cluster` is absent for a resource without a query. */
  checked(urn: string, { cluster, exists }: { readonly cluster: unknown; readonly exists: boolean }): void {
    if (typeof cluster !== "string") return;
    const entry = this.#entries.get(urn);
    if (entry) {
      // A resource that is replaced is checked again, as a new one. The engine does not tell the provider of a failed
      // replacement, after which it compares the resource only sometimes, nor of replacementTrigger, with which it does not.
      const reason = entry.compared
        ? "its resource options, the command or a failed replacement replace it"
        : "its replacementTrigger changed, or its last replacement failed";
      if (!exists && entry.action === "kept") this.runsAgain(urn, [reason], undefined);
      return;
    }
    const name = urn.split("::").slice(3).join("::");
    this.#entries.set(urn, { name, cluster, action: exists ? "kept" : "new", reasons: [], ...this.#again.get(urn) });
  }

  /**
   * Notes that a query runs again. `deletes` is the folder whose objects its replacement deletes. The engine compares what
   * depends on a replaced resource before it checks it.
   */
  runsAgain(urn: string, reasons: readonly string[], deletes: string | undefined, isUncertain = false): void {
    const again = { action: "again", reasons, deletes: deletes === undefined ? [] : [deletes], isUncertain } as const;
    const entry = this.#entries.get(urn);
    if (entry) Object.assign(entry, again);
    else this.#again.set(urn, again);
  }

  /** Notes that the replacement of a resource keeps the objects of its old query, which it would delete. */
  keepsObjects(urn: string): void {
    const entry = this.#entries.get(urn);
    const again = this.#again.get(urn);
    if (entry) entry.deletes = [];
    else if (again) this.#again.set(urn, { ...again, deletes: [] });
  }

  /** Notes that the engine has compared a resource with its state. */
  compared(urn: string): void {
    const entry = this.#entries.get(urn);
    if (entry) entry.compared = true;
  }

  /** Notes that the run waits for a query of an earlier run. */
  waitsFor(urn: string): void {
    const entry = this.#entries.get(urn);
    if (entry) entry.action = "waited for";
  }

  /** Notes that a resource adopts what a query has made, and deletes nothing for that. */
  adopts(urn: string): void {
    const adopts = { action: "adopts", deletes: [] } as const;
    const entry = this.#entries.get(urn);
    const again = this.#again.get(urn);
    if (entry) Object.assign(entry, adopts);
    else if (again) this.#again.set(urn, { ...again, ...adopts });
  }

  /** Notes that a query that runs again, see {@link runsAgain}, cancels the one of an earlier run. */
  cancels(urn: string, queryId: number): void {
    const entry = this.#entries.get(urn);
    if (entry) entry.cancels = queryId;
    else this.#again.set(urn, { ...this.#again.get(urn)!, cancels: queryId });
  }

  /** Notes the folder whose objects a new query deletes. */
  deletes(urn: string, folder: string): void {
    const entry = this.#entries.get(urn);
    if (entry) entry.deletes = [...new Set([...(entry.deletes ?? []), folder])];
  }

  /** Notes that nobody can tell whether a new query deletes objects. */
  mayDelete(urn: string): void {
    const entry = this.#entries.get(urn);
    if (entry) entry.isUnchecked = true;
  }

  /** Notes that the run changes resources, so that it is not a preview. */
  deploys(): void {
    this.#isDeployment = true;
  }

  /** Notes the end of a query. */
  ended(urn: string, outcome: Outcome): void {
    const entry = this.#entries.get(urn);
    if (entry) entry.outcome = outcome;
  }

  /** Returns the lines, sorted by cluster; none without queries. */
  lines(): string[] {
    const clusters = Map.groupBy(this.#entries.values(), ({ cluster }) => cluster);
    const describe = this.#isDeployment ? deployment : preview;
    return [...clusters]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([cluster, entries]) => `cluster ${cluster}: ${describe(entries)}`);
  }
}

function preview(all: readonly Entry[]): string {
  const entries = all.filter(({ outcome }) => outcome !== "refused");
  const of = (action: Entry["action"]) => entries.filter((entry) => entry.action === action);
  const [added, adopted, waited] = [of("new"), of("adopts"), of("waited for")];
  const [uncertain = [], again = []] = [true, false].map((is) =>
    of("again").filter((entry) => (entry.isUncertain ?? false) === is),
  );
  const isRefused = all.length > entries.length;
  const kept = of("kept").filter(({ compared }) => compared || !isRefused);
  const notCompared = of("kept").length - kept.length;
  const runs = added.length + again.length;
  const why = of("again").map(({ name, reasons }) => `${name}: ${reasons.join(" and ")}`);
  const foldersOf = (some: readonly Entry[]) => some.flatMap(({ deletes = [] }) => deletes);
  const maybe = foldersOf(uncertain);
  const deleted = foldersOf(entries.filter((entry) => !uncertain.includes(entry)));
  const unchecked = entries.filter(({ isUnchecked }) => isUnchecked).length;
  const cancelled = entries.flatMap(({ name, cancels }) => (cancels === undefined ? [] : [`${cancels} (${name})`]));
  const plan = `${runs} ${runs === 1 ? "query" : "queries"} will run (${added.length} new, ${again.length} again)`;
  return [
    // An `up` without changes is not told apart from a preview.
    ...(runs > 0 ? [plan] : uncertain.length === 0 ? ["no query is to run"] : []),
    ...(uncertain.length > 0
      ? [`${uncertain.length} ${uncertain.length === 1 ? "query" : "queries"} may run again`]
      : []),
    ...(adopted.length > 0 ? [`${adopted.length} ${adopted.length === 1 ? "table" : "tables"} will be adopted`] : []),
    ...(waited.length > 0 ? [`${waited.length} of an earlier run will be waited for`] : []),
    ...(isRefused ? [`${all.length - entries.length} refused`] : []),
    `${kept.length} ${kept.length === 1 ? "result is" : "results are"} kept`,
    ...(notCompared > 0 ? [`${notCompared} not compared`] : []),
    ...(why.length > 0 ? [`again: ${listed(why)}`] : []),
    ...(cancelled.length > 0 ? [`queries that may still run and will be cancelled: ${listed(cancelled)}`] : []),
    ...(deleted.length > 0 ? [`outputs that will be deleted: ${listed(deleted)}`] : []),
    ...(maybe.length > 0 ? [`outputs that may be deleted: ${listed(maybe)}`] : []),
    ...(unchecked > 0
      ? [`${unchecked} ${unchecked === 1 ? "output" : "outputs"} not checked for objects to delete`]
      : []),
    ...(deleted.length + maybe.length + unchecked === 0 && runs + uncertain.length > 0
      ? ["no output will be deleted"]
      : []),
  ].join("; ");
}

function deployment(entries: readonly Entry[]): string {
  const count = (outcome: Outcome) => entries.filter((entry) => entry.outcome === outcome).length;
  const kept = entries.filter(({ action, outcome }) => action === "kept" && outcome === undefined).length;
  const left = entries.filter(({ action, outcome }) => action !== "kept" && outcome === undefined).length;
  const more = [
    [count("refused"), "refused"],
    [count("failed"), "failed"],
    [count("not finished"), "not finished or not read"],
    [left, "not begun"],
  ] as const;
  return [
    `${count("ran")} ran, ${count("adopted")} adopted, ${kept} kept`,
    ...more.flatMap(([n, what]) => (n > 0 ? [`${n} ${what}`] : [])),
  ].join(", ");
}

function listed(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more > 0 ? `${names.slice(0, maxNames).join(", ")} and ${more} more` : names.join(", ");
}

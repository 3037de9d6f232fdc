/** The queries that are loaded: pages from the newest on, kept up to date. */
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ConnectionLost } from "../api/client";
import { retryPause } from "../api/poll";
import { getRun, listRuns, type ListedRun, type RunPage } from "../api/runs";
import { Recent } from "../recent";

export interface QueryFilters {
  readonly status: string;
  readonly clusterName: string;
  readonly type: string;
  readonly labelPrefix: string;
  /** A text of the statement. */
  readonly text: string;
  /** The first and the last day of the submission, such as `2026-11-24`, in this browser's zone. */
  readonly from: string;
  readonly to: string;
  /** `duration` for the longest first, which are not read again by themselves. */
  readonly sort: string;
  /** `true` for queries whose results are stale, in place of all other filters. */
  readonly stale: string;
}

export interface QueryList {
  readonly queries: readonly ListedRun[];
  readonly isLoaded: boolean;
  /** Marker of the next page; undefined at the end. */
  readonly marker: number | undefined;
  /** Queries that were added above the first ones. */
  readonly addedAbove: number;
  readonly error: Error | undefined;
}

/** The lists that were left last, for the way back to them. */
const left = new Recent<QueryList>(4);

/**
 * Loads queries newest first and follows those that run.
 * @param entry of the history: going back to one shows the list as it was left, and then what is new
 */
export function useQueryList(
  filters: QueryFilters,
  entry: string,
): QueryList & { readonly loadUpTo: (count: number) => void } {
  const key = `${entry} ${JSON.stringify(filters)}`;
  const live = useMemo(() => new LiveQueries(filters, left.get(key) ?? nothing), [key]);
  useEffect(() => {
    live.start();
    return () => {
      live.stop();
      left.set(key, live.list.peek());
    };
  }, [live]);
  return { ...live.list.value, loadUpTo: live.loadUpTo };
}

const pageSize = 100;
/** Milliseconds between two looks at what is new; at what a search finds or is stale, which is more work. */
const [interval, searchInterval] = [2000, 15_000];
/** Milliseconds after which what was read is shown, though more is needed. */
const longestWait = 250;
/** Running queries below the first page that are read again each time. */
const maxFollowed = 20;

const nothing: QueryList = { queries: [], marker: undefined, isLoaded: false, addedAbove: 0, error: undefined };

class LiveQueries {
  readonly list;
  readonly #stop = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Queries that are needed. */
  #wanted = 0;
  #isLoadingMore = false;

  constructor(
    private readonly filters: QueryFilters,
    initial: QueryList,
  ) {
    this.list = signal(initial);
  }

  start(): void {
    document.addEventListener("visibilitychange", this.#onVisible);
    void this.#run(0);
  }

  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#onVisible);
  }

  /** Loads pages until there are so many queries. */
  readonly loadUpTo = (count: number): void => {
    this.#wanted = Math.max(this.#wanted, count);
    void this.#loadMore();
  };

  readonly #onVisible = () => {
    if (document.hidden) return;
    clearTimeout(this.#timer);
    void this.#run(0);
  };

  /** Looks at what is new, again and again. */
  async #run(failures: number): Promise<void> {
    const { signal: stop } = this.#stop;
    let failed = 0;
    try {
      const isKept = this.filters.sort !== "" && this.list.peek().isLoaded;
      if (!document.hidden && !isKept) {
        const { queries, nextMarker } = await this.#page({});
        const before = this.list.peek().queries.length;
        this.#update((list) => merged(list, queries, nextMarker));
        // The list began from its start again, because more queries were submitted than a page has.
        if (this.list.peek().queries.length < before) this.#wanted = 0;
        await this.#follow(new Set(queries.map(({ id }) => id)));
        void this.#loadMore();
      }
    } catch (error) {
      failed = failures + 1;
      this.#tell(error);
    }
    if (stop.aborted) return;
    this.#timer = setTimeout(() => void this.#run(failed), failed > 0 ? retryPause(failed) : this.#interval());
  }

  #interval(): number {
    const { stale, text, from, to, sort } = this.filters;
    return stale + text + from + to + sort === "" ? interval : searchInterval;
  }

  /** Reads the running queries that are further down than the first page. */
  async #follow(first: ReadonlySet<number>): Promise<void> {
    const running = this.list.peek().queries.filter(({ id, status }) => status === "running" && !first.has(id));
    const { status: wanted } = this.filters;
    for (const { id } of running.slice(0, maxFollowed)) {
      const found = (await getRun(id, this.#stop.signal)) as ListedRun;
      this.#update((before) => {
        const queries = before.queries.map((each) => (each.id === id ? found : each));
        // A query that has ended since no longer belongs to a list of running ones.
        return { ...before, queries: queries.filter(({ status }) => wanted === "" || status === wanted) };
      });
    }
  }

  async #loadMore(): Promise<void> {
    if (this.#isLoadingMore) return;
    this.#isLoadingMore = true;
    try {
      for (;;) {
        const { queries, marker, isLoaded } = this.list.peek();
        const missing = this.#wanted - queries.length;
        if (missing <= 0 || !isLoaded || marker === undefined || this.#stop.signal.aborted) return;
        const next = await this.#pagesAfter(marker, missing);
        this.#update((before) => (before.marker === marker ? appended(before, next) : before));
      }
    } catch (error) {
      this.#tell(error);
    } finally {
      this.#isLoadingMore = false;
    }
  }

  /** Reads as many pages as are needed, but shows what is there after a moment. */
  async #pagesAfter(first: number, count: number): Promise<Pick<QueryList, "queries" | "marker">> {
    const until = performance.now() + longestWait;
    const queries: ListedRun[] = [];
    let marker: number | undefined = first;
    do {
      const page: RunPage = await this.#page({ marker });
      queries.push(...page.queries);
      marker = page.nextMarker ?? undefined;
    } while (marker !== undefined && queries.length < count && performance.now() < until);
    return { queries, marker };
  }

  #page(parameters: { readonly marker?: number }): Promise<RunPage> {
    const { from, to, ...filters } = this.filters;
    const days = { since: startOfDay(from, 0), until: startOfDay(to, 1) };
    return listRuns({ ...filters, ...days, max: pageSize, ...parameters }, this.#stop.signal);
  }

  #update(change: (before: QueryList) => QueryList): void {
    if (!this.#stop.signal.aborted) this.list.value = change(this.list.peek());
  }

  /** A lost connection is reported at the top of the page. */
  #tell(error: unknown): void {
    if (!(error instanceof ConnectionLost)) this.#update((before) => ({ ...before, error: error as Error }));
  }
}

/** Returns when a day, or the one that is so many days later, begins in this browser's zone; empty without a day. */
function startOfDay(day: string, later: number): number | "" {
  if (day === "") return "";
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return Math.max(0, new Date(year, month - 1, date + later).getTime());
}

/** Adds a page. Of those that are sorted by their duration, the running ones may have moved from one page to the next. */
function appended(before: QueryList, { queries, marker }: Pick<QueryList, "queries" | "marker">): QueryList {
  const known = new Set(before.queries.map(({ id }) => id));
  return { ...before, queries: [...before.queries, ...queries.filter(({ id }) => !known.has(id))], marker };
}

/** Puts the newest page in place of what it covers; what was loaded below stays. */
function merged(before: QueryList, page: readonly ListedRun[], next: number | null | undefined): QueryList {
  const marker = next ?? undefined;
  // A page of a search may have few queries, or none, although there are more: it covers all down to its marker.
  const oldest = marker ?? 0;
  const from = before.queries.findIndex(({ id }) => id < oldest);
  const below = from < 0 ? [] : before.queries.slice(from);
  const newest = before.queries[0]?.id ?? Number.POSITIVE_INFINITY;
  const added = before.isLoaded && before.queries.length > 0 ? page.filter(({ id }) => id > newest).length : 0;
  const hasGap = page.length > 0 && added === page.length && marker !== undefined && before.isLoaded;
  const isFirst = !before.isLoaded || (before.queries.length === 0 && page.length > 0);
  const kept = withKnown(before.queries, page);
  return {
    queries: hasGap ? kept : [...kept, ...below],
    marker: isFirst || hasGap ? marker : further(before.marker, marker),
    isLoaded: true,
    addedAbove: before.addedAbove + added,
    error: undefined,
  };
}

/** Returns the marker from which less is left; undefined is the end. */
function further(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b);
}

/** Keeps the objects of queries that are as they were, so that their rows are not drawn again. */
function withKnown(before: readonly ListedRun[], page: readonly ListedRun[]): readonly ListedRun[] {
  const known = new Map(before.slice(0, 2 * pageSize).map((query) => [query.id, query]));
  return page.map((query) => {
    const found = known.get(query.id);
    return found && JSON.stringify(found) === JSON.stringify(query) ? found : query;
  });
}

/** The queries that are loaded: pages from the newest on, kept up to date. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { QuerySummary } from "../../../contract/records";
import { call, ConnectionLost } from "../api/client";

export interface QueryFilters {
  readonly status: string;
  readonly clusterName: string;
  readonly type: string;
  readonly labelPrefix: string;
}

export interface QueryList {
  readonly queries: readonly QuerySummary[];
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Queries that were added above the first ones. */
  readonly addedAbove: number;
  readonly error: Error | undefined;
  readonly loadMore: () => void;
}

const pageSize = 100;
/** Milliseconds between two looks at what is new. */
const interval = 2000;
/** Running queries below the first page that are read again each time. */
const maxFollowed = 20;

/** The list without its functions. */
interface Loaded {
  readonly queries: readonly QuerySummary[];
  readonly marker: number | undefined;
  readonly isLoaded: boolean;
  readonly addedAbove: number;
  readonly error: Error | undefined;
}

const nothing: Loaded = { queries: [], marker: undefined, isLoaded: false, addedAbove: 0, error: undefined };

/** Loads queries newest first and follows those that run. */
export function useQueryList(filters: QueryFilters): QueryList {
  const key = JSON.stringify(filters);
  const [state, setState] = useState<{ key: string; loaded: Loaded }>({ key, loaded: nothing });
  const [isLoading, setLoading] = useState(false);
  const latest = useRef(state.loaded);
  latest.current = state.key === key ? state.loaded : nothing;
  const busy = useRef(false);

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const update = (change: (before: Loaded) => Loaded) => {
      if (!stop.signal.aborted)
        setState((before) => ({ key, loaded: change(before.key === key ? before.loaded : nothing) }));
    };
    const run = async () => {
      try {
        if (!document.hidden) {
          const page = await call("listQueries", { parameters: { ...filters, max: pageSize }, signal: stop.signal });
          update((before) => merged(before, page.queries, page.nextMarker ?? undefined));
          const first = new Set(page.queries.map(({ id }) => id));
          await follow(first);
          failures = 0;
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        if (!(error instanceof ConnectionLost)) update((before) => ({ ...before, error: error as Error }));
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void run(), Math.min(10_000, interval * 1.5 ** failures));
    };
    /** Reads the running queries that are further down than the first page. */
    const follow = async (first: ReadonlySet<number>) => {
      const running = latest.current.queries.filter(({ id, status }) => status === "running" && !first.has(id));
      for (const { id } of running.slice(0, maxFollowed)) {
        const query = await call("getQuery", { path: { queryId: id }, signal: stop.signal });
        update((before) => ({
          ...before,
          queries: before.queries.map((each) => (each.id === id ? (query as QuerySummary) : each)),
        }));
      }
    };
    const onVisible = () => {
      if (document.hidden) return;
      clearTimeout(timer);
      void run();
    };
    document.addEventListener("visibilitychange", onVisible);
    void run();
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [key]);

  const loadMore = useCallback(() => {
    const { marker, isLoaded } = latest.current;
    if (busy.current || !isLoaded || marker === undefined) return;
    busy.current = true;
    setLoading(true);
    call("listQueries", { parameters: { ...filters, max: pageSize, marker } })
      .then(
        (page) =>
          setState((before) =>
            before.key === key && before.loaded.marker === marker
              ? {
                  key,
                  loaded: {
                    ...before.loaded,
                    queries: [...before.loaded.queries, ...page.queries],
                    marker: page.nextMarker ?? undefined,
                  },
                }
              : before,
          ),
        (error: unknown) => {
          if (!(error instanceof ConnectionLost))
            setState((before) => ({ ...before, loaded: { ...before.loaded, error: error as Error } }));
        },
      )
      .finally(() => {
        busy.current = false;
        setLoading(false);
      });
  }, [key]);

  const { marker, isLoaded, addedAbove, error } = latest.current;
  // A query that has ended since no longer belongs to a list of running ones.
  const queries =
    filters.status === ""
      ? latest.current.queries
      : latest.current.queries.filter(({ status }) => status === filters.status);
  return { queries, isLoaded, hasMore: marker !== undefined, isLoading, addedAbove, error, loadMore };
}

/** Puts the newest page in place of what it covers; what was loaded below stays. */
function merged(before: Loaded, page: readonly QuerySummary[], marker: number | undefined): Loaded {
  const oldest = marker === undefined ? 0 : page.at(-1)!.id;
  const below = before.queries.filter(({ id }) => id < oldest);
  const newest = before.queries[0]?.id ?? Number.POSITIVE_INFINITY;
  const added = before.isLoaded && before.queries.length > 0 ? page.filter(({ id }) => id > newest).length : 0;
  const hasGap = added === page.length && marker !== undefined && before.isLoaded;
  return {
    queries: hasGap ? page : [...page, ...below],
    marker: hasGap || below.length === 0 ? marker : before.marker,
    isLoaded: true,
    addedAbove: before.addedAbove + added,
    error: undefined,
  };
}

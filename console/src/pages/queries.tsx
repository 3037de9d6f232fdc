/** The list of queries, live. */
import { memo } from "preact/compat";
import { useCallback, useEffect, useState } from "preact/hooks";
import { queryStatuses } from "../../../contract/values";
import { call } from "../api/client";
import { usePoll } from "../api/poll";
import type { ListedRun } from "../api/runs";
import { Problem } from "../components/notice";
import { Age, RunTime, Status, useTitle } from "../components/parts";
import { VirtualList } from "../components/virtual-list";
import { splitLabel } from "../format";
import { go, href, place } from "../router";
import { strings } from "../strings";
import { useQueryList, type QueryFilters } from "./query-list";

export function QueriesPage() {
  const text = strings.queries;
  useTitle(text.title);
  const filters = filtersOf(place.value.parameters);
  const list = useQueryList(filters, place.value.entry);
  const rowHeight = useRowHeight();
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const row = useCallback(
    (index: number, top: number) => {
      const query = list.queries[index];
      return query && <QueryRow key={query.id} query={query} index={index} top={top} />;
    },
    [list.queries],
  );
  const hasMore = list.marker !== undefined;
  const isEmpty = list.isLoaded && list.queries.length === 0 && !hasMore;
  return (
    <section class="queries-page">
      <div class="page-head">
        <h1>{text.title}</h1>
        <p class="muted" role="status">
          {list.isLoaded ? text.shown(list.queries.length, hasMore) : strings.shell.loading}
        </p>
        <a class="button primary" href={href("/submit")}>
          {strings.nav.submit}
        </a>
      </div>
      <Filters filters={filters} />
      {list.error && <Problem error={list.error} />}
      {isEmpty ? (
        <div class="empty">
          <h2>{filters.stale !== "" ? strings.lineage.noStale : isFiltered ? text.noMatch : text.none}</h2>
          {isFiltered ? (
            <a class="button" href={href("/queries")}>
              {text.clear}
            </a>
          ) : (
            <p class="muted">{text.noneHint}</p>
          )}
        </div>
      ) : (
        <VirtualList
          name={text.table}
          count={list.queries.length}
          rowHeight={rowHeight}
          row={row}
          onNeed={list.loadUpTo}
          addedAbove={list.addedAbove}
          entry={place.value.entry}
          head={<QueryHead />}
          foot={hasMore && <p class="muted list-foot">{text.loadingMore}</p>}
        />
      )}
    </section>
  );
}

function QueryHead() {
  const { columns } = strings.queries;
  return (
    <div class="query-head" role="rowgroup">
      <div class="query-row-grid" role="row" aria-rowindex={1}>
        {Object.entries(columns).map(([key, name]) => (
          <span role="columnheader" class={`cell-${key}`} key={key}>
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

interface QueryRowProps {
  readonly query: ListedRun;
  readonly index: number;
  readonly top: number;
}

/** A row is drawn again only when its query or its place changes. */
const QueryRow = memo(function QueryRow({ query, index, top }: QueryRowProps) {
  const { id, status, clusterName, startTime, accessKeyId, label } = query;
  const { own } = splitLabel(label);
  const address = href(`/queries/${id}`);
  return (
    <div
      class="query-row query-row-grid"
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="cell" class="cell-status">
        <Status status={status} />
      </span>
      <span role="cell" class="cell-id">
        <a href={address} aria-label={strings.query.title(id)}>
          {id}
        </a>
      </span>
      <span role="cell" class="cell-statement">
        {query.stale !== undefined && (
          <span class="stale-badge" title={query.stale}>
            {query.stale}
          </span>
        )}
        {own !== "" && <span class="row-label">{own}</span>}
        <span class={query.type === "select" ? "row-statement" : "row-statement muted"}>
          {query.type === "select" ? oneLine(query.query) : strings.queries.splitInto}
        </span>
      </span>
      <span role="cell" class="cell-cluster">
        {clusterName}
      </span>
      <span role="cell" class="cell-progress">
        <RunTime query={query} />
      </span>
      <span role="cell" class="cell-age">
        <Age time={startTime} />
      </span>
      <span role="cell" class="cell-who" title={accessKeyId}>
        {accessKeyId}
      </span>
    </div>
  );
});

function oneLine(statement: string): string {
  return statement.slice(0, 300).replace(/\s+/g, " ").trim();
}

function Filters({ filters }: { readonly filters: QueryFilters }) {
  const text = strings.queries;
  const clusters = usePoll(
    (signal) => call("listClusters", { parameters: { order: "asc" }, signal }).then((page) => page.clusters),
    30_000,
    "clusters",
  ).value;
  const change = (values: Partial<QueryFilters>) =>
    go("/queries", parametersOf({ ...filters, stale: "", ...values }), true);
  const names = new Set(
    [...(clusters ?? []).map(({ name }) => name), filters.clusterName].filter((name) => name !== ""),
  );
  return (
    <form class="filters" role="search" aria-label={text.filterLabel} onSubmit={(event) => event.preventDefault()}>
      <div class="segments" role="group" aria-label={text.status}>
        {["", ...queryStatuses].map((status) => (
          <button
            key={status}
            type="button"
            aria-pressed={filters.status === status && filters.stale === ""}
            onClick={() => change({ status, stale: "" })}
          >
            {status === "" ? text.all : strings.status[status]}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={filters.stale !== ""}
          onClick={() => go("/queries", { stale: "true" }, true)}
        >
          {strings.lineage.staleOnly}
        </button>
      </div>
      <select
        aria-label={text.cluster}
        value={filters.clusterName}
        onChange={(event) => change({ clusterName: event.currentTarget.value })}
      >
        <option value="">{text.anyCluster}</option>
        {[...names].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={text.type}
        value={filters.type}
        onChange={(event) => change({ type: event.currentTarget.value })}
      >
        <option value="">{text.anyType}</option>
        <option value="select">{text.select}</option>
        <option value="split">{text.split}</option>
      </select>
      <LabelFilter value={filters.labelPrefix} onChange={(labelPrefix) => change({ labelPrefix })} />
    </form>
  );
}

/** Waits until the user has paused, so that not every letter is a request. */
function LabelFilter({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), 300);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      type="search"
      aria-label={strings.queries.label}
      placeholder={strings.queries.labelPlaceholder}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/** The names in the address are short, because people read and share it. */
function filtersOf(parameters: URLSearchParams): QueryFilters {
  const stale = parameters.get("stale") === "true" ? "true" : "";
  if (stale !== "") return { status: "", clusterName: "", type: "", labelPrefix: "", stale };
  const status = parameters.get("status") ?? "";
  const type = parameters.get("type") ?? "";
  return {
    status: (queryStatuses as readonly string[]).includes(status) ? status : "",
    clusterName: parameters.get("cluster") ?? "",
    type: type === "select" || type === "split" ? type : "",
    labelPrefix: parameters.get("label") ?? "",
    stale,
  };
}

function parametersOf({ status, clusterName, type, labelPrefix, stale }: QueryFilters): Record<string, string> {
  return { status, cluster: clusterName, type, label: labelPrefix, stale };
}

/** At most this wide, a row is a card of two lines; the stylesheet (pages.css) has the same width. */
const cardsBelow = "(max-width: 1100px)";

function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(() => window.matchMedia(cardsBelow).matches);
  useEffect(() => {
    const query = window.matchMedia(cardsBelow);
    const onChange = () => setNarrow(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  return isNarrow ? 92 : 52;
}

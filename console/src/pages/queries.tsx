/** The list of queries, live. */
import { memo } from "preact/compat";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { ListedRun } from "../api/runs";
import { Problem } from "../components/notice";
import { Age, RunTime, Status, useTitle } from "../components/parts";
import { VirtualList } from "../components/virtual-list";
import { splitLabel } from "../format";
import { href, place } from "../router";
import { strings } from "../strings";
import { Filters, filtersOf, unknownFilters } from "./query-filters";
import { useQueryList } from "./query-list";

export function QueriesPage() {
  const text = strings.queries;
  useTitle(text.title);
  const filters = filtersOf(place.value.parameters);
  const ignored = unknownFilters(place.value.parameters);
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
      {ignored !== undefined && <Problem error={new Error(ignored)} />}
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
          name={filters.sort === "" ? text.table : text.longestTable}
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

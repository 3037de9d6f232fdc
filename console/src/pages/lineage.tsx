/** What a table, a result or a view is made of, and who reads it, as a graph. */
import { useMemo, useState } from "preact/hooks";
import { lineageGraph, type LineageGraph, type LineageNode } from "../../../contract/extension";
import { read } from "../api/client";
import { usePoll } from "../api/poll";
import { Problem } from "../components/notice";
import { useTitle } from "../components/parts";
import { lineagePath, tableAddress } from "../lineage/address";
import { layoutOf, LineageView } from "../lineage/graph";
import { href, place } from "../router";
import { pageStrings } from "../page-strings";
import { strings } from "../strings";

export function LineagePage() {
  const location = `dag://${place.value.segments.join("/")}/`;
  return <Lineage key={location} location={location} />;
}

function Lineage({ location }: { readonly location: string }) {
  const { value, error, refresh } = usePoll(
    (signal) => read(lineageGraph, lineagePath(location), { signal }),
    15_000,
    `lineage ${location}`,
  );
  const root = value?.nodes.find(({ id }) => id === value.root);
  const name = root?.name ?? location;
  useTitle(pageStrings.lineage.title(name));
  return (
    <section class="lineage-page">
      <div class="page-head">
        <h1 class="break">{pageStrings.lineage.title(name)}</h1>
        {value && <p class="muted">{pageStrings.lineage.count(value.nodes.length, value.isCut)}</p>}
      </div>
      {error && <Problem error={error} retry={refresh} />}
      {!value && !error && <p class="loading">{strings.shell.loading}</p>}
      {value && <Drawing graph={value} />}
    </section>
  );
}

function Drawing({ graph }: { readonly graph: LineageGraph }) {
  // What is drawn stays in its place while nothing changes.
  const layout = useMemo(() => layoutOf(graph), [JSON.stringify(graph)]);
  const [chosen, setChosen] = useState(graph.root);
  const selected = graph.nodes.find(({ id }) => id === chosen) ?? graph.nodes.find(({ id }) => id === graph.root)!;
  return (
    <>
      <LineageView graph={graph} layout={layout} selected={selected.id} onSelect={setChosen} />
      <Selected node={selected} isRoot={selected.id === graph.root} />
      <p class="muted small lineage-hint">{pageStrings.lineage.hint}</p>
    </>
  );
}

function Selected({ node, isRoot }: { readonly node: LineageNode; readonly isRoot: boolean }) {
  const text = strings.lineage;
  const table = tableAddress(node);
  return (
    <section class="panel lineage-selected" aria-live="polite" aria-label={pageStrings.lineage.selected}>
      <h2 class="break">{node.name}</h2>
      <p class="muted">{text.describe(node)}</p>
      {node.note !== undefined && <p class="small">{node.note}</p>}
      {node.stale !== undefined && <p class="stale-reason">{text.staleBecause(node.stale)}</p>}
      <p class="links">
        {node.queryId !== undefined && (
          <a href={href(`/queries/${node.queryId}`)}>{strings.query.title(node.queryId)}</a>
        )}
        {table !== undefined && (
          <a href={table}>{node.kind === "view" ? pageStrings.lineage.openView : pageStrings.lineage.openTable}</a>
        )}
        {!isRoot && <a href={href(lineagePath(node.id))}>{pageStrings.lineage.fromHere}</a>}
      </p>
    </section>
  );
}

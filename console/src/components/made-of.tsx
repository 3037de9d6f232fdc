/** The next level of a lineage as lists: on the pages of tables and queries. */
import { lineageGraph, type LineageGraph, type LineageNode, type QueryRead } from "../../../contract/extension";
import { read } from "../api/client";
import { usePoll } from "../api/poll";
import { bytes } from "../format";
import { lineagePath, tableAddress } from "../lineage/address";
import { href } from "../router";
import { strings } from "../strings";

interface MadeOfProps {
  /** The folder of the table or result; for a view the one that a table of its name would have. */
  readonly location: string;
  /** What a query read, as it was then. @default the tables of the present lineage */
  readonly reads?: readonly QueryRead[] | undefined;
  /** The query on whose page this is: who reads the folder reads its result only while it is the last one. */
  readonly queryId?: number;
  /** The statement of that query, if it has one. */
  readonly statement?: string | undefined;
  readonly stale?: string | undefined;
  /** The lineage as the page has read it with its other parts, so that nothing of the page moves. */
  readonly initial?: LineageGraph | undefined;
}

/** Reads the next level of a lineage; undefined from a service that does not tell it. */
export function readNextLevel(location: string, signal: AbortSignal): Promise<LineageGraph | undefined> {
  return read(lineageGraph, `${lineagePath(location)}?levels=1`, { signal }).catch(() => undefined);
}

/** Nothing is shown by a service that does not tell it. */
export function MadeOf({ location, reads, queryId, statement, stale, initial }: MadeOfProps) {
  const text = strings.lineage;
  const polled = usePoll((signal) => readNextLevel(location, signal), 15_000, `made of ${location}`);
  const value = polled.value ?? initial;
  if (!value) return null;
  const root = value.nodes.find(({ id }) => id === value.root);
  const named = (ids: readonly string[]) => value.nodes.filter(({ id }) => ids.includes(id));
  const sources = named(value.edges.filter(({ to }) => to === value.root).map(({ from }) => from));
  const readers = named(value.edges.filter(({ from }) => from === value.root).map(({ to }) => to)).filter(
    ({ isDeleted }) => !isDeleted,
  );
  const isLast = queryId === undefined || root?.queryId === queryId;
  const hasNoFrom = statement !== undefined && !/\bfrom\b/i.test(statement);
  const isMade = (queryId ?? root?.queryId) !== undefined;
  const none = hasNoFrom ? text.readsNone : isMade ? text.noReads : text.noSources;
  const reason = stale ?? (isLast ? root?.stale : undefined);
  return (
    <section class="panel made-of" aria-label={text.part}>
      <div class="panel-head">
        <h2>{text.part}</h2>
        {reason !== undefined && <span class="stale-badge">{text.stale}</span>}
        <a class="button" href={href(lineagePath(location))}>
          {text.show}
        </a>
      </div>
      {reason !== undefined && <p class="pad-x stale-reason">{text.staleBecause(reason)}</p>}
      <div class="made-of-lists">
        <div>
          <h3>{text.madeOf}</h3>
          {queryId === undefined && root?.queryId !== undefined && (
            <p class="small">
              {text.madeBy} <a href={href(`/queries/${root.queryId}`)}>{strings.query.title(root.queryId)}</a>
            </p>
          )}
          {reads ? <Reads reads={reads} /> : <Nodes nodes={sources} none={none} />}
        </div>
        <div>
          <h3>{text.readBy}</h3>
          <Nodes nodes={isLast ? readers : []} none={isLast ? text.noReaders : text.notLast} />
        </div>
      </div>
    </section>
  );
}

function Nodes({ nodes, none }: { readonly nodes: readonly LineageNode[]; readonly none: string }) {
  const text = strings.lineage;
  if (nodes.length === 0) return <p class="muted">{none}</p>;
  return (
    <ul>
      {nodes.map((node) => (
        <li key={node.id}>
          <a class="break" href={tableAddress(node) ?? href(lineagePath(node.id))}>
            {node.name}
          </a>{" "}
          <span class="muted small">{text.describe(node)}</span>{" "}
          {node.stale !== undefined && (
            <span class="stale-badge" title={node.stale}>
              {text.stale}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Reads({ reads }: { readonly reads: readonly QueryRead[] }) {
  const text = strings.lineage;
  return (
    <ul>
      {reads.map(({ kind, location, name, objects, bytes: size, change }) => (
        <li key={`${kind} ${location}`}>
          <a class="break" href={tableAddress({ id: location, kind }) ?? href(lineagePath(location))}>
            {name}
          </a>{" "}
          <span class="muted small">
            {kind === "view" ? text.kinds.view : objects !== undefined && text.objectsThen(objects, bytes(size ?? 0))}
          </span>{" "}
          {change !== undefined && <span class="stale-reason small">{change}</span>}
        </li>
      ))}
    </ul>
  );
}

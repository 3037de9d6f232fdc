/** Databases and tables: columns, partitions, objects and first rows. */
import { useEffect, useState } from "preact/hooks";
import {
  catalogDatabase,
  catalogDatabases,
  catalogTable,
  objectPage,
  type CatalogTable,
  type ObjectPage,
} from "../../../contract/extension";
import { read } from "../api/client";
import { usePoll } from "../api/poll";
import { Icon } from "../components/icon";
import { MadeOf, readNextLevel } from "../components/made-of";
import { notifyError, Problem } from "../components/notice";
import { CopyButton, Fact, useTitle } from "../components/parts";
import { RowTable } from "../components/row-table";
import { TableHead } from "../components/table-head";
import { bytes } from "../format";
import { href, place } from "../router";
import { pageStrings } from "../page-strings";
import { strings } from "../strings";
import { openDraft } from "./draft";
import { UploadButton } from "./upload";
import { quoted, ViewDetail } from "./view";
import { Objects } from "./query-result";

export function TablesPage() {
  const text = pageStrings.tables;
  const { path, segments } = place.value;
  const [database, table] = segments;
  const isView = path.startsWith("/views/");
  useTitle(table ? `${database}.${table}` : text.title);
  return (
    <section class="tables-page">
      <div class="page-head">
        <h1>{text.title}</h1>
      </div>
      <div class={table ? "tables-grid has-table" : "tables-grid"}>
        <Tree database={database} table={table} />
        {database && table && isView ? (
          <ViewDetail key={`${database}/${table}`} database={database} view={table} />
        ) : database && table ? (
          <TableDetail key={`${database}/${table}`} database={database} table={table} />
        ) : (
          <div class="panel empty">
            <p class="muted">{text.pick}</p>
          </div>
        )}
      </div>
    </section>
  );
}

interface Database {
  readonly name: string;
  readonly tables: readonly TreeEntry[];
}

/** A table or view in the tree. */
interface TreeEntry {
  readonly table: string;
  readonly isView: boolean;
}

function Tree({ database, table }: { readonly database: string | undefined; readonly table: string | undefined }) {
  const text = pageStrings.tables;
  const [filter, setFilter] = useState("");
  const { value: databases, error, refresh } = usePoll(readTree, 10_000, "catalog");
  const wanted = filter.trim().toLowerCase();
  const shown = (databases ?? []).map((each) => ({
    ...each,
    tables: each.tables.filter((found) => `${each.name}.${found.table}`.includes(wanted)),
  }));
  return (
    <nav class="panel tree" aria-label={text.databases}>
      <input
        type="search"
        aria-label={text.filter}
        placeholder={text.filter}
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      {error && <Problem error={error} retry={refresh} />}
      {!databases && !error && <p class="loading">{strings.shell.loading}</p>}
      {shown.map(({ name, tables }) => (
        <details key={name} open={name === database || wanted !== "" || shown.length <= 8}>
          <summary>
            <Icon name="folder" /> <span class="break">{name}</span>
            <span class="count">{tables.length}</span>
          </summary>
          <ul>
            {tables.length === 0 && <li class="muted small pad-x">{text.noTables}</li>}
            {tables.map((found) => (
              <li key={found.table}>
                <a
                  href={href(`/${found.isView ? "views" : "tables"}/${name}/${encodeURIComponent(found.table)}`)}
                  aria-current={name === database && found.table === table ? "page" : undefined}
                >
                  <Icon name={found.isView ? "eye" : "table"} /> <span class="break">{found.table}</span>
                  {found.isView && <span class="count">{text.view}</span>}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  );
}

async function readTree(signal: AbortSignal): Promise<Database[]> {
  const { databases } = await read(catalogDatabases, "/catalog", { signal });
  return Promise.all(
    databases.map(async ({ name }) => {
      const { tables, views } = await read(catalogDatabase, `/catalog/${name}`, { signal });
      const entries = [
        ...tables.map(({ table }) => ({ table, isView: false })),
        ...views.map(({ view }) => ({ table: view, isView: true })),
      ];
      return { name, tables: entries.toSorted((a, b) => (a.table < b.table ? -1 : 1)) };
    }),
  );
}

function TableDetail({ database, table }: { readonly database: string; readonly table: string }) {
  const text = pageStrings.tables;
  const location = `dag://${database}/${table}/`;
  const path = `/catalog/${encodeURIComponent(database)}/${encodeURIComponent(table)}`;
  const {
    value: found,
    error,
    refresh,
  } = usePoll(
    async (signal) => {
      const [detail, lineage] = await Promise.all([
        read(catalogTable, path, { signal }),
        readNextLevel(location, signal),
      ]);
      return { detail, lineage };
    },
    0,
    `table ${database}/${table}`,
  );
  if (error) return <Problem error={error} retry={refresh} />;
  if (!found) return <p class="panel loading">{strings.shell.loading}</p>;
  const value = found.detail;
  const name = `${database}.${table}`;
  return (
    <div class="table-detail">
      <section class="panel">
        <div class="panel-head">
          <h2 class="break">{name}</h2>
          <a
            class="button"
            href={href("/submit")}
            onClick={() => openDraft({ query: `SELECT *\nFROM ${quoted(database)}.${quoted(table)}\nLIMIT 100` })}
          >
            <Icon name="play" /> {text.query}
          </a>
        </div>
        <dl class="facts">
          <Fact name={text.objects}>{text.count(value.objects, value.isCut)}</Fact>
          <Fact name={text.size}>{bytes(value.bytes)}</Fact>
          <Fact name={text.format}>{value.format}</Fact>
          <Fact name={text.sourceName}>
            {text.source[value.source]} {value.note && <span class="muted small">{value.note}</span>}
          </Fact>
          <Fact name={text.location}>
            <code class="break">{value.location}</code> <CopyButton text={value.location} />
          </Fact>
        </dl>
      </section>
      <MadeOf location={location} initial={found.lineage} />
      <section class="panel">
        <div class="panel-head">
          <h2>{text.sample}</h2>
          {value.sample.isTruncated && <span class="muted small">{text.moreRows}</span>}
        </div>
        {value.sample.rows.length === 0 ? (
          <p class="muted pad">{text.noRows}</p>
        ) : (
          <RowTable columns={value.columns} rows={value.sample.rows} name={text.sample} />
        )}
      </section>
      <section class="panel">
        <div class="panel-head">
          <h2>{text.columns}</h2>
          {value.isInferred && <span class="muted small">{text.inferred}</span>}
        </div>
        <table class="plain">
          <TableHead columns={[{ name: text.column }, { name: text.type }]} />
          <tbody>
            {value.columns.map((column, index) => (
              <tr key={index}>
                <td>
                  <code class="break">{column.name}</code>
                </td>
                <td>
                  <code>{column.type}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section class="panel">
        <div class="panel-head">
          <h2>{text.objects}</h2>
          {value.partitionColumns.length === 0 && <UploadButton folder={value.location} onStored={refresh} />}
        </div>
        <ObjectList key={`${value.objects} ${value.bytes}`} prefix={value.location} />
      </section>
      {value.partitions.length > 0 && <Partitions table={value} onStored={refresh} />}
    </div>
  );
}

/** Partitions of a page. */
const partitionsOnPage = 100;
/** Partitions that the service answers. */
const maxPartitions = 1000;

interface PartitionsProps {
  readonly table: Pick<CatalogTable, "location" | "partitions">;
  readonly onStored: () => void;
}

function Partitions({ table: { location, partitions }, onStored }: PartitionsProps) {
  const text = pageStrings.tables;
  const [from, setFrom] = useState(0);
  const shown = partitions.slice(from, from + partitionsOnPage);
  return (
    <section class="panel" aria-label={text.partitions}>
      <div class="panel-head">
        <h2>{text.partitions}</h2>
        <p class="muted small" role="status">
          {text.partitionsShown(from, shown.length, partitions.length, partitions.length >= maxPartitions)}
        </p>
        {partitions.length > partitionsOnPage && (
          <span class="actions">
            <button
              type="button"
              class="icon-button"
              aria-label={text.earlierPartitions}
              title={text.earlierPartitions}
              disabled={from === 0}
              onClick={() => setFrom(from - partitionsOnPage)}
            >
              <Icon name="back" />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label={text.laterPartitions}
              title={text.laterPartitions}
              disabled={from + partitionsOnPage >= partitions.length}
              onClick={() => setFrom(from + partitionsOnPage)}
            >
              <Icon name="chevron" />
            </button>
          </span>
        )}
      </div>
      <table class="plain">
        <TableHead
          columns={[
            { name: text.partition },
            { name: text.objects, kind: "number" },
            { name: text.size, kind: "number" },
            { name: pageStrings.upload.button, isHidden: true },
          ]}
        />
        <tbody>
          {shown.map(({ name, objects, bytes: size }) => (
            <tr key={name}>
              <td>
                <code class="break">{name}</code>
              </td>
              <td class="number">{objects}</td>
              <td class="number">{bytes(size)}</td>
              <td class="number">
                <UploadButton folder={`${location}${name}/`} onStored={onStored} partition={name} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ObjectList({ prefix }: { readonly prefix: string }) {
  const [page, setPage] = useState<ObjectPage>({ objects: [], isTruncated: false });
  const load = async (marker?: string, signal?: AbortSignal) => {
    const more = marker === undefined ? "" : `&marker=${encodeURIComponent(marker)}`;
    try {
      const next = await read(objectPage, `/objects?prefix=${encodeURIComponent(prefix)}${more}`, { signal });
      setPage((before) => ({ ...next, objects: marker ? [...before.objects, ...next.objects] : next.objects }));
    } catch (error) {
      if (!signal?.aborted) notifyError(error);
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    void load(undefined, stop.signal);
    return () => stop.abort();
  }, [prefix]);
  return (
    <>
      <Objects page={{ ...page, isTruncated: false }} />
      {page.nextMarker !== undefined && (
        <button type="button" class="button" onClick={() => void load(page.nextMarker)}>
          {pageStrings.tables.more}
        </button>
      )}
    </>
  );
}

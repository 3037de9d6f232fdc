/** Databases and tables: the tree of all, and one table or view beside it. */
import { useState } from "preact/hooks";
import { catalogDatabase, catalogDatabases } from "../../../../contract/extension";
import { read } from "../../api/client";
import { usePoll } from "../../api/poll";
import { Icon } from "../../components/icon";
import { Problem } from "../../components/notice";
import { useTitle } from "../../components/parts";
import { href, place } from "../../router";
import { pageStrings } from "../../page-strings";
import { strings } from "../../strings";
import { TableDetail } from "./table-detail";
import { ViewDetail } from "./view";

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

/** The names of the catalog for the editor's completion. */
import { useEffect, useState } from "preact/hooks";
import { catalogDatabase, catalogDatabases, catalogTable } from "../../../contract/extension";
import { read } from "../api/client";
import type { Names } from "../components/from-columns";

/** Tables whose columns are looked up, because the list does not have inferred ones. */
const maxInferred = 30;

/** Reads databases and tables, then the columns of tables that declare none. */
export function useNames(): Names {
  const [names, setNames] = useState<Names>({});
  useEffect(() => {
    const stop = new AbortController();
    void load(setNames, stop.signal).catch(() => undefined);
    return () => stop.abort();
  }, []);
  return names;
}

/** The folder below which this page and `dag-service sql` have the results of their queries, which are not one table. */
const isOwnResults = (database: string, table: string) => database === "default" && /^(?:sql_)?results$/.test(table);

async function load(show: (names: Names) => void, signal: AbortSignal): Promise<void> {
  const names: Record<string, Record<string, readonly string[]>> = {};
  const { databases } = await read(catalogDatabases, "/catalog", { signal });
  const inferred: { database: string; table: string }[] = [];
  for (const { name: database } of databases) {
    const { tables } = await read(catalogDatabase, `/catalog/${database}`, { signal });
    names[database] = Object.fromEntries(
      tables.map(({ table, columns }) => [table, (columns ?? []).map(({ name }) => name)]),
    );
    const unknown = tables.filter(({ table, columns }) => !columns && !isOwnResults(database, table));
    inferred.push(...unknown.map(({ table }) => ({ database, table })));
  }
  show({ ...names });
  for (const { database, table } of inferred.slice(0, maxInferred)) {
    const found = await read(catalogTable, `/catalog/${database}/${table}`, { signal }).catch(() => undefined);
    if (found) names[database] = { ...names[database], [table]: found.columns.map(({ name }) => name) };
  }
  show({ ...names });
}

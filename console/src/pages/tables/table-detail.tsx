/** A table: its columns, objects, partitions and first rows, and what it was made of. */
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../../../contract/errors";
import { catalogTable, objectPage, type ObjectPage } from "../../../../contract/extension";
import { read } from "../../api/client";
import { usePoll } from "../../api/poll";
import { Icon } from "../../components/icon";
import { MadeOf, readNextLevel } from "../../components/made-of";
import { notifyError, Problem } from "../../components/notice";
import { CopyButton, Fact } from "../../components/parts";
import { RowTable } from "../../components/row-table";
import { TableHead } from "../../components/table-head";
import { bytes } from "../../format";
import { href } from "../../router";
import { pageStrings } from "../../page-strings";
import { strings } from "../../strings";
import { Objects } from "../query-result";
import { openDraft } from "../submit/draft";
import { Partitions } from "./partitions";
import { UploadButton } from "./upload";
import { quoted } from "./view";

export function TableDetail({ database, table }: { readonly database: string; readonly table: string }) {
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
  if (error) {
    // Which object makes a table unreadable is seen in their list.
    const isThere = error instanceof ApiError && error.status !== 404;
    return (
      <>
        <Problem error={error} retry={refresh} />
        {isThere && (
          <section class="panel">
            <h2>{text.objects}</h2>
            <ObjectList prefix={location} />
          </section>
        )}
      </>
    );
  }
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
          {value.isInferred && (
            <span class="muted small">{value.format === "parquet" ? text.inferred : text.inferredFromFirst}</span>
          )}
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

/** The result of a select: its objects and first rows. */
import { useState } from "preact/hooks";
import { resultSample, type ObjectPage } from "../../../contract/extension";
import type { SelectRecord } from "../../../contract/records";
import { read, send } from "../api/client";
import { usePoll } from "../api/poll";
import { Icon } from "../components/icon";
import { notify, Problem } from "../components/notice";
import { RowTable } from "../components/row-table";
import { TableHead } from "../components/table-head";
import { bytes, dateTime } from "../format";
import { href } from "../router";
import { strings } from "../strings";

export function Result({ query }: { readonly query: SelectRecord }) {
  const text = strings.query;
  const isFinished = query.status === "finished";
  return (
    <section class="panel result-panel">
      <div class="panel-head">
        <h2>{text.result}</h2>
      </div>
      {isFinished ? (
        <FinishedResult id={query.id} />
      ) : (
        <p class="muted pad">{query.status === "running" ? text.afterFinish : text.noResult}</p>
      )}
    </section>
  );
}

function FinishedResult({ id }: { readonly id: number }) {
  const text = strings.query;
  const { value, error, refresh } = usePoll(
    (signal) => read(resultSample, `/results/${id}`, { signal }),
    0,
    `result ${id}`,
  );
  if (error) return <Problem error={error} retry={refresh} />;
  if (!value) return <p class="loading">{strings.shell.loading}</p>;
  if (value.replaced) {
    const { queryId, reason } = value.replaced;
    return (
      <p class="pad">
        {text.replaced(reason)}{" "}
        {queryId !== undefined && <a href={href(`/queries/${queryId}`)}>{text.replacedBy(queryId)}</a>}
      </p>
    );
  }
  const { rows, isTruncated } = value.sample;
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const names =
    value.columns && (value.columns.length === width || width === 0)
      ? value.columns
      : Array.from({ length: width }, (_, index) => `_c${index}`);
  return (
    <>
      {value.page.objects.length === 0 ? (
        <p class="muted pad">{text.noObjects}</p>
      ) : rows.length === 0 ? (
        <p class="muted pad">{text.empty}</p>
      ) : (
        <>
          <p class="muted small pad-x">{text.rows(rows.length, isTruncated)}</p>
          <RowTable columns={names.map((name) => ({ name }))} rows={rows} name={strings.table.scroll} />
        </>
      )}
      {value.page.objects.length > 0 && <Objects page={value.page} />}
    </>
  );
}

/** Objects with their sizes, each with a download. */
export function Objects({ page: { objects, isTruncated } }: { readonly page: ObjectPage }) {
  const { table, query: text } = strings;
  return (
    <div class="objects">
      <table class="plain">
        <caption class="visually-hidden">{text.objects}</caption>
        <TableHead
          columns={[
            { name: table.object },
            { name: table.size, kind: "number" },
            { name: table.modified, kind: "optional" },
            { name: text.download, isHidden: true },
          ]}
        />
        <tbody>
          {objects.map(({ location, size, lastModified }) => (
            <tr key={location}>
              <td>
                <code class="break">{location}</code>
              </td>
              <td class="number">{bytes(size)}</td>
              <td class="optional">{dateTime(Date.parse(lastModified))}</td>
              <td>
                <Download location={location} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isTruncated && <p class="muted small pad-x">{text.moreObjects}</p>}
    </div>
  );
}

function Download({ location }: { readonly location: string }) {
  const [isBusy, setBusy] = useState(false);
  const name = location.split("/").at(-1)!;
  const download = async () => {
    setBusy(true);
    try {
      const path = location.slice("dag://".length).split("/").map(encodeURIComponent).join("/");
      save(await (await send("GET", `/objects/${path}`)).blob(), name);
    } catch {
      notify(strings.query.downloadFailed, true);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class="icon-button"
      disabled={isBusy}
      onClick={() => void download()}
      aria-label={`${strings.query.download} ${name}`}
      title={strings.query.download}
    >
      <Icon name="download" />
    </button>
  );
}

/** Hands the bytes to the browser as a file. */
function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

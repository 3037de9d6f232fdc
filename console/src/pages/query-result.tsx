/** The result of a select: its objects and first rows. */
import { useRef, useState } from "preact/hooks";
import { resultSample, type ObjectPage, type ResultSample } from "../../../contract/extension";
import type { SelectRecord } from "../../../contract/records";
import { read, send } from "../api/client";
import { usePoll } from "../api/poll";
import { Icon } from "../components/icon";
import { PageButtons } from "../components/icon-button";
import { notify, notifyError, Problem } from "../components/notice";
import { RowTable } from "../components/row-table";
import { TableHead } from "../components/table-head";
import { bytes, dateTime } from "../format";
import { href } from "../router";
import { strings } from "../strings";

/** Rows of a page of a result. */
const rowsOnPage = 100;

export function Result({ query }: { readonly query: SelectRecord }) {
  const text = strings.query;
  const isFinished = query.status === "finished";
  const [isGone, setGone] = useState(false);
  return (
    <section class="panel result-panel">
      <div class="panel-head">
        <h2>{text.result}</h2>
        {isFinished && <DownloadAll id={query.id} format={query.outputFormat} isGone={isGone} />}
      </div>
      {isFinished ? (
        <FinishedResult id={query.id} onRead={({ replaced }) => setGone(replaced !== undefined)} />
      ) : (
        <p class="muted pad">{query.status === "running" ? text.afterFinish : text.noResult}</p>
      )}
    </section>
  );
}

interface FinishedResultProps {
  readonly id: number;
  readonly onRead: (result: ResultSample) => void;
}

function FinishedResult({ id, onRead }: FinishedResultProps) {
  const text = strings.query;
  // Where the pages of rows begin that were shown; the first one needs no entry.
  const [places, setPlaces] = useState<readonly string[]>([]);
  const after = places.at(-1);
  const polled = usePoll(
    async (signal) => {
      const page = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
      const result = await read(resultSample, `/results/${id}${page}`, { signal });
      onRead(result);
      return result;
    },
    0,
    `result ${id} ${after}`,
  );
  const { error, refresh } = polled;
  // The page before stays until the next one is there.
  const last = useRef({ value: polled.value, from: 0 });
  if (polled.value) last.current = { value: polled.value, from: places.length * rowsOnPage };
  const { value, from } = last.current;
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
  const { rows } = value.sample;
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
          <div class="row-pages">
            <p class="muted small" role="status">
              {text.rows(from, rows.length, value.rows ?? (value.next === undefined ? from + rows.length : undefined))}
            </p>
            {(from > 0 || value.next !== undefined) && (
              <PageButtons
                names={{ earlier: text.earlierRows, later: text.laterRows }}
                earlier={from === 0 ? undefined : () => setPlaces(places.slice(0, -1))}
                later={
                  value.next === undefined || !polled.value ? undefined : () => setPlaces([...places, value.next!])
                }
              />
            )}
          </div>
          <RowTable columns={names.map((name) => ({ name }))} rows={rows} from={from} name={strings.table.scroll} />
        </>
      )}
      {value.page.objects.length > 0 && (
        <Objects
          page={value.page}
          whyGone={async () => {
            const result = await read(resultSample, `/results/${id}`);
            onRead(result);
            return result.replaced && text.replaced(result.replaced.reason);
          }}
        />
      )}
    </>
  );
}

interface DownloadAllProps {
  readonly id: number;
  readonly format: string;
  /** True when the result is no longer there. */
  readonly isGone: boolean;
}

function DownloadAll({ id, format, isGone }: DownloadAllProps) {
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      save(await (await send("GET", `/results/${id}/download`)).blob(), `query-${id}.${format}`);
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" class="button" disabled={isBusy || isGone} onClick={() => void download()}>
      <Icon name="download" /> {strings.query.downloadAll(format)}
    </button>
  );
}

interface ObjectsProps {
  readonly page: ObjectPage;
  /** Tells before a download why the objects are others by now; undefined when they are the same. @default not asked */
  readonly whyGone?: (() => Promise<string | undefined>) | undefined;
}

/** Objects with their sizes, each with a download. */
export function Objects({ page: { objects, isTruncated }, whyGone }: ObjectsProps) {
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
                <Download location={location} whyGone={whyGone} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isTruncated && <p class="muted small pad-x">{text.moreObjects}</p>}
    </div>
  );
}

function Download({ location, whyGone }: Pick<ObjectsProps, "whyGone"> & { readonly location: string }) {
  const [isBusy, setBusy] = useState(false);
  const name = location.split("/").at(-1)!;
  const download = async () => {
    setBusy(true);
    try {
      const reason = await whyGone?.();
      if (reason !== undefined) return notify(reason, true);
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

/** The first rows of a view: the result of a query that the user starts here. */
import { useRef, useState } from "preact/hooks";
import { repeatableUntil, sendKept, type Pending } from "../../api/kept-request";
import { usePoll } from "../../api/poll";
import { getRun } from "../../api/runs";
import { Problem } from "../../components/notice";
import { href } from "../../router";
import { pageStrings } from "../../page-strings";
import { ownFolder } from "../submit/draft";
import { defaultCluster } from "../submit/submit-fields";
import { Result } from "../query-result";

/** @param query what selects the rows */
export function ViewRows({ query }: { readonly query: string }) {
  const text = pageStrings.tables;
  /** The request whose answer was lost: the next one is the same. */
  const unanswered = useRef<Pending<object>>(undefined);
  const [id, setId] = useState<number>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [hasEnded, setEnded] = useState(false);
  const run = usePoll(
    id === undefined || hasEnded
      ? undefined
      : async (signal) => {
          const found = await getRun(id, signal);
          if (found.status !== "running") setEnded(true);
          return found;
        },
    500,
    `rows of a view ${id}`,
  );
  const start = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const before = unanswered.current;
      const body =
        before && repeatableUntil(before) !== undefined
          ? before.body
          : { query, clusterName: await defaultCluster(), outputResourcePath: ownFolder(), outputFormat: "csv" };
      const keep = (pending: Pending<object> | undefined) => (unanswered.current = pending);
      const { queryId } = await sendKept("submitSelect", { body }, before, keep);
      setEnded(false);
      setId(queryId);
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  const { value } = run;
  const isRunning = isBusy || (id !== undefined && !hasEnded);
  return (
    <>
      <section class="panel">
        <div class="panel-head">
          <h2>{text.sample}</h2>
          {id !== undefined && <a href={href(`/queries/${id}`)}>{text.rowsByQuery(id)}</a>}
          <button type="button" class="button" disabled={isRunning} onClick={() => void start()}>
            {isRunning ? text.readingRows : text.readRows}
          </button>
        </div>
        {error && <Problem error={error} />}
        {run.error && <Problem error={run.error} retry={run.refresh} />}
        {id === undefined && !error && <p class="muted pad">{text.rowsNeedQuery}</p>}
      </section>
      {value?.type === "select" && <Result query={value} />}
    </>
  );
}

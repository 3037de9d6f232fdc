/** The first rows of a view: the result of a query that the user starts here. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { usePoll } from "../../api/poll";
import { getRun } from "../../api/runs";
import { Problem } from "../../components/notice";
import { href } from "../../router";
import { pageStrings } from "../../page-strings";
import { ownFolder } from "../submit/draft";
import { Result } from "../query-result";

/** @param query what selects the rows */
export function ViewRows({ query }: { readonly query: string }) {
  const text = pageStrings.tables;
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
      const { clusters } = await call("listClusters", { parameters: { order: "asc" } });
      const { name: clusterName = "" } = clusters.find(({ status }) => status === "norm") ?? clusters[0] ?? {};
      const body = { query, clusterName, outputResourcePath: ownFolder(), outputFormat: "csv" as const };
      const { queryId } = await call("submitSelect", { body });
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

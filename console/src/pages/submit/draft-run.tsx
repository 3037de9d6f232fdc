/** The query that ran last from a draft, beside its editor: how far it is, then its rows or why it failed. */
import { useState } from "preact/hooks";
import { usePoll } from "../../api/poll";
import { getRun, type SingleRun } from "../../api/runs";
import { Problem } from "../../components/notice";
import { RunTime, Status } from "../../components/parts";
import { href } from "../../router";
import { strings } from "../../strings";
import { CancelButton } from "../query";
import { Log } from "../query-log";
import { Result } from "../query-result";

export function DraftRun({ id }: { readonly id: number }) {
  const [isFinal, setFinal] = useState(false);
  const { value, error, refresh } = usePoll(
    async (signal) => {
      const found = await getRun(id, signal);
      setFinal(found.status !== "running");
      return found;
    },
    isFinal ? 0 : 500,
    `run ${id}`,
  );
  return (
    <>
      <section class="panel run-head">
        <h2>
          <a href={href(`/queries/${id}`)}>{strings.query.title(id)}</a>
        </h2>
        {value && (
          <>
            <Status status={value.status} />
            <RunTime query={value} />
            {value.status === "running" && <CancelButton id={id} refresh={refresh} />}
          </>
        )}
      </section>
      {error && <Problem error={error} retry={refresh} />}
      {value?.type === "select" && <Outcome query={value} />}
    </>
  );
}

function Outcome({ query }: { readonly query: SingleRun & { readonly type: "select" } }) {
  if (query.status === "running") return null;
  return query.status === "finished" ? <Result query={query} /> : <Log id={query.id} status={query.status} />;
}

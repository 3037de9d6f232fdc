/** One query: what it is, how far it is, its log and its result. */
import { useState } from "preact/hooks";
import { call } from "../api/client";
import { usePoll } from "../api/poll";
import { getRun, type SingleRun } from "../api/runs";
import { Icon } from "../components/icon";
import { MadeOf } from "../components/made-of";
import { notify, notifyError, Problem } from "../components/notice";
import { Age, CopyButton, Dialog, Fact, Progress, Status, stuckFor, useTitle } from "../components/parts";
import { Statement } from "../components/statement";
import { apiTime, dateTime, duration, splitLabel } from "../format";
import { backTo, href } from "../router";
import { strings } from "../strings";
import { openDraft } from "./submit/draft";
import { Log } from "./query-log";
import { Result } from "./query-result";

export function QueryPage({ id }: { readonly id: number }) {
  const text = strings.query;
  useTitle(text.title(id));
  const [isFinal, setFinal] = useState(false);
  const {
    value: query,
    error,
    refresh,
  } = usePoll(
    async (signal) => {
      const found = await getRun(id, signal);
      setFinal(found.status !== "running");
      return found;
    },
    isFinal ? 0 : 1000,
    `query ${id}`,
  );
  return (
    <section class="query-page">
      <p class="crumbs">
        <a href={href("/queries")} onClick={(event) => backTo("/queries") && event.preventDefault()}>
          <Icon name="back" /> {text.back}
        </a>
      </p>
      {!query && (
        <div class="page-head">
          <h1>{text.title(id)}</h1>
        </div>
      )}
      {error && <Problem error={error} retry={refresh} />}
      {query ? <Detail query={query} refresh={refresh} /> : !error && <p class="loading">{strings.shell.loading}</p>}
    </section>
  );
}

function Detail({ query, refresh }: { readonly query: SingleRun; readonly refresh: () => void }) {
  const text = strings.query;
  const { own } = splitLabel(query.label);
  return (
    <>
      <div class="page-head">
        <h1>{text.title(query.id)}</h1>
        <Status status={query.status} />
        {own !== "" && <span class="row-label">{own}</span>}
        <span class="actions">
          {query.type === "select" && (
            <a
              class="button"
              href={href("/submit")}
              onClick={() => {
                const { query: statement, clusterName, outputFormat } = query;
                openDraft({ query: statement, clusterName, outputFormat, label: own });
              }}
            >
              <Icon name="edit" /> {text.again}
            </a>
          )}
          {query.status === "running" && <CancelButton id={query.id} refresh={refresh} />}
        </span>
      </div>
      <div class="wide-progress">
        <Progress progress={query.progress} status={query.status} label={text.facts.progress} />
      </div>
      <Facts query={query} />
      {query.type === "select" ? (
        <>
          <section class="panel">
            <div class="panel-head">
              <h2>{text.statement}</h2>
              <CopyButton text={query.query} />
            </div>
            <Statement text={query.query} />
          </section>
          <div class={query.status === "error" ? "columns failed" : "columns"}>
            <Result query={query} />
            <Log id={query.id} status={query.status} />
          </div>
        </>
      ) : (
        <Inputs keys={query.inputObjectKeys} />
      )}
      {query.status === "finished" && query.run !== undefined && (
        <MadeOf
          location={outputOf(query)}
          reads={query.reads}
          queryId={query.id}
          statement={query.type === "select" ? query.query : undefined}
          stale={query.stale}
        />
      )}
    </>
  );
}

function Facts({ query }: { readonly query: SingleRun }) {
  const { facts } = strings.query;
  const started = apiTime(query.startTime);
  return (
    <dl class="facts panel">
      <Fact name={facts.cluster}>
        <a href={href("/clusters")}>{query.clusterName}</a>
      </Fact>
      <Fact name={facts.started}>
        {dateTime(started)}{" "}
        <span class="muted small">
          (<Age time={query.startTime} />)
        </span>
      </Fact>
      <Duration query={query} />
      {query.run?.rows !== undefined && <Fact name={facts.rows}>{query.run.rows.toLocaleString("en")}</Fact>}
      <Fact name={facts.type}>{query.type}</Fact>
      {query.type === "select" && <Fact name={facts.stage}>{query.stage}</Fact>}
      <Fact name={facts.by}>
        <code>{query.accessKeyId}</code>
      </Fact>
      <Fact name={facts.resource}>
        <Resource label={query.label} />
      </Fact>
      {query.type === "select" ? (
        <>
          <Fact name={facts.format}>{query.outputFormat}</Fact>
          <Fact name={facts.location}>
            <code class="break">{query.outputResourcePath}</code> <CopyButton text={query.outputResourcePath} />
          </Fact>
        </>
      ) : (
        <>
          <Fact name={facts.job}>
            <code>{query.jobId}</code>
          </Fact>
          <Fact name={facts.table}>
            <a href={href(`/tables/${query.outputDatabase}/${query.outputTable}`)}>
              {query.outputDatabase}.{query.outputTable}
            </a>
          </Fact>
          <Fact name={facts.format}>{query.inputFormat}</Fact>
          <Fact name={facts.schema}>
            {query.schema ? <code class="break">{query.schema}</code> : <span class="muted">{facts.inferred}</span>}
          </Fact>
        </>
      )}
      {query.clusterRebooted && <Fact name={facts.rebooted}>{strings.query.rebooted}</Fact>}
    </dl>
  );
}

function outputOf(query: SingleRun): string {
  return query.type === "select" ? query.outputResourcePath : `dag://${query.outputDatabase}/${query.outputTable}/`;
}

function Duration({ query }: { readonly query: SingleRun }) {
  const { facts } = strings.query;
  const { milliseconds } = query.run ?? {};
  if (milliseconds === undefined) return null;
  const stuck = stuckFor(query);
  return (
    <Fact name={facts.duration}>
      {duration(milliseconds)} {query.status === "running" && <span class="muted small">{facts.soFar}</span>}{" "}
      {stuck !== undefined && <span class="small stuck">{stuck}</span>}
    </Fact>
  );
}

/** A Pulumi resource adds a token to the label; it tells the resource's queries apart from all others. */
function Resource({ label }: { readonly label: string | null | undefined }) {
  const { own, token } = splitLabel(label);
  if (token === "") return <span class="muted">{strings.query.notPulumi}</span>;
  return (
    <>
      <code>{strings.query.token(token)}</code>{" "}
      <a href={href("/queries", { label: own === "" ? `#${token}` : `${own}#` })}>{strings.query.sameResource}</a>
    </>
  );
}

function Inputs({ keys }: { readonly keys: readonly string[] }) {
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{strings.query.facts.inputs}</h2>
      </div>
      <ul class="plain-list">
        {keys.slice(0, 1000).map((key) => (
          <li key={key}>
            <code class="break">{key}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function CancelButton({ id, refresh }: { readonly id: number; readonly refresh: () => void }) {
  const text = strings.query;
  const [isAsking, setAsking] = useState(false);
  const cancel = async () => {
    setAsking(false);
    try {
      await call("cancelQuery", { path: { queryId: id } });
      notify(text.canceled(id));
      // The button goes away with the running query: the focus stays on the page.
      document.getElementById("content")!.focus({ preventScroll: true });
    } catch (error) {
      notifyError(error);
    }
    refresh();
  };
  return (
    <>
      <button type="button" class="button danger" onClick={() => setAsking(true)}>
        <Icon name="stop" /> {text.cancel}
      </button>
      {isAsking && (
        <Dialog title={text.cancelTitle(id)} onClose={() => setAsking(false)}>
          <p>{text.cancelText}</p>
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => setAsking(false)}>
              {text.keep}
            </button>
            <button type="button" class="button danger primary" onClick={() => void cancel()}>
              {text.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

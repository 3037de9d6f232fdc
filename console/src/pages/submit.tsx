/** Submits a select or a split. */
import { lazy, Suspense } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { checkAnswer } from "../../../contract/extension";
import { inputFormats, outputFormats } from "../../../contract/values";
import { call, read } from "../api/client";
import { usePoll } from "../api/poll";
import type { Problems } from "../components/editor";
import { Problem } from "../components/notice";
import { useTitle } from "../components/parts";
import { go, href, place } from "../router";
import { strings } from "../strings";
import { draft, renewFolder, type Draft } from "./draft";
import { useNames } from "./names";

const Editor = lazy(() => import("../components/editor").then((module) => module.Editor));

export function SubmitPage() {
  const text = strings.submit;
  useTitle(text.title);
  const kind = place.value.parameters.get("kind") === "split" ? "split" : "select";
  return (
    <section class="submit-page">
      <div class="page-head">
        <h1>{text.title}</h1>
        <nav class="segments" aria-label={text.kind}>
          <a href={href("/submit")} aria-current={kind === "select" ? "page" : undefined}>
            {text.select}
          </a>
          <a href={href("/submit", { kind: "split" })} aria-current={kind === "split" ? "page" : undefined}>
            {text.split}
          </a>
        </nav>
      </div>
      {kind === "select" ? <SelectForm /> : <SplitForm />}
    </section>
  );
}

function SelectForm() {
  const text = strings.submit;
  const { query, clusterName, outputResourcePath, label, outputFormat } = draft.value;
  const change = (values: Partial<Draft>) => (draft.value = { ...draft.value, ...values });
  const { problems, isChecked } = useCheck(query, clusterName);
  const names = useNames();
  const [focusBefore] = useState(() => document.activeElement);
  const { submit, error, isBusy } = useSubmit(async () => {
    // The latest text, which may be newer than what was drawn last.
    const { label: given, ...body } = draft.value;
    const accepted = await call("submitSelect", { body: { ...body, ...(given === "" ? {} : { label: given }) } });
    renewFolder();
    return accepted;
  });
  return (
    <form class="submit-grid" onSubmit={submit}>
      <div class="panel editor-panel">
        <Suspense fallback={<div class="editor loading">{text.editorLoading}</div>}>
          <Editor
            initial={query}
            onChange={(value) => change({ query: value })}
            onRun={() => void submit()}
            problems={problems}
            names={names}
            focusFrom={focusBefore}
          />
        </Suspense>
        <ProblemList problems={problems} isChecked={isChecked} isEmpty={query.trim() === ""} />
      </div>
      <div class="panel pad form-panel">
        <ClusterField value={clusterName} onChange={(value) => change({ clusterName: value })} />
        <label class="field">
          <span>{text.output}</span>
          <input
            required
            spellcheck={false}
            value={outputResourcePath}
            onInput={(event) => change({ outputResourcePath: event.currentTarget.value })}
          />
          <small class="muted">{text.outputHint}</small>
        </label>
        <label class="field">
          <span>
            {text.label} <small class="muted">{text.optional}</small>
          </span>
          <input value={label} maxLength={255} onInput={(event) => change({ label: event.currentTarget.value })} />
        </label>
        <label class="field">
          <span>{text.format}</span>
          <select value={outputFormat} onChange={(event) => change({ outputFormat: event.currentTarget.value })}>
            {outputFormats.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        {error && <Problem error={error} />}
        <button type="submit" class="button primary wide" disabled={isBusy || query.trim() === ""}>
          {isBusy ? text.running : text.run}
        </button>
        <p class="muted small">{text.shortcut}</p>
      </div>
    </form>
  );
}

function SplitForm() {
  const text = strings.submit;
  const [values, setValues] = useState({
    inputs: "",
    outputDatabase: "",
    outputTable: "",
    inputFormat: "csv",
    schema: "",
    label: "",
  });
  const [clusterName, setCluster] = useState(draft.value.clusterName);
  const change = (name: keyof typeof values) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setValues({ ...values, [name]: event.currentTarget.value });
  const { submit, error, isBusy } = useSubmit(() => {
    const { inputs, schema, label, ...rest } = values;
    const inputObjectKeys = inputs
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    const optional = { ...(schema.trim() === "" ? {} : { schema }), ...(label === "" ? {} : { label }) };
    return call("submitSplit", { body: { clusterName, inputObjectKeys, ...rest, ...optional } });
  });
  return (
    <form class="panel pad form-panel split-form" onSubmit={submit}>
      <ClusterField value={clusterName} onChange={setCluster} />
      <label class="field">
        <span>{text.inputs}</span>
        <textarea required rows={4} spellcheck={false} value={values.inputs} onInput={change("inputs")} />
        <small class="muted">{text.inputsHint}</small>
      </label>
      <div class="field-row">
        <label class="field">
          <span>{text.database}</span>
          <input required spellcheck={false} value={values.outputDatabase} onInput={change("outputDatabase")} />
        </label>
        <label class="field">
          <span>{text.tableName}</span>
          <input required spellcheck={false} value={values.outputTable} onInput={change("outputTable")} />
        </label>
        <label class="field">
          <span>{text.inputFormat}</span>
          <select value={values.inputFormat} onChange={change("inputFormat")}>
            {inputFormats.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
      </div>
      <label class="field">
        <span>
          {text.schema} <small class="muted">{text.optional}</small>
        </span>
        <input spellcheck={false} value={values.schema} onInput={change("schema")} />
        <small class="muted">{text.schemaHint}</small>
      </label>
      <label class="field">
        <span>
          {text.label} <small class="muted">{text.optional}</small>
        </span>
        <input maxLength={255} value={values.label} onInput={change("label")} />
      </label>
      {error && <Problem error={error} />}
      <button type="submit" class="button primary" disabled={isBusy}>
        {isBusy ? text.running : text.runSplit}
      </button>
    </form>
  );
}

function ClusterField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const clusters = usePoll(
    (signal) => call("listClusters", { parameters: { order: "asc" }, signal }).then((page) => page.clusters),
    5000,
    "clusters",
  ).value;
  const first = clusters?.find(({ status }) => status === "norm") ?? clusters?.[0];
  useEffect(() => {
    if (value === "" && first) onChange(first.name);
  }, [value, first?.name]);
  return (
    <label class="field">
      <span>{strings.submit.cluster}</span>
      <select required value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {(clusters ?? []).map(({ name, status }) => (
          <option key={name} value={name}>
            {status === "norm" ? name : `${name} (${strings.clusters.status[status] ?? status})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Submits once at a time and goes to the new query. */
function useSubmit(send: () => Promise<{ queryId: number }>) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const busy = useRef(false);
  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (busy.current) return;
    busy.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const { queryId } = await send();
      go(`/queries/${queryId}`);
    } catch (problem) {
      setError(problem as Error);
    } finally {
      busy.current = false;
      setBusy(false);
    }
  };
  return { submit, error, isBusy };
}

/** Checks the statement when the user pauses. */
function useCheck(query: string, clusterName: string) {
  const [checked, setChecked] = useState<{ readonly query: string; readonly problems: Problems }>({
    query: "",
    problems: [],
  });
  useEffect(() => {
    if (query.trim() === "") return setChecked({ query, problems: [] });
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = { query, ...(clusterName === "" ? {} : { clusterName }) };
      read(checkAnswer, "/check", { body, signal: stop.signal }).then(
        ({ problems }) => setChecked({ query, problems }),
        // A check that fails says nothing about the statement; submitting it will.
        () => undefined,
      );
    }, 350);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query, clusterName]);
  return { problems: checked.problems, isChecked: checked.query === query };
}

function ProblemList({
  problems,
  isChecked,
  isEmpty,
}: {
  readonly problems: Problems;
  readonly isChecked: boolean;
  readonly isEmpty: boolean;
}) {
  const text = strings.submit;
  return (
    <div class="problem-list" role="status" aria-label={text.problems}>
      {isEmpty ? (
        <p class="muted">&nbsp;</p>
      ) : problems.length === 0 ? (
        <p class={isChecked ? "good" : "muted"}>{isChecked ? text.checked : text.checking}</p>
      ) : (
        problems.map(({ line, column, message }, index) => (
          <p key={index} class="bad">
            {line > 0 && <strong>{text.problemAt(line, column)}</strong>} <span class="break">{message}</span>
          </p>
        ))
      )}
    </div>
  );
}

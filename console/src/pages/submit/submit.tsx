/** Submits a select or a split. */
import { lazy, Suspense } from "preact/compat";
import { useRef, useState } from "preact/hooks";
import { outputFormats } from "../../../../contract/values";
import { call } from "../../api/client";
import type { EditorHandle } from "../../components/editor";
import { notify, Problem } from "../../components/notice";
import { useTitle } from "../../components/parts";
import { href, place } from "../../router";
import { pageStrings } from "../../page-strings";
/* oxlint-disable-next-line import/no-unassigned-import -- the styles of this page, which the first load does without */
import "../../styles/submit.css";
import { changeDraft, draft, renewFolder } from "./draft";
import { remember } from "./draft-history";
import { DraftRun } from "./draft-run";
import { DraftTabs } from "./draft-tabs";
import { useNames } from "../names";
import { othersIn, ReplaceQuestion, type Others } from "./replace-question";
import { SplitForm } from "./split-form";
import { ProblemList, useCheck } from "./statement-check";
import { ClusterField, defaultCluster, useSubmit } from "./submit-fields";

const Editor = lazy(() => import("../../components/editor").then((module) => module.Editor));

export function SubmitPage() {
  const text = pageStrings.submit;
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
      {kind === "select" ? (
        <>
          <DraftTabs />
          <SelectForm key={draft.value.id} />
        </>
      ) : (
        <SplitForm />
      )}
    </section>
  );
}

/** The editor of the draft that is shown, its settings, and the result of its last query. */
function SelectForm() {
  const text = pageStrings.submit;
  const { id, query, clusterName, outputResourcePath, label, outputFormat, queryId } = draft.value;
  const { problems, isChecked } = useCheck(query, clusterName);
  const names = useNames();
  const [focusBefore] = useState(() => document.activeElement);
  const editor = useRef<EditorHandle>(undefined);
  const [others, setOthers] = useState<Others>();
  const mayReplace = useRef(false);
  const { submit, error, isBusy } = useSubmit(
    async () => {
      const found = mayReplace.current ? undefined : await othersIn(draft.peek().outputResourcePath);
      mayReplace.current = false;
      setOthers(found);
      if (found !== undefined) return undefined;
      // The latest text, which may be newer than what was drawn last.
      const { query: statement, label: given, ...rest } = draft.peek();
      const { clusterName: chosen, outputResourcePath: folder, outputFormat: format } = rest;
      const cluster = chosen === "" ? await defaultCluster() : chosen;
      remember(statement);
      const optional = given === "" ? {} : { label: given };
      const body = { query: statement, clusterName: cluster, outputResourcePath: folder, outputFormat: format };
      return call("submitSelect", { body: { ...body, ...optional } });
    },
    (accepted) => {
      changeDraft({ queryId: accepted }, id);
      renewFolder(id);
    },
  );
  const replace = () => {
    setOthers(undefined);
    mayReplace.current = true;
    void submit();
  };
  const format = async () => {
    const { formatStatement } = await import("../../components/format-statement");
    try {
      editor.current?.replace(formatStatement(draft.peek().query));
    } catch {
      notify(text.notFormatted, true);
    }
  };
  return (
    <form class="submit-grid" onSubmit={submit}>
      <div class="submit-side">
        <div class="panel editor-panel">
          <Suspense fallback={<div class="editor loading">{text.editorLoading}</div>}>
            <Editor
              initial={query}
              onChange={(value) => changeDraft({ query: value }, id)}
              onRun={() => void submit()}
              onFormat={() => void format()}
              handle={editor}
              problems={problems}
              names={names}
              focusFrom={focusBefore}
            />
          </Suspense>
          <ProblemList problems={problems} isChecked={isChecked} isEmpty={query.trim() === ""} />
          <div class="editor-actions">
            <button type="submit" class="button primary" disabled={isBusy || query.trim() === ""}>
              {isBusy ? text.running : text.run}
            </button>
            <button type="button" class="button" disabled={query.trim() === ""} onClick={() => void format()}>
              {text.formatStatement}
            </button>
          </div>
        </div>
        {error && <Problem error={error} />}
        {others !== undefined && (
          <ReplaceQuestion others={others} onClose={() => setOthers(undefined)} onReplace={replace} />
        )}
        <div class="panel pad submit-settings">
          <ClusterField value={clusterName} onChange={(value) => changeDraft({ clusterName: value }, id)} />
          <label class="field">
            <span>{text.format}</span>
            <select
              value={outputFormat}
              onChange={(event) => changeDraft({ outputFormat: event.currentTarget.value }, id)}
            >
              {outputFormats.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>{text.output}</span>
            <input
              required
              spellcheck={false}
              value={outputResourcePath}
              onInput={(event) => changeDraft({ outputResourcePath: event.currentTarget.value }, id)}
            />
            <small class="muted">{text.outputHint}</small>
          </label>
          <label class="field">
            <span>
              {text.label} <small class="muted">{text.optional}</small>
            </span>
            <input
              value={label}
              maxLength={255}
              onInput={(event) => changeDraft({ label: event.currentTarget.value }, id)}
            />
          </label>
          <p class="muted small">{text.shortcut}</p>
        </div>
      </div>
      <div class="submit-side">
        {queryId === undefined ? (
          <p class="panel pad muted">{text.resultHere}</p>
        ) : (
          <DraftRun key={queryId} id={queryId} />
        )}
      </div>
    </form>
  );
}

/** Submits a select or a split. */
import { useRef, useState } from "preact/hooks";
import { outputFormats } from "../../../../contract/values";
import type { EditorHandle } from "../../components/editor";
import { notify } from "../../components/notice";
import { useTitle } from "../../components/parts";
import { latePage } from "../../late-page";
import { href, place } from "../../router";
import { pageStrings } from "../../page-strings";
/* oxlint-disable-next-line import/no-unassigned-import -- the styles of this page, which the first load does without */
import "../../styles/submit.css";
import { changeDraft, draft, requestOf } from "./draft";
import { DraftRun } from "./draft-run";
import { DraftTabs } from "./draft-tabs";
import { useNames } from "../names";
import { ReplaceQuestion } from "./replace-question";
import { runDraft } from "./run-draft";
import { SplitForm } from "./split-form";
import { ProblemList, useCheck } from "./statement-check";
import { attemptOf, dropQuestion } from "./submission";
import { ClusterField, SubmissionProblem } from "./submit-fields";

const Editor = latePage(
  () => import("../../components/editor").then((module) => module.Editor),
  () => <div class="editor loading">{pageStrings.submit.editorLoading}</div>,
);

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
  const { id, query, clusterName, outputResourcePath, label, outputFormat, queryId, pending } = draft.value;
  const { problems, isChecked } = useCheck(query, clusterName);
  const names = useNames();
  const [focusBefore] = useState(() => document.activeElement);
  const editor = useRef<EditorHandle>(undefined);
  const { isBusy, question } = attemptOf(String(id));
  const isFixed = isBusy || question !== undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    runDraft(id);
  };
  const format = async () => {
    const loaded = await import("../../components/format-statement").catch(() => undefined);
    if (!loaded) return notify(text.formatterMissing(window.location.origin), true);
    try {
      editor.current?.replace(loaded.formatStatement(draft.peek().query));
    } catch {
      notify(text.notFormatted, true);
    }
  };
  return (
    <form class="submit-grid" onSubmit={submit}>
      <div class="submit-side">
        <div class="panel editor-panel">
          <Editor
            initial={query}
            onChange={(value) => changeDraft({ query: value }, id)}
            onRun={() => runDraft(id)}
            onFormat={() => void format()}
            handle={editor}
            problems={problems}
            names={names}
            isReadOnly={isFixed}
            focusFrom={focusBefore}
          />
          <ProblemList problems={problems} isChecked={isChecked} isEmpty={query.trim() === ""} />
          <div class="editor-actions">
            <button type="submit" class="button primary" disabled={isFixed || query.trim() === ""}>
              {isBusy ? text.running : text.run}
            </button>
            <button
              type="button"
              class="button"
              disabled={isFixed || query.trim() === ""}
              onClick={() => void format()}
            >
              {text.formatStatement}
            </button>
          </div>
        </div>
        <SubmissionProblem owner={String(id)} pending={pending} request={requestOf(draft.value)} run={text.run} />
        {question && (
          <ReplaceQuestion
            others={question.others}
            onClose={() => dropQuestion(String(id))}
            onReplace={question.replace}
          />
        )}
        <div class="panel pad submit-settings">
          <ClusterField
            value={clusterName}
            disabled={isFixed}
            onChange={(value) => changeDraft({ clusterName: value }, id)}
          />
          <label class="field">
            <span>{text.format}</span>
            <select
              disabled={isFixed}
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
              readOnly={isFixed}
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
              readOnly={isFixed}
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

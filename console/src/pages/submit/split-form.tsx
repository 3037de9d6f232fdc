/** The form of a split. */
import { inputFormats } from "../../../../contract/values";
import { pageStrings } from "../../page-strings";
import { changeSplit, runSplit, splitDraft, splitOwner, splitRequest } from "./split-draft";
import { attemptOf } from "./submission";
import { ClusterField, SubmissionProblem } from "./submit-fields";

export function SplitForm() {
  const text = pageStrings.submit;
  const { clusterName, pending, ...values } = splitDraft.value;
  const { isBusy } = attemptOf(splitOwner);
  const change = (name: keyof typeof values) => (event: { readonly currentTarget: { readonly value: string } }) =>
    changeSplit({ [name]: event.currentTarget.value });
  const submit = (event: Event) => {
    event.preventDefault();
    runSplit();
  };
  return (
    <form class="panel pad form-panel split-form" onSubmit={submit}>
      <ClusterField value={clusterName} disabled={isBusy} onChange={(value) => changeSplit({ clusterName: value })} />
      <label class="field">
        <span>{text.inputs}</span>
        <textarea
          required
          readOnly={isBusy}
          rows={4}
          spellcheck={false}
          value={values.inputs}
          onInput={change("inputs")}
        />
        <small class="muted">{text.inputsHint}</small>
      </label>
      <div class="field-row">
        <label class="field">
          <span>{text.database}</span>
          <input
            required
            readOnly={isBusy}
            spellcheck={false}
            value={values.outputDatabase}
            onInput={change("outputDatabase")}
          />
        </label>
        <label class="field">
          <span>{text.tableName}</span>
          <input
            required
            readOnly={isBusy}
            spellcheck={false}
            value={values.outputTable}
            onInput={change("outputTable")}
          />
        </label>
        <label class="field">
          <span>{text.inputFormat}</span>
          <select disabled={isBusy} value={values.inputFormat} onChange={change("inputFormat")}>
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
        <input readOnly={isBusy} spellcheck={false} value={values.schema} onInput={change("schema")} />
        <small class="muted">{text.schemaHint}</small>
      </label>
      <label class="field">
        <span>
          {text.label} <small class="muted">{text.optional}</small>
        </span>
        <input readOnly={isBusy} maxLength={255} value={values.label} onInput={change("label")} />
      </label>
      <SubmissionProblem
        owner={splitOwner}
        pending={pending}
        request={splitRequest(splitDraft.value)}
        run={text.runSplit}
      />
      <button type="submit" class="button primary" disabled={isBusy}>
        {isBusy ? text.running : text.runSplit}
      </button>
    </form>
  );
}

/** The form of a split. */
import { useState } from "preact/hooks";
import { inputFormats } from "../../../../contract/values";
import { call } from "../../api/client";
import { Problem } from "../../components/notice";
import { go } from "../../router";
import { pageStrings } from "../../page-strings";
import { draft } from "./draft";
import { ClusterField, useSubmit } from "./submit-fields";

export function SplitForm() {
  const text = pageStrings.submit;
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
  const { submit, error, isBusy } = useSubmit(
    () => {
      const { inputs, schema, label, ...rest } = values;
      const inputObjectKeys = inputs
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
      const optional = { ...(schema.trim() === "" ? {} : { schema }), ...(label === "" ? {} : { label }) };
      return call("submitSplit", { body: { clusterName, inputObjectKeys, ...rest, ...optional } });
    },
    (queryId) => go(`/queries/${queryId}`),
  );
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

/** The split that is being written. It stays while the user looks at other pages and after a reload. */
import { signal } from "@preact/signals";
import { sendKept, type Pending } from "../../api/kept-request";
import { endpoint } from "../../api/session";
import { notify } from "../../components/notice";
import { pageStrings } from "../../page-strings";
import { go, place } from "../../router";
import { draft, storedInTab, storeInTab } from "./draft";
import { attempt } from "./submission";

interface SplitDraft {
  readonly clusterName: string;
  /** A location on each line. */
  readonly inputs: string;
  readonly outputDatabase: string;
  readonly outputTable: string;
  readonly inputFormat: string;
  readonly schema: string;
  readonly label: string;
  /** The request whose answer has not come. */
  readonly pending?: Pending<object> | undefined;
}

/** The owner of the split's submission. */
export const splitOwner = "split";

const storageKey = `dag-console split ${endpoint}`;

export const splitDraft = signal<SplitDraft>({
  clusterName: draft.peek().clusterName,
  inputs: "",
  outputDatabase: "",
  outputTable: "",
  inputFormat: "csv",
  schema: "",
  label: "",
  ...(storedInTab(storageKey) as Partial<SplitDraft> | undefined),
});

export function changeSplit(values: Partial<SplitDraft>): void {
  splitDraft.value = { ...splitDraft.peek(), ...values };
  storeInTab(storageKey, splitDraft.value);
}

/** Returns what the form submits. */
export function splitRequest({ inputs, schema, label, pending: _pending, ...rest }: SplitDraft): object {
  const inputObjectKeys = inputs
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const optional = { ...(schema.trim() === "" ? {} : { schema }), ...(label === "" ? {} : { label }) };
  return { ...rest, inputObjectKeys, ...optional };
}

/** Submits the split as it is now, then shows its query, or a notice to a user who has gone to another page. */
export function runSplit(): void {
  const { pending } = splitDraft.peek();
  const body = splitRequest(splitDraft.peek());
  void attempt(splitOwner, async () => {
    const keep = (value: SplitDraft["pending"]) => changeSplit({ pending: value });
    const { queryId } = await sendKept("submitSplit", { body }, pending, keep);
    const { path, parameters } = place.peek();
    if (path === "/submit" && parameters.get("kind") === "split") go(`/queries/${queryId}`);
    else notify(pageStrings.submit.submitted(queryId));
    return undefined;
  });
}

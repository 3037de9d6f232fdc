/** Runs the statement of a draft. */
import { changeDraft, drafts, ownFolder, type SelectRequest } from "./draft";
import { remember } from "./draft-history";
import { othersIn } from "./replace-question";
import { attempt, sendKept } from "./submission";
import { defaultCluster } from "./submit-fields";

const draftOf = (id: number) => drafts.peek().all.find((each) => each.id === id);

/** The form of {@link ownFolder}. */
const generated = /^dag:\/\/default\/results\/\d{8}-\d{6}-\w{4}\/$/;

/** Submits a draft as it is now, after a question when it would replace objects of others. An empty one is not submitted. */
export function runDraft(id: number): void {
  const found = draftOf(id);
  if (!found || found.query.trim() === "") return;
  const { query, clusterName, outputResourcePath, outputFormat, label } = found;
  const request = { query, clusterName, outputResourcePath, outputFormat, ...(label === "" ? {} : { label }) };
  const owner = String(id);
  const send = () => submitSelect(id, request);
  void attempt(owner, async () => {
    const others = await othersIn(outputResourcePath);
    return others ? { others, replace: () => void attempt(owner, send) } : send();
  });
}

/** Submits a request of a draft, which gets the query or the error also when another one is shown. */
async function submitSelect(id: number, request: SelectRequest): Promise<undefined> {
  const clusterName = request.clusterName === "" ? await defaultCluster() : request.clusterName;
  changeDraft({ clusterName }, id);
  remember(request.query);
  const queryId = await sendKept("submitSelect", { ...request, clusterName }, draftOf(id)?.pending, (pending) =>
    changeDraft({ pending }, id),
  );
  // The next query has a folder of its own, unless the user has named one: results would overwrite each other.
  const next = generated.test(request.outputResourcePath) ? { outputResourcePath: ownFolder() } : {};
  changeDraft({ queryId, ...next }, id);
}

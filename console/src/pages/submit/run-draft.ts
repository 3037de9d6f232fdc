/** Runs the statement of a draft. */
import { notify, notifyError } from "../../components/notice";
import { pageStrings } from "../../page-strings";
import { isSame, sendKept } from "../../api/kept-request";
import { changeDraft, drafts, ownFolder, requestOf, type Draft, type SelectRequest } from "./draft";
import { remember } from "./draft-history";
import { othersIn } from "./replace-question";
import { attempt } from "./submission";
import { defaultCluster } from "./submit-fields";

const draftOf = (id: number) => drafts.peek().all.find((each) => each.id === id);

/** The form of {@link ownFolder}. */
const generated = /^dag:\/\/default\/results\/\d{8}-\d{6}-\w{4}\/$/;

/** Submits a draft as it is now, after a question when it would replace objects of others. An empty one is not submitted. */
export function runDraft(id: number): void {
  const found = draftOf(id);
  if (!found || found.query.trim() === "") return;
  const request = inOwnFolder(found);
  const { outputResourcePath } = request;
  const owner = String(id);
  const send = () => submitSelect(id, request);
  void attempt(owner, async () => {
    const others = await othersIn(outputResourcePath);
    if (!others) return send();
    if (!draftOf(id)) notify(pageStrings.submit.notSubmitted(others.others), true);
    return { others, replace: () => void attempt(owner, send) };
  });
}

/** Returns what a draft asks now. One that has changed since a request without an answer does not get its folder. */
function inOwnFolder(found: Draft): SelectRequest {
  const request = requestOf(found);
  const { id, pending } = found;
  const { outputResourcePath: folder } = request;
  const isTaken = pending?.body.outputResourcePath === folder && !isSame(pending.body, request);
  if (!isTaken || !generated.test(folder)) return request;
  const outputResourcePath = ownFolder();
  changeDraft({ outputResourcePath }, id);
  return { ...request, outputResourcePath };
}

/** Submits a request of a draft, which gets the query or the error also when another one is shown. */
async function submitSelect(id: number, request: SelectRequest): Promise<undefined> {
  const clusterName = request.clusterName === "" ? await defaultCluster() : request.clusterName;
  changeDraft({ clusterName }, id);
  remember(request.query);
  const body = { ...request, clusterName };
  const keep = (pending: Draft["pending"]) => changeDraft({ pending }, id);
  const before = draftOf(id)?.pending;
  const { queryId } = await sendKept("submitSelect", { body }, before, keep).catch((error: unknown) => {
    if (!draftOf(id)) notifyError(error);
    throw error;
  });
  if (!draftOf(id)) notify(pageStrings.submit.submitted(queryId));
  // The next query has a folder of its own, unless the user has named one: results would overwrite each other.
  const next = generated.test(request.outputResourcePath) ? { outputResourcePath: ownFolder() } : {};
  changeDraft({ queryId, ...next }, id);
}

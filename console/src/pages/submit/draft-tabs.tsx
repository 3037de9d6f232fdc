/** The tabs of the drafts. */
import { useState } from "preact/hooks";
import { IconButton } from "../../components/icon-button";
import { Dialog } from "../../components/parts";
import { pageStrings } from "../../page-strings";
import { closeDraft, drafts, openDraft, showDraft, type Draft } from "./draft";
import { HistoryButton, remember } from "./draft-history";
import { attemptOf } from "./submission";

export function DraftTabs() {
  const text = pageStrings.submit;
  const { all, active } = drafts.value;
  const [asked, setAsked] = useState<number>();
  const unanswered = all.find((each) => each.id === asked && isUnanswered(each));
  const close = (closed: Draft) => {
    setAsked(undefined);
    remember(closed.query);
    closeDraft(closed.id);
  };
  return (
    <div class="draft-tabs">
      <ul aria-label={text.drafts}>
        {all.map((each) => (
          <li key={each.id} class={each.id === active ? "active" : undefined}>
            <button
              type="button"
              class="draft-name"
              aria-current={each.id === active ? "true" : undefined}
              onClick={() => showDraft(each.id)}
            >
              {nameOf(each)}
            </button>
            <IconButton
              icon="cross"
              name={text.closeDraft(nameOf(each))}
              onClick={() => (isUnanswered(each) ? setAsked(each.id) : close(each))}
            />
          </li>
        ))}
      </ul>
      <IconButton icon="plus" name={text.addDraft} onClick={() => openDraft()} />
      <HistoryButton />
      {unanswered && (
        <Dialog title={text.closeTitle} onClose={() => setAsked(undefined)}>
          <p>{text.closeText}</p>
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => setAsked(undefined)}>
              {text.closeNot}
            </button>
            <button type="button" class="button danger primary" onClick={() => close(unanswered)}>
              {text.close}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** True until the service has answered the draft's submission. */
const isUnanswered = ({ id, pending }: Draft) => attemptOf(String(id)).isBusy || pending !== undefined;

/** The first words of the statement. */
function nameOf({ query }: Draft): string {
  const words = query.slice(0, 200).replace(/\s+/g, " ").trim();
  if (words === "") return pageStrings.submit.emptyDraft;
  return words.length > 28 ? `${words.slice(0, 27)}…` : words;
}

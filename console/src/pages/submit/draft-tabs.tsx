/** The tabs of the drafts. */
import { IconButton } from "../../components/icon-button";
import { pageStrings } from "../../page-strings";
import { closeDraft, drafts, openDraft, showDraft, type Draft } from "./draft";
import { HistoryButton, remember } from "./draft-history";

export function DraftTabs() {
  const text = pageStrings.submit;
  const { all, active } = drafts.value;
  const close = (closed: Draft) => {
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
            <IconButton icon="cross" name={text.closeDraft(nameOf(each))} onClick={() => close(each)} />
          </li>
        ))}
      </ul>
      <IconButton icon="plus" name={text.addDraft} onClick={() => openDraft()} />
      <HistoryButton />
    </div>
  );
}

/** The first words of the statement. */
function nameOf({ query }: Draft): string {
  const words = query.slice(0, 200).replace(/\s+/g, " ").trim();
  if (words === "") return pageStrings.submit.emptyDraft;
  return words.length > 28 ? `${words.slice(0, 27)}…` : words;
}

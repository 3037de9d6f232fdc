/** The statements that were run or closed in this browser, the newest first. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { endpoint } from "../../api/session";
import { Dialog } from "../../components/parts";
import { dateTime } from "../../format";
import { pageStrings } from "../../page-strings";
import { strings } from "../../strings";
import { openDraft } from "./draft";

interface Remembered {
  readonly query: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const maxRemembered = 100;
/** A longer statement is not kept: the browser's storage has a few megabytes. */
const maxLength = 50_000;
const storageKey = `dag-console history ${endpoint}`;

const history = signal<readonly Remembered[]>(restored());

/** Keeps a statement. */
export function remember(query: string): void {
  if (query.trim() === "" || query.length > maxLength) return;
  // Another tab may have added to it since.
  const others = restored().filter((each) => each.query !== query);
  store([{ query, time: Date.now() }, ...others].slice(0, maxRemembered));
}

function store(value: readonly Remembered[]): void {
  history.value = value;
  try {
    localStorage.setItem(storageKey, JSON.stringify(value));
  } catch {
    // Without storage, or beyond its size, the history lives as long as the page.
  }
}

function restored(): readonly Remembered[] {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? "[]") as readonly Remembered[];
    return stored.filter(({ query, time }) => typeof query === "string" && typeof time === "number");
  } catch {
    return [];
  }
}

export function HistoryButton() {
  const text = pageStrings.submit;
  const [isOpen, setOpen] = useState(false);
  const open = (query: string) => {
    openDraft({ query });
    setOpen(false);
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {text.history}
      </button>
      {isOpen && (
        <Dialog title={text.history} onClose={() => setOpen(false)}>
          <p class="muted">{history.value.length === 0 ? text.noHistory : text.historyHint}</p>
          <ul class="history">
            {history.value.map(({ query, time }) => (
              <li key={time}>
                <button type="button" onClick={() => open(query)}>
                  <code>{query.slice(0, 300).replace(/\s+/g, " ")}</code>
                  <span class="muted small">{dateTime(time)}</span>
                </button>
              </li>
            ))}
          </ul>
          <div class="dialog-actions">
            {history.value.length > 0 && (
              <button type="button" class="button danger" onClick={() => store([])}>
                {text.clearHistory}
              </button>
            )}
            <button type="button" class="button" onClick={() => setOpen(false)}>
              {strings.shell.close}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

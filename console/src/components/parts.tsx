/** Small parts that several pages use. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clockOffset } from "../api/client";
import type { ListedRun } from "../api/runs";
import { age, apiTime, dateTime, duration, percent } from "../format";
import { strings } from "../strings";
import { Icon } from "./icon";
import { notifyError } from "./notice";

/** Sets the page's title in the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${strings.product}`;
  }, [title]);
}

/** The status of a query or cluster as a word with a colour. */
export function Status({ status, name }: { readonly status: string; readonly name?: string | undefined }) {
  return <span class={`status ${status}`}>{name ?? strings.status[status] ?? status}</span>;
}

/** A progress bar. */
export function Progress({
  progress,
  status,
  label,
}: {
  readonly progress: string;
  readonly status: string;
  readonly label: string;
}) {
  const value = percent(progress);
  return (
    <span class={`progress ${status}`}>
      <progress max={100} value={value} aria-label={label} />
      <span class="progress-text">{progress}</span>
    </span>
  );
}

/** Milliseconds without progress after which a running query says so. */
const stuckAfter = 30_000;

/** Says how long a running query has not moved, once that is long; undefined before. */
export function stuckFor({ run, status }: Pick<ListedRun, "run" | "status">): string | undefined {
  const { unmoved = 0 } = run ?? {};
  return status === "running" && unmoved >= stuckAfter ? strings.query.unmoved(duration(unmoved)) : undefined;
}

/** How far a running query is and how long it runs; how long another one took and how many rows it has. */
export function RunTime({ query }: { readonly query: ListedRun }) {
  const { status, progress, run } = query;
  const time = run?.milliseconds === undefined ? undefined : duration(run.milliseconds);
  const isShown = status === "running" || time === undefined;
  const stuck = stuckFor(query);
  return (
    <span class="run-time">
      {isShown ? (
        <Progress progress={progress} status={status} label={strings.query.facts.progress} />
      ) : (
        <span>{time}</span>
      )}
      {stuck !== undefined ? (
        <span class="small stuck">{stuck}</span>
      ) : (
        <span class="small muted">{isShown ? time : run?.rows !== undefined && strings.query.rowCount(run.rows)}</span>
      )}
    </span>
  );
}

/** The time of this computer, every few seconds: ages are drawn again with it, and nothing else of the page. */
const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 5000);

/** How long ago the API's time is; the time itself as a hint. */
export function Age({ time }: { readonly time: string }) {
  const at = apiTime(time);
  return (
    <time dateTime={Number.isNaN(at) ? undefined : new Date(at).toISOString()} title={dateTime(at)}>
      {age(now.value + clockOffset.value - at)}
    </time>
  );
}

/** Copies a text. */
export function CopyButton({ text, name = strings.shell.copy }: { readonly text: string; readonly name?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    }, notifyError);
  return (
    <button
      type="button"
      class="icon-button"
      onClick={() => void copy()}
      aria-label={isCopied ? strings.shell.copied : name}
      title={name}
    >
      <Icon name={isCopied ? "check" : "copy"} />
    </button>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser keeps the focus inside and closes it with Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

/** A name and its value. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A text of the contract, in which backticks mark code. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

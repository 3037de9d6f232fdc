/** Short messages after an action, and the error of a view. */
import { signal } from "@preact/signals";
import { ZodError } from "zod";
import { ApiError } from "../../../contract/errors";
import { pageOf } from "../api/client";
import { strings } from "../strings";
import { Icon } from "./icon";

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly error?: unknown;
}

const notices = signal<readonly Notice[]>([]);
let last = 0;

/** Shows a message for some seconds, an error until it is closed; one that is shown already takes the last place. */
export function notify(text: string, isError = false, error?: unknown): void {
  const id = (last += 1);
  notices.value = [...notices.value.filter((notice) => notice.text !== text).slice(-3), { id, text, isError, error }];
  if (!isError) setTimeout(() => close(id), 6000);
}

/** Shows an error of an action. */
export function notifyError(error: unknown): void {
  notify(describe(error), true, error);
}

/** Returns the message of an error. */
export function describe(error: unknown): string {
  if (error instanceof ZodError) return strings.errors.unexpected;
  if (error instanceof ApiError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function close(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, isError, error }) => (
        <p key={id} class={isError ? "notice danger" : "notice"}>
          <Icon name={isError ? "alert" : "check"} />
          <span>
            {text} <ErrorPageLink error={error} />
          </span>
          <button type="button" class="icon-button" aria-label={strings.shell.close} onClick={() => close(id)}>
            <Icon name="cross" />
          </button>
        </p>
      ))}
    </div>
  );
}

/** The link to what the team's site says of an error; nothing without a site. */
export function ErrorPageLink({ error }: { readonly error: unknown }) {
  const page = pageOf(error);
  return page === undefined ? null : (
    <a href={page} target="_blank" rel="noreferrer">
      {strings.errors.page}
    </a>
  );
}

/** The error of a view, with its request for the service's log. */
export function Problem({ error, retry }: { readonly error: Error; readonly retry?: (() => void) | undefined }) {
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{error instanceof ApiError ? error.code : strings.errors.title}</strong>
        </p>
        <p class="break">
          {error instanceof ApiError ? error.message : describe(error)} <ErrorPageLink error={error} />
        </p>
        {error instanceof ApiError && error.requestId && (
          <p class="muted small">
            {strings.errors.requestId} {error.requestId}
          </p>
        )}
        {retry && (
          <button type="button" class="button" onClick={retry}>
            {strings.shell.refresh}
          </button>
        )}
      </div>
    </div>
  );
}

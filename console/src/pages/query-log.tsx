/** The log of a query; it follows while the query runs. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { logEvents } from "../../../contract/query-log";
import { call } from "../api/client";
import { usePoll } from "../api/poll";
import { Problem } from "../components/notice";
import { CopyButton } from "../components/parts";
import { strings } from "../strings";

/** Characters of a log that are shown: its end. */
const maxShown = 500_000;

export function Log({ id, status }: { readonly id: number; readonly status: string }) {
  const text = strings.query;
  const [isFollowing, setFollowing] = useState(true);
  const isRunning = status === "running";
  // The log is read once more when the query ends.
  const { value, error, refresh } = usePoll(
    (signal) => call("getQueryLog", { path: { queryId: id }, signal }),
    isRunning ? 1000 : 0,
    `log ${id} ${isRunning}`,
  );
  const box = useRef<HTMLPreElement>(null);
  const log = value?.log.slice(-maxShown) ?? "";
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log, isFollowing]);
  return (
    <section class="panel log-panel">
      <div class="panel-head">
        <h2>{text.log}</h2>
        {isRunning && (
          <label class="check">
            <input
              type="checkbox"
              checked={isFollowing}
              onChange={(event) => setFollowing(event.currentTarget.checked)}
            />
            <span>{text.follow}</span>
          </label>
        )}
        <CopyButton text={value?.log ?? ""} />
      </div>
      {status === "error" && <Reason log={log} />}
      {error ? (
        <Problem error={error} retry={refresh} />
      ) : (
        <pre class="code log" ref={box} tabIndex={0} role="region" aria-label={text.log}>
          {log === "" ? (value ? text.emptyLog : strings.shell.loading) : log}
        </pre>
      )}
    </section>
  );
}

/** The last event before the end of a failed query's log is the reason. */
function Reason({ log }: { readonly log: string }) {
  const events = logEvents(log);
  const last = events.at(-2) ?? events.at(-1) ?? "";
  if (last === "") return null;
  return (
    <p class="banner danger reason">
      <strong>{strings.query.failed}</strong> <span class="break">{last.slice(0, 2000)}</span>
    </p>
  );
}

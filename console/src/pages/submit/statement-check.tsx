/** The problems of the statement that is being written. */
import { useEffect, useState } from "preact/hooks";
import { checkAnswer } from "../../../../contract/extension";
import { ConnectionLost, read } from "../../api/client";
import { retryPause } from "../../api/poll";
import type { Problems } from "../../components/editor";
import { pageStrings } from "../../page-strings";

/** Checks the statement when the user pauses. */
export function useCheck(query: string, clusterName: string) {
  const [checked, setChecked] = useState<{ readonly query: string; readonly problems: Problems }>({
    query: "",
    problems: [],
  });
  useEffect(() => {
    if (query.trim() === "") return setChecked({ query, problems: [] });
    const stop = new AbortController();
    const body = { query, ...(clusterName === "" ? {} : { clusterName }) };
    const check = () =>
      void read(checkAnswer, "/check", { body, signal: stop.signal }).then(
        ({ problems }) => setChecked({ query, problems }),
        // A check that fails says nothing about the statement. It is repeated when the service did not answer.
        (error: unknown) => {
          if (stop.signal.aborted || !(error instanceof ConnectionLost)) return;
          timer = setTimeout(check, retryPause(failures));
          failures += 1;
        },
      );
    let failures = 0;
    let timer = setTimeout(check, 350);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query, clusterName]);
  return { problems: checked.problems, isChecked: checked.query === query };
}

export function ProblemList({
  problems,
  isChecked,
  isEmpty,
}: {
  readonly problems: Problems;
  readonly isChecked: boolean;
  readonly isEmpty: boolean;
}) {
  const text = pageStrings.submit;
  return (
    <div class="problem-list" role="status" aria-label={text.problems}>
      {isEmpty ? (
        <p class="muted">&nbsp;</p>
      ) : problems.length === 0 ? (
        <p class={isChecked ? "good" : "muted"}>{isChecked ? text.checked : text.checking}</p>
      ) : (
        problems.map(({ line, column, message }, index) => (
          <p key={index} class="bad">
            {line > 0 && <strong>{text.problemAt(line, column)}</strong>} <span class="break">{message}</span>
          </p>
        ))
      )}
    </div>
  );
}

/** The reason in a message of Hive, which names classes and has stack traces of each attempt. */

/** Maximum length of a reason. */
const longest = 2000;

/** Returns the reason in a message: the last cause of the first attempt, without names of classes and stack traces. */
export function hiveReason(message: string | null | undefined): string {
  if (message === null || message === undefined || message.trim() === "") return "the server gave no reason";
  const [attempt = message] = message.split("TaskAttempt 1 failed");
  const cause = [...attempt.matchAll(/Caused by: ([^\n]*)/g)].at(-1)?.[1];
  const text = cause ?? attempt.split(/\n\s*at [\w.$]+\(|, diagnostics=\[Task failed/)[0]!;
  const reason = text.replace(prefixes, "").replace(className, "").trim();
  return reason.length > longest ? `${reason.slice(0, longest)}…` : reason || "the server gave no reason";
}

const prefixes = /^(?:Error while (?:compiling|processing) statement: )?(?:FAILED: )?/;
/** Such as `org.apache.hadoop.hive.ql.metadata.HiveException: `, also several of them. */
const className = /^(?:(?:[a-z]\w*\.)+[A-Z][\w$]*: |SemanticException |HiveException: )+/;

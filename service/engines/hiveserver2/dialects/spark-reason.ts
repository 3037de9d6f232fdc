/** The reason in a message of Spark, which names classes and has plans, statements and stack traces. */

/** Maximum length of a reason. */
const longest = 2000;

/** Returns the reason in a message, with the position that Spark gives. */
export function sparkReason(message: string | null | undefined): string {
  if (message === null || message === undefined || message.trim() === "") return "the server gave no reason";
  const failure = /most recent failure: [^\n]*?\(TID \d+\)[^:\n]*: ([\s\S]*)/.exec(message)?.[1] ?? message;
  const causes = [...failure.matchAll(/Caused by: ([\s\S]*?)(?=\n\s*at |\nCaused by: |$)/g)].map(([, cause]) => cause!);
  const named = causes.findLast((cause) => errorClass.test(cause));
  const [text = ""] = (named ?? failure).split(
    /\n\s*at [\w.$]+[(/]|\nDriver stacktrace:|\n*== SQL|\n'|\n\+- |\n[A-Z]\w+ \[/,
  );
  const reason = text.replace(prefix, "").replace(className, "").replace(errorClass, "").replace(state, "$1").trim();
  return reason.length > longest ? `${reason.slice(0, longest)}…` : reason || "the server gave no reason";
}

const prefix = /^(?:Error (?:running query|operating \w+)|Failed to open new session): (?:\[[A-Z_.0-9]+\] )?/;
/** Such as `org.apache.spark.sql.AnalysisException: `, also several of them. */
const className = /^(?:(?:[a-z]\w*\.)+[A-Z][\w$]*:\s+)+/;
/** Such as `[UNRESOLVED_COLUMN.WITH_SUGGESTION] `. */
const errorClass = /^\[[A-Z_.0-9]+\] |(?<=: )\[[A-Z_.0-9]+\] /;
/** The SQLSTATE, before the position or at the end. */
const state = /\s*SQLSTATE: \w{5}(;? ?\(?line|$)/;

/** Spark gives the position as `line 1 pos 7` or `(line 1, pos 7)`, with columns from 0. */
export function withoutSparkPosition(reason: string) {
  const found = /;? ?\(?line (\d+),? pos (\d+)\)?;?\s*$/.exec(reason);
  if (!found) return { reason };
  return { reason: reason.slice(0, found.index).trim(), line: Number(found[1]), column: Number(found[2]) };
}

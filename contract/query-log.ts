/** The log of a query: its events, and among them the notes to its user. One form, with one writer and one reader. */

/** What the user should know of an answer. */
export interface QueryNote {
  /** `warning`: the answer may not be what is meant, or something is lost. `note`: how something was read. */
  readonly severity: "warning" | "note";
  /** What is so, where, and what to do. */
  readonly text: string;
}

/** Returns the line of a note in the log. */
export const noteLine = ({ severity, text }: QueryNote): string => `${severity}: ${text}`;

/** Returns the events of a log, without their times. An event may have several lines. */
export function logEvents(log: string): string[] {
  const text = log.trimEnd();
  if (text === "") return [];
  return text.split(/\n(?=\d{4}-\d\d-\d\dT)/).map((event) => event.replace(/^\d{4}-\d\d-\d\dT\S+ /, ""));
}

/** Returns the notes of a log, each once: another attempt of the query writes them again. */
export function notesIn(log: string): QueryNote[] {
  const lines = new Set(logEvents(log).filter((event) => pattern.test(event)));
  return [...lines].map((line) => {
    const { severity, text } = pattern.exec(line)!.groups!;
    return { severity: severity as QueryNote["severity"], text: text! };
  });
}

const pattern = /^(?<severity>warning|note): (?<text>[^]+)$/;

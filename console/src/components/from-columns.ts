/** Completes the columns of all tables that the statement reads. Loaded with the editor. */
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { columnCompletion } from "./hiveql";
import { tablesRead } from "./tables-read";

/** Databases with their tables and columns, for completion. */
export type Names = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Characters of a statement beyond which reading it at each key would be felt. */
const maxLength = 50_000;

/** The completion source: columns by themselves, and behind the last name of a table. */
export const fromColumns =
  (names: Names) =>
  (context: CompletionContext): CompletionResult | null => {
    const [text = "", qualifier] = context.matchBefore(/(?:(?:\w+\s*\.\s*)?\w+|\w+\s*\.\s*)$/)
      ? (/(?:(\w+)\s*\.\s*)?(\w*)$/.exec(context.state.sliceDoc(0, context.pos)) ?? [])
      : [];
    if ((text === "" && !context.explicit) || context.state.doc.length > maxLength) return null;
    const word = /\w*$/.exec(text)![0];
    const read = tablesRead(context.state.doc.toString()).filter(
      // What is behind an alias or a database is known without this source.
      (each) => qualifier === undefined || (each.alias === undefined && each.table === qualifier.toLowerCase()),
    );
    const options = read.flatMap(({ database, table: own }) =>
      (columnsOf(names, database, own) ?? []).map((column) => ({ ...columnCompletion(column), detail: own, boost: 1 })),
    );
    return options.length === 0 ? null : { from: context.pos - word.length, options, validFor: /^\w*$/ };
  };

function columnsOf(names: Names, database: string, own: string): readonly string[] | undefined {
  const find = <Value>(values: Readonly<Record<string, Value>>, wanted: string): Value | undefined =>
    Object.entries(values).find(([key]) => key.toLowerCase() === wanted)?.[1];
  const tables = find(names, database);
  return tables && find(tables, own);
}

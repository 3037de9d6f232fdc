/** `SET name=value;` and `SET TIME ZONE value;` before a statement, as people write them in files. */
import { type Position, semantic } from "./errors";

/** A setting that stands before the statement. */
export interface LeadingSetting {
  /** Without the prefix `hiveconf:`. */
  readonly name: string;
  readonly value: string;
  readonly position: Position;
}

/**
 * Spaces and comments, and then a SET with its semicolon; without one, the text is no statement of its own. A value in
 * quotes can contain semicolons.
 */
const pattern =
  /((?:\s+|--[^\n]*(?:\n|$))*)(set\s+(?:time\s+zone\s+([^;=]+)|([^;=\s]+)\s*(?:=(\s*(?:'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*")\s*(?=;)|[^;]*))?);)/iy;

/**
 * Reads the settings at the beginning of a text.
 * @returns the settings in their order, and the text with blanks instead of them, so that positions stay the same.
 * @throws HiveQLError for a SET without value, for one that defines a variable, and for a command of Hive's client.
 */
export function readLeadingSettings(text: string): {
  readonly settings: readonly LeadingSetting[];
  readonly rest: string;
} {
  const settings: LeadingSetting[] = [];
  let end = 0;
  for (;;) {
    pattern.lastIndex = end;
    const found = pattern.exec(text);
    if (!found) break;
    const [, before = "", statement = "", zone, written = "hive.local.time.zone", given] = found;
    const value = zone?.trim().replace(/^(['"])(.*)\1$/, "$2") ?? given;
    const position = positionAt(text, end + before.length);
    const name = written.replace(/^hiveconf:/i, "").toLowerCase();
    if (value === undefined)
      throw semantic(position, `SET ${written}`, "has no value: write SET name=value, or leave it out");
    if (name.includes(":"))
      throw semantic(position, `SET ${written}`, "defines a variable, and variables are not replaced: write its value");
    if (/\$\{[^{}]*\}/.test(value))
      throw semantic(
        position,
        `SET ${written}`,
        "has a variable as its value, and variables are not replaced: write the value",
      );
    settings.push({ name, value: value.trim(), position });
    end += before.length + statement.length;
  }
  refuseCommand(text, end);
  return { settings, rest: text.slice(0, end).replaceAll(/[^\n]/g, " ") + text.slice(end) };
}

/** Commands that Hive's client runs itself, and that are no statements. */
const command =
  /((?:\s+|--[^\n]*(?:\n|$))*)((?:add|delete|list)\s+(?:jars?|files?|archives?)\b|(?:reset|source|dfs|compile)\b(?!\s*[.(])|!\s*[a-z]+)/iy;

function refuseCommand(text: string, start: number): void {
  command.lastIndex = start;
  const [, before = "", words] = command.exec(text) ?? [];
  if (words === undefined) return;
  const name = words.toUpperCase().replaceAll(/\s+/g, " ");
  const reason = "is a command of Hive's client and not part of a query: leave it out";
  throw semantic(
    positionAt(text, start + before.length),
    name,
    /JAR/.test(name) ? `${reason}; functions of jars are not supported` : reason,
  );
}

function positionAt(text: string, index: number): Position {
  const lines = text.slice(0, index).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

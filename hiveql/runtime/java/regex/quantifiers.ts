/** Quantifiers and flags of Java regular expressions. */
import { type Flags, type PatternReader, UnsupportedRegex } from "./reader";

/** How often an element is repeated. */
export interface Counts {
  readonly least: number;
  readonly most: number;
  /** As ECMAScript and RE2 write it. */
  readonly written: string;
}

/** Reads a quantifier; undefined when there is none. */
export function readCounts(reader: PatternReader): Counts | undefined {
  const plain = reader.takeMatch(/^[*+?]$/, 1);
  if (plain !== "") return { least: plain === "+" ? 1 : 0, most: plain === "?" ? 1 : Infinity, written: plain };
  if (!reader.skip("{")) return undefined;
  const least = reader.takeMatch(/^\d$/);
  const comma = reader.skip(",") ? "," : "";
  const most = comma ? reader.takeMatch(/^\d$/) : "";
  if (least === "" || least.length > 3 || most.length > 3 || !reader.skip("}"))
    throw new UnsupportedRegex("{ that is not a quantifier");
  const maximum = comma === "" ? Number(least) : most === "" ? Infinity : Number(most);
  return { least: Number(least), most: maximum, written: `{${least}${comma}${most}}` };
}

/** Reads flags after `(?`, up to the colon or the closing parenthesis. */
export function readFlags(reader: PatternReader, before: Flags): { readonly flags: Flags; readonly isColon: boolean } {
  const text = reader.takeMatch(/^[A-Za-z-]$/);
  const isPlain = /^[ims]*(-[ims]*)?$/.test(text) && text !== "";
  const isColon = reader.skip(":");
  if (!isPlain || (!isColon && !reader.skip(")")))
    throw new UnsupportedRegex(`a group that begins with (?${text || reader.peek()}`);
  const [on = "", off = ""] = text.split("-");
  const value = (letter: string, old: boolean) => (on.includes(letter) || old) && !off.includes(letter);
  const flags = {
    ignoreCase: value("i", before.ignoreCase),
    multiline: value("m", before.multiline),
    dotAll: value("s", before.dotAll),
  };
  return { flags, isColon };
}

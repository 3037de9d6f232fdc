/** Builders of SQL fragments. A fragment is a tree with typed values in its holes, and is printed once, at the end. */
import type { macros } from "../runtime/macros/index";
import { isTyped } from "../tree/children";
import type { Typed, Window } from "../tree/nodes";

/** The name of a macro that the set-up creates. */
export type MacroName = keyof typeof macros;

/** A piece of SQL with holes for other pieces and for typed values. */
export type Fragment = Template | MacroCall | Weighed | Over;

/** What a hole of a fragment holds. */
export type Part = Fragment | Typed;

/** ` OVER (…)` after a function. */
interface Over {
  readonly kind: "over";
  readonly window: Window;
}

/** SQL text with holes. */
export interface Template {
  readonly kind: "template";
  /** The text around the parts: one more than there are parts. */
  readonly texts: readonly string[];
  readonly parts: readonly Part[];
  /** The work that its own text causes in DuckDB's binder. */
  readonly weight: number;
}

/** A call of a macro. Heavy arguments that its body uses several times are bound once when it is printed. */
export interface MacroCall {
  readonly kind: "macro";
  readonly name: MacroName;
  readonly parts: readonly (Part | string)[];
}

/** Two ways to compute the same: one for operands that are cheap to repeat, and one for others. */
export interface Weighed {
  readonly kind: "weighed";
  readonly parts: readonly Part[];
  /** The maximum weight of the parts for `light`. */
  readonly limit: number;
  readonly light: Fragment;
  readonly heavy: Fragment;
}

/** Builds a fragment from a template. Strings and numbers are inserted as SQL text. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Part | string | number)[]): Template {
  const texts = [strings[0] ?? ""];
  const held: Part[] = [];
  for (const [index, part] of parts.entries()) {
    const next = strings[index + 1] ?? "";
    if (typeof part === "object") {
      held.push(part);
      texts.push(next);
    } else texts.push(`${texts.pop() ?? ""}${part}${next}`);
  }
  return { kind: "template", texts, parts: held, weight: 1 };
}

/** Returns a fragment of SQL text with weight 1. */
export const raw = (text: string): Template => ({ kind: "template", texts: [text], parts: [], weight: 1 });

/** Joins fragments with a separator. */
export function join(parts: readonly Part[], separator = ", "): Template {
  const between = Array.from({ length: Math.max(0, parts.length - 1) }, () => separator);
  return { kind: "template", texts: parts.length === 0 ? [""] : ["", ...between, ""], parts, weight: 0 };
}

/** Calls a macro. Heavy arguments that its body uses several times are bound once before the call. */
export const macro = (name: MacroName, ...parts: readonly (Part | string)[]): Fragment => ({
  kind: "macro",
  name,
  parts,
});

/** Returns ` OVER (…)`, which follows a function. */
export const over = (window: Window): Fragment => ({ kind: "over", window });

/** Chooses between two ways to compute the same when it is printed. */
export const weighed = (parts: readonly Part[], limit: number, light: Fragment, heavy: Fragment): Weighed => ({
  kind: "weighed",
  parts,
  limit,
  light,
  heavy,
});

/** Computes values once for a body that uses them several times; the body gets their names. */
export function once(values: readonly Part[], body: (values: readonly Fragment[]) => Part): Fragment {
  const [only, second] = values;
  if (!only) return sql`${body([])}`;
  const held = second ? numberedStruct(values, "b") : only;
  const names = second ? values.map((_value, index) => raw(`hive_b.b${index}`)) : [raw("hive_b")];
  return sql`list_transform([${held}], lambda hive_b: ${body(names)})[1]`;
}

/**
 * Returns a struct with fields `name0`, `name1`, …. A computed value is wrapped in coalesce: DuckDB loses the field name
 * of a call when it binds the expression a second time, as in LATERAL.
 */
export function numberedStruct(values: readonly Part[], name: string): Fragment {
  const members = values.map((value, index) =>
    isColumnOrLiteral(value) ? sql`${name}${index}: ${value}` : sql`${name}${index}: coalesce(${value})`,
  );
  return sql`{${join(members)}}`;
}

/** Returns true for columns and literals, which are cheap to repeat; a variable of a lambda is neither. */
export const isColumnOrLiteral = (part: Part): boolean =>
  isTyped(part) && (part.node.kind === "column" || part.node.kind === "literal");

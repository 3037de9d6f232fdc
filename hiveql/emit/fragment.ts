/** Pieces of DuckDB SQL that know how large DuckDB's binder will see them. */
import { macros } from "../runtime/macros/index";
import type { HiveType } from "../bind/types";

/** A piece of SQL. */
export interface Fragment {
  readonly sql: string;
  /** Nodes that the binder will make of it, once macros are expanded. */
  readonly weight: number;
}

/** A constant of the statement, where a function needs its value to be known. */
export type Constant = string | number | boolean | null;

/** An expression with its Hive type; its SQL yields the DuckDB type that holds that type. */
export interface SqlExpression extends Fragment {
  readonly type: HiveType;
  /** The value of a literal; absent where the value is only known at run time. */
  readonly constant?: Constant;
  /** Whether it is computed from literals alone, so that Hive knows its value and type before it looks at a column. */
  readonly folded?: true;
  /** Of `<`, `<=`, `>` and `>=`: what is compared, in the type that it is compared in. */
  readonly comparison?: { readonly operator: string; readonly left: SqlExpression; readonly right: SqlExpression };
  /**
   * Of decimals computed from literals alone: the value with the digits that Hive's folding gives it, which other
   * computations of literals alone go on with; by itself and beside columns it has the digits of the literals' own.
   */
  readonly wide?: SqlExpression;
  /** Of decimals that literals alone make: the value, as far as it is known. */
  readonly digits?: string;
  /** Whether it is a CAST of a number literal that lost digits. */
  readonly isRounded?: true;
  /** Of sums with such a decimal, where Hive shows another scale than it goes on computing with: the type of the latter. */
  readonly declared?: HiveType;
  /** Whether it is a column of a subquery that is such a decimal everywhere, whose type has another scale than its digits. */
  readonly isLongConstant?: true;
  /** Whether it is a char that a function made, in some rows or in all: Hive prints it without the spaces at its end where it runs no job. */
  readonly isBare?: true | "partly";
  /** Whether it is a char that CAST or a subquery makes, which Hive compares with literals as with nothing else. */
  readonly isMade?: true;
  /** Whether it may be NULL though none of what it is made of is, which Hive's IS NULL does not see. */
  readonly vanishes?: true;
  /** What Hive asks for NULL in place of the value. */
  readonly operands?: readonly SqlExpression[];
  /** Of a text that CAST made of a number or char, and that holds all of it: the type of that, for CASTs of the text. */
  readonly textOf?: HiveType;
  /** Of `=` and IN beside literals: what Hive's optimizer makes of several of these. */
  readonly zeroTest?: ZeroTest;
  /** Of `=` beside a literal, and of several of these joined by AND: what is compared with which literal. */
  readonly points?: readonly Point[];
  /** Of a sum of whole numbers: the sum before it wraps, in a type that holds some hundreds of such terms. */
  readonly sum?: { readonly wide: Fragment; readonly terms: number };
}

/** `=` and IN between a double or float and literals. */
interface ZeroTest {
  readonly value: SqlExpression;
  readonly literals: readonly number[];
  /** Whether −0.0 is taken for 0.0. */
  readonly takesNegative: boolean;
}

/** A value that equals a literal. */
export interface Point {
  readonly value: SqlExpression;
  readonly literal: SqlExpression;
}

/** Largest weight of one expression: what is larger is refused before DuckDB spends seconds on it. */
export const heaviest = 40_000;

/** Puts fragments into SQL text; a string is taken as SQL of its own. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Fragment | string | number)[]): Fragment {
  let text = strings[0] ?? "";
  let weight = 1;
  for (const [index, part] of parts.entries()) {
    if (typeof part === "object") {
      text += part.sql;
      weight += part.weight;
    } else text += part;
    text += strings[index + 1] ?? "";
  }
  return { sql: text, weight };
}

/** Puts fragments side by side. */
export function join(parts: readonly Fragment[], separator = ", "): Fragment {
  return {
    sql: parts.map((part) => part.sql).join(separator),
    weight: parts.reduce((sum, part) => sum + part.weight, 0),
  };
}

/** Calls one of {@link macros}; what is heavy and stands in its body several times is computed once before. */
export function macro(name: keyof typeof macros, ...parts: readonly (Fragment | string)[]): Fragment {
  const uses = usesOf(name);
  const copies = parts.map((part, index) =>
    typeof part === "object" ? part.weight * ((uses.parameters[index] ?? 1) - 1) : 0,
  );
  if (!copies.some((weight) => weight > mostCopied)) return call(name, parts);
  return once(
    parts.filter((part) => typeof part === "object").filter((part) => !isAtom(part)),
    (values) => {
      const rest = [...values];
      return call(
        name,
        parts.map((part) => (typeof part === "object" && !isAtom(part) ? (rest.shift() ?? part) : part)),
      );
    },
  );
}

/** Largest weight of copies of an argument. */
const mostCopied = 300;

/** Computes values once for an expression that names them several times. */
export function once(values: readonly Fragment[], body: (values: readonly Fragment[]) => Fragment): Fragment {
  const [only, second] = values;
  if (!only) return body(values);
  const held = second ? numberedStruct(values, "b") : only;
  const names = second ? values.map((_value, index) => raw(`hive_b.b${index}`)) : [raw("hive_b")];
  return sql`list_transform([${held}], lambda hive_b: ${body(names)})[1]`;
}

/**
 * A struct with members of a name and their numbers. DuckDB forgets the names of macros' calls where it binds them a
 * second time, as in LATERAL.
 */
export function numberedStruct(values: readonly Fragment[], name: string): Fragment {
  const members = values.map((value, index) => {
    const isCall = /^hive_\w+\(/.test(value.sql);
    return isCall ? sql`${name}${index}: coalesce(${value})` : sql`${name}${index}: ${value}`;
  });
  return sql`{${join(members)}}`;
}

/** Whether SQL is a column or a constant, which may stand anywhere. */
const isAtom = ({ sql: text, weight }: Fragment) =>
  weight <= 2 &&
  /^(?:(?!hive_b\b)\w+\.(?:\w+|"(?:[^"]|"")*")|NULL|-?\d+|'(?:[^']|'')*'|CAST\('?[-\w.:]*'? AS [\w(), ]+\))$/.test(
    text,
  );

function call(name: keyof typeof macros, parts: readonly (Fragment | string)[]): Fragment {
  const uses = usesOf(name);
  let { weight } = uses;
  for (const [index, part] of parts.entries()) {
    if (typeof part === "object") weight += part.weight * (uses.parameters[index] ?? 1);
  }
  return { sql: `${name}(${parts.map((part) => (typeof part === "object" ? part.sql : part)).join(", ")})`, weight };
}

/** SQL as it stands. */
export const raw = (text: string): Fragment => ({ sql: text, weight: 1 });

export function typed(fragment: Fragment, type: HiveType, constant?: Constant): SqlExpression {
  const base = { sql: fragment.sql, weight: fragment.weight, type };
  return constant === undefined ? base : { ...base, constant };
}

interface Uses {
  readonly weight: number;
  readonly parameters: readonly number[];
}

const known = new Map<string, Uses>();

/** How often a macro's body names each parameter once the macros that it calls are expanded, and what else it holds. */
function usesOf(name: keyof typeof macros): Uses {
  const found = known.get(name);
  if (found) return found;
  const { parameters, body } = macros[name];
  const counts = parameters.map(() => 0);
  let weight = body.length / 16;
  // How often what stands in each of the open parentheses is expanded.
  const open = [1];
  for (const [token, word, parenthesis] of body.matchAll(/'(?:[^']|'')*'|([A-Za-z_]\w*)(\(?)|[()]/g)) {
    const factor = open.at(-1) ?? 1;
    const index = word === undefined || parenthesis ? -1 : parameters.indexOf(word);
    if (index !== -1) counts[index] = (counts[index] ?? 0) + factor;
    if (token === ")") open.pop();
    else if (token === "(") open.push(factor);
    else if (parenthesis) {
      const called =
        word !== name && word !== undefined && word in macros ? usesOf(word as keyof typeof macros) : undefined;
      weight += (called?.weight ?? 0) * factor;
      open.push(factor * Math.max(1, ...(called?.parameters ?? [])));
    }
  }
  const uses = { weight, parameters: counts };
  known.set(name, uses);
  return uses;
}

/** Whether SQL names a column, of a table or of one of the relations that the translation makes. */
export const readsColumns = ({ sql: text }: Fragment) => /"|\b[a-z]+\d+\.\w/.test(text);

/** Values that are computed together: those of literals with all their digits where nothing but literals is there. */
export const foldedTogether = (values: readonly SqlExpression[]): readonly SqlExpression[] =>
  values.some(readsColumns) ? values : values.map((value) => value.wide ?? value);

/** Whether a value is read from a table as it stands there. */
export const isColumn = ({ sql: text }: Fragment) => /^(?:\w+\.)?"(?:[^"]|"")*"$/.test(text);

/** A column of a relation, as the translation writes it. */
export const columnPattern = /\b\w+\.(?:"(?:[^"]|"")*"|c\d+\b)/g;

/** The relations whose columns a value reads. */
export function relationsOf(value: Fragment): string[] {
  return [...value.sql.matchAll(columnPattern)].map(([name]) => name.slice(0, name.indexOf(".")));
}

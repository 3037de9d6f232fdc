/** Fragments of DuckDB SQL with an estimate of the work that they cause in DuckDB's binder. */
import { macros } from "../runtime/macros/index";
import type { HiveType } from "../bind/types";

/** A fragment of SQL. */
export interface Fragment {
  readonly sql: string;
  /** The estimated number of nodes that DuckDB binds for the fragment after it expands macros. */
  readonly weight: number;
}

/** The value of a literal. */
export type Constant = string | number | boolean | null;

/** A SQL expression with its Hive type; the SQL yields the DuckDB type that `duckType` gives for it. */
export interface SqlExpression extends Fragment {
  readonly type: HiveType;
  /** The value of a literal; undefined when the value is known only at run time. */
  readonly constant?: Constant;
  /** True when a decimal is computed from literals alone, such as `1.5 * 2`: Hive folds it before it reads a column. */
  readonly isFolded?: true;
  /** The operator and the converted operands of `<`, `<=`, `>` and `>=`, which Hive may merge into BETWEEN. */
  readonly comparison?: { readonly operator: string; readonly left: SqlExpression; readonly right: SqlExpression };
  /**
   * The unrounded value of a decimal computed from literals alone. Further folding uses it, and the result shows the
   * rounded value: `0.005 / 3` is 0.001667, and `0.005 / 3 * 3` folds 0.00166666666667 * 3.
   */
  readonly unrounded?: SqlExpression;
  /** The digits of a decimal made of literals, if they are known: `cast(2 as decimal(10,2))` has `2.00`. */
  readonly foldedDigits?: string;
  /** True for a CAST of a number literal that lost digits, such as `cast(2.555 as decimal(5,2))`. */
  readonly isRounded?: true;
  /**
   * The type that Hive uses for further arithmetic on a sum when it differs from the type that it shows: for
   * `d + cast(2 as decimal(20,10))` Hive shows the scale of the column d and computes with scale 10.
   */
  readonly declaredType?: HiveType;
  /**
   * True for a column of a subquery that is a folded decimal whose type has a larger scale than its digits need, such
   * as `cast(2 as decimal(20,10))`.
   */
  readonly hasPaddedScale?: true;
  /**
   * True for a char made by a function, such as `upper(c)`, which Hive prints without its trailing spaces when the
   * query runs no job; `partly` when only some rows have such a char, as in `if(n = 1, upper(c), c)`.
   */
  readonly isUnpadded?: true | "partly";
  /**
   * True for a char made by CAST or a subquery, such as `cast(s as char(4))`: `=` with a shorter literal finds no row.
   */
  readonly isComputedChar?: true;
  /** True when the value may be NULL though no operand is, such as `a / b` with b = 0; Hive's IS NULL ignores that. */
  readonly introducesNull?: true;
  /** The operands that Hive's IS NULL tests in place of the value: a and b for `a / b`. */
  readonly nullTestOperands?: readonly SqlExpression[];
  /**
   * The source type of a string made by CAST from a number or char without loss. Hive's CAST of the string reads the
   * source: `cast(cast(f as string) as double)` of a float f is a CAST of f.
   */
  readonly textSourceType?: HiveType;
  /** The test of a double or float against literals by `=` or IN, which decides whether −0.0 equals 0.0. */
  readonly zeroTest?: ZeroTest;
  /**
   * The equalities with literals in `a = 1 AND b = 2`. Hive makes an IN of structs of several such conditions in OR.
   */
  readonly literalEqualities?: readonly LiteralEquality[];
  /** The operands of a sum of integers, added in a type that does not overflow for some hundreds of terms. */
  readonly integerSum?: { readonly unwrapped: Fragment; readonly terms: number };
}

/** A test of a double or float against literals by `=` or IN. */
interface ZeroTest {
  readonly value: SqlExpression;
  readonly literals: readonly number[];
  /** True when −0.0 equals the literal 0.0. */
  readonly matchesNegativeZero: boolean;
}

/** An equality of a value and a literal. */
export interface LiteralEquality {
  readonly value: SqlExpression;
  readonly literal: SqlExpression;
}

/** Maximum weight of one expression. Larger ones are refused, since DuckDB takes seconds to bind them. */
export const maxWeight = 40_000;

/** Builds a fragment from a template. Strings and numbers are inserted as SQL text. */
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

/** Joins fragments with a separator. */
export function join(parts: readonly Fragment[], separator = ", "): Fragment {
  return {
    sql: parts.map((part) => part.sql).join(separator),
    weight: parts.reduce((sum, part) => sum + part.weight, 0),
  };
}

/** Calls one of {@link macros}. Heavy arguments that its body uses several times are bound once before the call. */
export function macro(name: keyof typeof macros, ...parts: readonly (Fragment | string)[]): Fragment {
  const uses = usesOf(name);
  const copies = parts.map((part, index) =>
    typeof part === "object" ? part.weight * ((uses.parameters[index] ?? 1) - 1) : 0,
  );
  if (!copies.some((weight) => weight > maxCopiedWeight)) return call(name, parts);
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

/** Maximum weight of the copies of one argument. */
const maxCopiedWeight = 300;

/** Computes values once for a body that uses them several times; the body gets their names. */
export function once(values: readonly Fragment[], body: (values: readonly Fragment[]) => Fragment): Fragment {
  const [only, second] = values;
  if (!only) return body(values);
  const held = second ? numberedStruct(values, "b") : only;
  const names = second ? values.map((_value, index) => raw(`hive_b.b${index}`)) : [raw("hive_b")];
  return sql`list_transform([${held}], lambda hive_b: ${body(names)})[1]`;
}

/**
 * Returns a struct with fields `name0`, `name1`, …. A macro call is wrapped in coalesce: DuckDB loses the field name of
 * a macro call when it binds the expression a second time, as in LATERAL.
 */
export function numberedStruct(values: readonly Fragment[], name: string): Fragment {
  const members = values.map((value, index) => {
    const isCall = /^hive_\w+\(/.test(value.sql);
    return isCall ? sql`${name}${index}: coalesce(${value})` : sql`${name}${index}: ${value}`;
  });
  return sql`{${join(members)}}`;
}

/** Returns true when SQL is a column or a constant, which is cheap to repeat. */
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

/** Returns a fragment of SQL text with weight 1. */
export const raw = (text: string): Fragment => ({ sql: text, weight: 1 });

export function typed(fragment: Fragment, type: HiveType, constant?: Constant): SqlExpression {
  const base = { sql: fragment.sql, weight: fragment.weight, type };
  return constant === undefined ? base : { ...base, constant };
}

interface MacroUses {
  readonly weight: number;
  readonly parameters: readonly number[];
}

const usesByMacro = new Map<string, MacroUses>();

/**
 * Counts how often a macro's body uses each parameter after nested macros are expanded, and weighs the rest of the
 * body.
 */
function usesOf(name: keyof typeof macros): MacroUses {
  const found = usesByMacro.get(name);
  if (found) return found;
  const { parameters, body } = macros[name];
  const counts = parameters.map(() => 0);
  let weight = body.length / 16;
  // The number of expansions of the content of each open parenthesis.
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
  usesByMacro.set(name, uses);
  return uses;
}

/**
 * Returns true when SQL reads a column of a table or of a relation that the translation generates, such as `t1."id"`.
 */
export const readsColumns = ({ sql: text }: Fragment) => /"|\b[a-z]+\d+\.\w/.test(text);

/** Returns the unrounded values when all of them are made of literals alone, else the values as they are. */
export const unroundedIfFolded = (values: readonly SqlExpression[]): readonly SqlExpression[] =>
  values.some(readsColumns) ? values : values.map((value) => value.unrounded ?? value);

/** Returns true when SQL is a column of a table and not an expression. */
export const isColumn = ({ sql: text }: Fragment) => /^(?:\w+\.)?"(?:[^"]|"")*"$/.test(text);

/** Matches a column of a relation in generated SQL, such as `t1."id"` or `g2.c0`. */
export const columnPattern = /\b\w+\.(?:"(?:[^"]|"")*"|c\d+\b)/g;

/** Returns the aliases of the relations whose columns a value reads. */
export function relationsOf(value: Fragment): string[] {
  return [...value.sql.matchAll(columnPattern)].map(([name]) => name.slice(0, name.indexOf(".")));
}

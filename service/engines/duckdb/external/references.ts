/**
 * Takes the tables out of a statement that another engine runs, and refuses what could reach more than those tables. It
 * reads the parse tree and not the syntax tree, because another engine takes statements that the translator refuses.
 */
import { HiveQLError, parseStatement, tablesRead } from "../../../../hiveql/syntax";
import * as grammar from "../../../../hiveql/syntax/grammar";
import type { Reader } from "../../prepared-statement";
import { forbiddenColumns, forbiddenFunctions } from "./forbidden-names";

/** A part of a statement, as `hiveserver2/local-work.ts` describes it. */
export type Part =
  | { readonly kind: "text" | "view text"; readonly text: string; readonly origin: number }
  | { readonly kind: "table"; readonly table: number; readonly origin: number };

/** Maximum number of places that name a table, with those in views. */
const maxReferences = 1000;

/** The names that a statement may read. */
export interface ReadableNames {
  /** Positions of the tables, by `database.table`. */
  readonly tables: ReadonlyMap<string, number>;
  /** Queries of the views, by `database.view`. */
  readonly views: ReadonlyMap<string, string>;
  /** The engine that runs the statement. */
  readonly reader: Reader;
}

/** Returns the parts of a statement. @throws HiveQLError */
export function partsOf(statement: string, names: ReadableNames): Part[] {
  const count = { references: 0 };
  return cut(statement, names, count);
}

function cut(statement: string, names: ReadableNames, count: { references: number }): Part[] {
  const parsed = parseStatement(statement);
  const [setting] = parsed.settings;
  if (setting) {
    throw refused(setting.position, `SET ${setting.name}`, "is not taken here: remove it");
  }
  // Checks that the statement is one SELECT.
  tablesRead(parsed);
  const tokens = tokensOf(parsed.tree);
  refuseForbidden(tokens, names.reader);
  if (names.reader === "spark") refuseSparkTokens(tokens);
  const text = new StatementText(statement, tokens);
  const found: Reference[] = [];
  visit(parsed.tree, new Set(), found);
  const parts: Part[] = [];
  let end = 0;
  for (const { node, source, alias, key, position } of found.toSorted((a, b) => startOf(a.node) - startOf(b.node))) {
    if ((count.references += 1) > maxReferences) {
      throw refused(position, "statement", `names tables in more than ${maxReferences} places`);
    }
    const origin = startOf(node);
    parts.push({ kind: "text", text: text.slice(end, origin), origin: end });
    parts.push(...sourceOf(key, { names, count, origin, position }));
    end = endOf(node);
    if (alias === undefined) continue;
    parts.push({ kind: "text", text: text.slice(end, endOf(source)), origin: end });
    parts.push({ kind: "view text", text: ` \`${alias}\``, origin });
    end = endOf(source);
  }
  parts.push({ kind: "text", text: text.slice(end), origin: end });
  return parts.filter((part) => part.kind === "table" || part.text !== "");
}

/** Returns what stands in place of a name: a table, or the query of a view. */
function sourceOf(
  key: string,
  {
    names,
    count,
    origin,
    position,
  }: { readonly names: ReadableNames; readonly count: { references: number } } & Pick<Reference, "position"> & {
      readonly origin: number;
    },
): Part[] {
  const view = names.views.get(key);
  const table = names.tables.get(key);
  if (view === undefined) {
    if (table === undefined) throw refused(position, `table "${key}"`, "is not a table of the statement");
    return [{ kind: "table", table, origin }];
  }
  const inner = cut(view, names, count).map((part): Part =>
    part.kind === "table" ? { ...part, origin } : { kind: "view text", text: part.text, origin },
  );
  return [{ kind: "view text", text: "(", origin }, ...inner, { kind: "view text", text: ")", origin }];
}

/**
 * The text of a statement in which everything but its tokens is blank: what is a comment for our grammar is none for
 * another engine either.
 */
class StatementText {
  readonly #characters: readonly string[];

  constructor(statement: string, tokens: readonly grammar.Token[]) {
    const all = [...statement];
    const shown: string[] = all.map((character) => (character === "\n" ? "\n" : " "));
    const last = tokens.at(-1);
    for (const token of tokens) {
      if (token === last && token.text === ";") continue;
      for (let at = token.start; at <= token.stop; at += 1) shown[at] = all[at]!;
    }
    this.#characters = shown;
  }

  /** @param start offset in code points */
  slice(start: number, end?: number): string {
    return this.#characters.slice(start, end).join("");
  }
}

interface Reference {
  readonly node: grammar.TableOrViewContext;
  /** The name with its sample and its alias. */
  readonly source: grammar.ParserRuleContext;
  readonly key: string;
  /** The alias to add; undefined when the statement has one. */
  readonly alias: string | undefined;
  readonly position: { readonly line: number; readonly column: number };
}

function visit(node: grammar.ParserRuleContext, common: ReadonlySet<string>, found: Reference[]): void {
  let names = common;
  if (node instanceof grammar.QueryStatementExpressionContext) {
    const tables = node.withClause()?.cteStatement() ?? [];
    for (const table of tables) refuseReserved(table.id_());
    if (tables.length > 0) names = new Set([...common, ...tables.map((table) => nameOf(table.id_().getText()))]);
  } else if (node instanceof grammar.TableSourceContext || node instanceof grammar.UniqueJoinSourceContext) {
    addReference(node, common, found);
  }
  for (const child of node.children ?? []) {
    if (child instanceof grammar.ParserRuleContext) visit(child, names, found);
  }
}

/** Refuses a name in WITH that is one of those that the tables have when the statement is sent. */
function refuseReserved(node: grammar.ParserRuleContext): void {
  const name = nameOf(node.getText());
  if (!/^dag_(?:t\d+|result)$/.test(name)) return;
  const position = { line: node.start?.line ?? 1, column: (node.start?.column ?? 0) + 1 };
  throw refused(position, `name ${name}`, "is reserved: choose another one");
}

function addReference(
  source: grammar.TableSourceContext | grammar.UniqueJoinSourceContext,
  common: ReadonlySet<string>,
  found: Reference[],
): void {
  const node = source.tableOrView();
  const ids = identifiersIn(node);
  const [table = "", database] = ids.toReversed();
  if (database === undefined && common.has(table)) return;
  const position = { line: node.start?.line ?? 1, column: (node.start?.column ?? 0) + 1 };
  if (ids.length > 2)
    throw refused(position, `table "${ids.join(".")}"`, "has more than two names: write database.table");
  if (source instanceof grammar.TableSourceContext && source.tableProperties()) {
    throw refused(position, `table "${table}"`, "has properties: remove them");
  }
  const alias = source.id_() ? undefined : table;
  found.push({ node, source, key: `${database ?? "default"}.${table}`, alias, position });
}

function identifiersIn(node: grammar.ParserRuleContext): string[] {
  return (node.children ?? []).flatMap((child) => {
    if (child instanceof grammar.Id_Context) return [nameOf(child.getText())];
    return child instanceof grammar.ParserRuleContext ? identifiersIn(child) : [];
  });
}

/** Refuses calls of forbidden functions and of functions of a database, and forbidden columns. */
function refuseForbidden(tokens: readonly grammar.Token[], reader: Reader): void {
  const [functions, columns] = [forbiddenFunctions[reader], forbiddenColumns[reader]];
  for (const [index, token] of tokens.entries()) {
    const name = nameOf(token.text ?? "");
    const position = { line: token.line, column: token.column + 1 };
    if (columns.has(name))
      throw refused(
        position,
        `column ${name}`,
        "tells of the server's files: run the statement on a cluster of type duckdb",
      );
    if (tokens[index + 1]?.text === "(") {
      if (functions.has(name)) throw refused(position, `function ${name}`, "reaches more than the statement's tables");
      const isMember = tokens[index - 1]?.text === "." && /^[a-z_`]/i.test(tokens[index - 2]?.text ?? "");
      if (isMember) throw refused(position, `function ${name}`, "is a function of a database");
    } else if (functions.has(name) && /^(?:current|session)_/.test(name)) {
      throw refused(position, name, "reaches more than the statement's tables");
    }
  }
}

/** Refuses texts in which `\` is no escape for Spark: they end at another place than for our grammar. */
function refuseSparkTokens(tokens: readonly grammar.Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const text = token.text ?? "";
    const position = { line: token.line, column: token.column + 1 };
    const next = tokens[index + 1];
    if (/^r$/i.test(text) && next?.start === token.stop + 1 && /^['"]/.test(next.text ?? "")) {
      throw refused(position, "a raw text", "is not HiveQL: write its backslashes twice, without r");
    }
  }
}

function tokensOf(tree: grammar.ParserRuleContext): grammar.Token[] {
  const tokens: grammar.Token[] = [];
  const walk = (node: grammar.ParseTree): void => {
    if (node instanceof grammar.TerminalNode) {
      if (node.symbol.type !== grammar.Token.EOF) tokens.push(node.symbol);
    }
    if (node instanceof grammar.ParserRuleContext) for (const child of node.children ?? []) walk(child);
  };
  walk(tree);
  return tokens;
}

/** Returns an identifier in lower case, without backticks. */
function nameOf(text: string): string {
  const quoted = text.length > 1 && text.startsWith("`") && text.endsWith("`");
  return (quoted ? text.slice(1, -1).replaceAll("``", "`") : text).toLowerCase();
}

const startOf = (node: grammar.ParserRuleContext) => node.start?.start ?? 0;
const endOf = (node: grammar.ParserRuleContext) => (node.stop?.stop ?? -1) + 1;

function refused(position: { readonly line: number; readonly column: number }, construct: string, reason: string) {
  return new HiveQLError(position, "semantic", construct, reason);
}

/** The error at the first token that the grammar does not accept. */
import { type HiveQLProblem, HiveQLError, type Position } from "./errors";
import { foreignSyntax } from "./foreign-syntax";
import { BaseErrorListener, type CommonTokenStream, HiveSqlLexer, Token } from "./grammar";
import { tokenPosition } from "./positions";
import { probableCause, type SeenToken } from "./unexpected";

/** `${name}` or `${hiveconf:name}`, which Hive's command line replaces before it sends a statement. */
export const variable = /\$\{[^{}]*\}/;

/** The error for such a name. */
export const unknownVariable = (position: Position, name: string) =>
  new HiveQLError(
    position,
    "semantic",
    `variable ${name}`,
    "is not replaced: write its value instead of its name, and a group of a regular expression by its number, as $1",
  );

/** Throws the error for the first place that the grammar does not accept, with what to write instead. */
export class SyntaxErrorListener extends BaseErrorListener {
  /** @param tokens undefined while the text is cut into tokens. */
  constructor(
    private readonly text: string,
    private readonly tokens?: CommonTokenStream,
  ) {
    super();
  }

  override syntaxError(_recognizer: unknown, symbol: unknown, line: number, column: number, message: string): void {
    const token = symbol as Token | null;
    const problem: HiveQLProblem = "syntax";
    const position = { line, column: column + 1 };
    if (this.text.trim() === "") throw new HiveQLError(position, problem, "statement", "is empty");
    const underscored = this.underscoredAt(token);
    if (underscored)
      throw new HiveQLError(
        tokenPosition(underscored),
        problem,
        `"${underscored.text ?? ""}"`,
        `begins with _: write \`${underscored.text ?? ""}\` in backticks`,
      );
    const cause = token && this.tokens ? probableCause(this.seenBefore(token), seenAs(token)) : undefined;
    if (token?.type === Token.EOF) {
      const reason = `is not expected here: ${cause ?? "the statement is incomplete"}`;
      throw new HiveQLError(position, problem, "end of statement", reason);
    }
    if (!this.tokens && /['"`]/.test(this.text.split("\n")[line - 1]?.[column] ?? ""))
      throw new HiveQLError(
        position,
        problem,
        "quote",
        "is not closed: write the same quote at the end of the text or name",
      );
    const name = variable.exec(this.text.split("\n")[line - 1]?.slice(column) ?? "");
    if (name?.index === 0) throw unknownVariable(position, name[0]);
    const foreign = this.foreignAt(token, line, column);
    if (foreign) throw new HiveQLError(position, problem, foreign.construct, foreign.reason);
    const found = token?.text ?? this.text.split("\n")[line - 1]?.slice(column, column + 20) ?? "";
    const reason = `is not expected here${cause === undefined ? expected(message) : `: ${cause}`}`;
    throw new HiveQLError(position, problem, `"${shorten(found)}"`, reason);
  }

  /** Returns a name such as `_c0` at the error, before it or behind its dot, which the grammar reads as the character set of a text. */
  private underscoredAt(token: Token | null): Token | undefined {
    if (!token || !this.tokens) return undefined;
    const visible = this.tokens.getTokens().filter(({ channel }) => channel === Token.DEFAULT_CHANNEL);
    const at = visible.indexOf(token);
    const next = token.type === HiveSqlLexer.DOT ? visible[at + 1] : undefined;
    return [visible[at - 1], token, next].find((each) => each?.type === HiveSqlLexer.CharSetName);
  }

  private seenBefore(token: Token): SeenToken[] {
    const before = (this.tokens?.getTokens() ?? []).slice(0, token.tokenIndex);
    return before.filter(({ channel }) => channel === Token.DEFAULT_CHANNEL).flatMap((each) => seenAs(each) ?? []);
  }

  private foreignAt(token: Token | null, line: number, column: number) {
    if (!token || !this.tokens)
      return foreignSyntax([], [this.text.split("\n")[line - 1]?.slice(column, column + 1) ?? ""]);
    const seen = (start: number, end: number) =>
      (this.tokens?.getTokens() ?? [])
        .slice(Math.max(0, start), end)
        .filter(({ channel, type }) => channel === Token.DEFAULT_CHANNEL && type !== Token.EOF);
    const at = token.tokenIndex;
    const [before, after] = [seen(at - 2 * seenTokens, at), seen(at, at + seenTokens)];
    const textsOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text ?? "");
    return foreignSyntax(textsOf(before), textsOf(after), after.map(isKeyword));
  }
}

const isKeyword = ({ type, text }: Token) => type !== HiveSqlLexer.Identifier && /^[a-z_]+$/i.test(text ?? "");

/** Returns a token as the search for the cause of an error reads it; undefined for the end of the statement. */
function seenAs(token: Token): SeenToken | undefined {
  if (token.type === Token.EOF) return undefined;
  const text = token.text ?? "";
  if (isKeyword(token)) return { text, kind: "keyword" };
  if (token.type === HiveSqlLexer.Identifier) return { text, kind: "name" };
  return { text, kind: /^['"\d]|^\.\d/.test(text) ? "literal" : "sign" };
}

/** Tokens around an error that tell what it is. */
const seenTokens = 12;

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Returns the tokens that ANTLR expected, from its message, when there are at most six. */
function expected(message: string): string {
  const match = /expecting (\{.*\}|\S+)$/s.exec(message);
  const list = match?.[1]?.replace(/^\{|\}$/g, "").split(", ") ?? [];
  return list.length > 0 && list.length <= 6 ? `; expected ${list.join(", ")}` : "";
}

/** Parses the text of a HiveQL statement into a parse tree. */
import { type LeadingSetting, readLeadingSettings } from "./leading-settings";
import { type HiveQLProblem, HiveQLError, type Position, unsupported } from "./errors";
import { foreignSyntax } from "./foreign-syntax";
import {
  BailErrorStrategy,
  BaseErrorListener,
  CharStreams,
  CommonTokenStream,
  DefaultErrorStrategy,
  HiveSqlLexer,
  HiveSqlParser,
  ParseCancellationException,
  type ParseTree,
  type ParserRuleContext,
  PredictionMode,
  type ProgramContext,
  Token,
} from "./grammar";

/** A statement that the grammar accepts. */
export interface ParsedStatement {
  /** The text as submitted. */
  readonly text: string;
  /** The settings before the statement. */
  readonly settings: readonly LeadingSetting[];
  readonly tree: ProgramContext;
}

/** Maximum nesting depth of parentheses, brackets and CASE. Parsing time grows faster than linearly with the depth. */
const maxNesting = 60;

/** Maximum length of a statement in UTF-16 code units. */
const maxLength = 1_000_000;

/**
 * Parses one statement, which may have settings before it; it need not be a SELECT.
 * @throws HiveQLError of problem `syntax` at the first token that the grammar does not accept, and of `semantic` for a
 *   variable.
 */
export function parseStatement(text: string): ParsedStatement {
  if (text.length > maxLength) {
    throw unsupported({ line: 1, column: 1 }, "statement", `is longer than ${maxLength} characters`);
  }
  const { settings, rest } = readLeadingSettings(text);
  const tokens = tokenize(rest);
  checkDepth(tokens);
  refuseVariables(tokens);
  const parser = new HiveSqlParser(tokens);
  parser.removeErrorListeners();
  parser.interpreter.predictionMode = PredictionMode.SLL;
  parser.errorHandler = new BailErrorStrategy();
  try {
    return { text, settings, tree: parser.program() };
  } catch (error) {
    if (!(error instanceof ParseCancellationException)) throw error;
  }
  tokens.seek(0);
  parser.reset();
  parser.interpreter.predictionMode = PredictionMode.LL;
  parser.errorHandler = new DefaultErrorStrategy();
  parser.addErrorListener(new ThrowingListener(text, tokens));
  const script = tokens.getTokens().find((token) => scriptKeywords.has(token.type));
  try {
    return { text, settings, tree: parser.program() };
  } catch (error) {
    if (error instanceof HiveQLError && script)
      throw unsupported(tokenPosition(script), "TRANSFORM", "runs a script on the server");
    throw error;
  }
}

/** Returns the start position of a grammar rule. */
export function positionOf(context: ParserRuleContext): Position {
  return tokenPosition(context.start);
}

/** Returns the child rules and tokens of a grammar rule. */
export function childrenOf(context: ParserRuleContext): readonly ParseTree[] {
  return (context.children ?? []) as readonly ParseTree[];
}

/** Returns the position of a token. */
export function tokenPosition(token: Token | null): Position {
  return token ? { line: token.line, column: token.column + 1 } : { line: 1, column: 1 };
}

function tokenize(text: string): CommonTokenStream {
  const lexer = new HiveLexer(CharStreams.fromString(text));
  lexer.removeErrorListeners();
  lexer.addErrorListener(new ThrowingListener(text));
  const tokens = new CommonTokenStream(lexer);
  tokens.fill();
  return tokens;
}

/**
 * Adapts the grammar's lexer to Hive's: `!` is NOT, which has a lower precedence than comparison, and hints are skipped
 * like comments, since they do not change the result. Semicolons of empty statements are skipped, as Hive's clients do.
 * DAYOFWEEK is a field of EXTRACT: its token keeps the text, and has the type of DAY.
 */
class HiveLexer extends HiveSqlLexer {
  #isBetweenStatements = true;
  #last: readonly number[] = [];

  override nextToken(): Token {
    const token = super.nextToken();
    const isSemicolon = token.type === HiveSqlLexer.SEMICOLON;
    if (isSemicolon && this.#isBetweenStatements) token.channel = Token.HIDDEN_CHANNEL;
    if (token.channel === Token.DEFAULT_CHANNEL) {
      this.#isBetweenStatements = isSemicolon;
      const isField = this.#last[0] === HiveSqlLexer.KW_EXTRACT && this.#last[1] === HiveSqlLexer.LPAREN;
      if (isField && token.type === HiveSqlLexer.KW_DAYOFWEEK) token.type = HiveSqlLexer.KW_DAY;
      this.#last = [...this.#last.slice(-1), token.type];
    }
    if (token.type === HiveSqlLexer.BITWISENOT) token.type = HiveSqlLexer.KW_NOT;
    if (token.type === HiveSqlLexer.QUERY_HINT) token.channel = Token.HIDDEN_CHANNEL;
    return token;
  }
}

/**
 * Keywords of TRANSFORM. Hive accepts them without ROW FORMAT and the grammar does not, so they cause a syntax error.
 */
const scriptKeywords = new Set<number>([HiveSqlLexer.KW_TRANSFORM, HiveSqlLexer.KW_REDUCE]);

const opening = new Set<number>([HiveSqlLexer.LPAREN, HiveSqlLexer.LSQUARE, HiveSqlLexer.KW_CASE]);
const closing = new Set<number>([HiveSqlLexer.RPAREN, HiveSqlLexer.RSQUARE, HiveSqlLexer.KW_END]);
const prefixOperators = new Set<number>([
  HiveSqlLexer.KW_NOT,
  HiveSqlLexer.MINUS,
  HiveSqlLexer.PLUS,
  HiveSqlLexer.TILDE,
]);

function checkDepth(tokens: CommonTokenStream) {
  let depth = 0;
  let run = 0;
  for (const token of tokens.getTokens()) {
    if (opening.has(token.type)) depth += 1;
    else if (closing.has(token.type)) depth -= 1;
    if (token.channel === 0) run = prefixOperators.has(token.type) ? run + 1 : 0;
    if (depth > maxNesting || run > maxNesting) {
      throw unsupported(tokenPosition(token), "nesting", `is deeper than ${maxNesting} levels`);
    }
  }
}

/** `${name}` or `${hiveconf:name}`, which Hive's command line replaces before it sends a statement. */
const variable = /\$\{[^{}]*\}/;

const unknownVariable = (position: Position, name: string) =>
  new HiveQLError(
    position,
    "semantic",
    `variable ${name}`,
    "is not replaced: write its value instead of its name, and a group of a regular expression by its number, as $1",
  );

/** Refuses variables inside texts and quoted names; elsewhere they are no tokens. */
function refuseVariables(stream: CommonTokenStream) {
  for (const token of stream.getTokens()) {
    const [name] = token.channel === 0 ? (variable.exec(token.text ?? "") ?? []) : [];
    if (name !== undefined) throw unknownVariable(tokenPosition(token), name);
  }
}

class ThrowingListener extends BaseErrorListener {
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
    if (token?.type === Token.EOF)
      throw new HiveQLError(position, problem, "end of statement", "is not expected here: the statement is incomplete");
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
    throw new HiveQLError(position, problem, `"${shorten(found)}"`, `is not expected here${expected(message)}`);
  }

  /** Returns a name such as `_c0` at the error, before it or behind its dot, which the grammar reads as the character set of a text. */
  private underscoredAt(token: Token | null): Token | undefined {
    if (!token || !this.tokens) return undefined;
    const visible = this.tokens.getTokens().filter(({ channel }) => channel === Token.DEFAULT_CHANNEL);
    const at = visible.indexOf(token);
    const next = token.type === HiveSqlLexer.DOT ? visible[at + 1] : undefined;
    return [visible[at - 1], token, next].find((each) => each?.type === HiveSqlLexer.CharSetName);
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
    const isKeyword = ({ type, text }: Token) => type !== HiveSqlLexer.Identifier && /^[a-z]+$/i.test(text ?? "");
    const textsOf = (tokens: readonly Token[]) => tokens.map(({ text }) => text ?? "");
    return foreignSyntax(textsOf(before), textsOf(after), after.map(isKeyword));
  }
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

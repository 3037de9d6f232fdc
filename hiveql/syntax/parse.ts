/** Parses the text of a HiveQL statement into a parse tree. */
import { type LeadingSetting, readLeadingSettings } from "./leading-settings";
import { HiveQLError, unsupported } from "./errors";
import { tokenPosition } from "./positions";
import { SyntaxErrorListener, unknownVariable, variable } from "./syntax-errors";
import {
  BailErrorStrategy,
  CharStreams,
  CommonTokenStream,
  DefaultErrorStrategy,
  HiveSqlLexer,
  HiveSqlParser,
  ParseCancellationException,
  type ParserRuleContext,
  type ParseTree,
  PredictionMode,
  type ProgramContext,
  Token,
  type TokenStream,
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
  const reset = decideByNextTokens(parser);
  parser.errorHandler = new BailErrorStrategy();
  try {
    return { text, settings, tree: parser.program() };
  } catch (error) {
    if (!(error instanceof ParseCancellationException)) throw error;
  }
  reset();
  tokens.seek(0);
  parser.reset();
  parser.interpreter.predictionMode = PredictionMode.LL;
  parser.errorHandler = new DefaultErrorStrategy();
  parser.addErrorListener(new SyntaxErrorListener(text, tokens));
  const script = tokens.getTokens().find((token) => scriptKeywords.has(token.type));
  try {
    return { text, settings, tree: parser.program() };
  } catch (error) {
    if (error instanceof HiveQLError && script)
      throw unsupported(tokenPosition(script), "TRANSFORM", "runs a script on the server");
    throw error;
  }
}

/** Returns the number of the alternative of a decision, from 1. */
type Choice = (tokens: TokenStream) => number;

/**
 * Decisions of the grammar that the next tokens tell, by their numbers, with their rules. The parser's own prediction reads
 * on until one alternative is left, for a FROM clause to its end, and what it finds is kept for statements of the same kind:
 * the first one of its kind took a second. Their alternatives are those that it finds; where none fits, the second pass
 * tells the error.
 */
const decisions: readonly (readonly [decision: number, rule: number, choice: Choice])[] = [
  // FROM after a select list is of this SELECT.
  [290, HiveSqlParser.RULE_atomSelectStatement, (tokens) => (tokens.LA(1) === HiveSqlParser.KW_FROM ? 1 : 2)],
  // The second alternatives are for completion in an editor.
  [207, HiveSqlParser.RULE_columnName, () => 1],
  [626, HiveSqlParser.RULE_poolPathAllowEmpty, () => 1],
  // A view has the same names as a table.
  [473, HiveSqlParser.RULE_tableOrView, () => 1],
  [475, HiveSqlParser.RULE_tableName, (tokens) => (isNameAfterDot(tokens, 2) ? 1 : 2)],
  [474, HiveSqlParser.RULE_tableName, (tokens) => (isNameAfterDot(tokens, 1) ? 1 : 2)],
  [623, HiveSqlParser.RULE_poolPath, (tokens) => (isNameAfterDot(tokens, 1) ? 1 : 2)],
  [624, HiveSqlParser.RULE_poolPathAllowEmpty, (tokens) => (isNameAfterDot(tokens, 1) ? 1 : 2)],
];

/** Returns true when the token at an offset, from 1, is a dot before a name, not before the star of `t.*`. */
const isNameAfterDot = (tokens: TokenStream, offset: number) =>
  tokens.LA(offset) === HiveSqlParser.DOT && names().contains(tokens.LA(offset + 1));

const names = once(() => HiveSqlParser._ATN.nextTokens(HiveSqlParser._ATN.ruleToStartState[HiveSqlParser.RULE_id_]!));

const choices = once(() => {
  // Another version of the grammar may have other numbers; it decides by itself then.
  const known = decisions.filter(
    ([decision, rule]) => HiveSqlParser._ATN.decisionToState[decision]?.ruleIndex === rule,
  );
  return new Map(known.map(([decision, , choice]) => [decision, choice]));
});

/** Computes a value at its first use: the grammar is read where a statement is parsed. */
function once<Value>(compute: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= compute());
}

/** Lets a parser take {@link decisions}. Returns what ends it. */
function decideByNextTokens({ interpreter }: HiveSqlParser): () => void {
  const known = choices();
  const predict = interpreter.adaptivePredict.bind(interpreter);
  interpreter.adaptivePredict = (input, decision, context) =>
    known.get(decision)?.(input) ?? predict(input, decision, context);
  return () => (interpreter.adaptivePredict = predict);
}

/** Returns the child rules and tokens of a grammar rule. */
export function childrenOf(context: ParserRuleContext): readonly ParseTree[] {
  return (context.children ?? []) as readonly ParseTree[];
}

function tokenize(text: string): CommonTokenStream {
  const lexer = new HiveLexer(CharStreams.fromString(text));
  lexer.removeErrorListeners();
  lexer.addErrorListener(new SyntaxErrorListener(text));
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

/** Refuses variables inside texts and quoted names; elsewhere they are no tokens. */
function refuseVariables(stream: CommonTokenStream) {
  for (const token of stream.getTokens()) {
    const [name] = token.channel === 0 ? (variable.exec(token.text ?? "") ?? []) : [];
    if (name !== undefined) throw unknownVariable(tokenPosition(token), name);
  }
}

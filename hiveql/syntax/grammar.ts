/**
 * Re-exports the parts of dt-sql-parser's HiveQL grammar and of antlr4ng that we use. The build bundles this file with
 * them, since plain Node cannot import these packages.
 */
export { HiveSqlLexer } from "dt-sql-parser/dist/lib/hive/HiveSqlLexer.js";
export * from "dt-sql-parser/dist/lib/hive/HiveSqlParser.js";
export {
  BailErrorStrategy,
  BaseErrorListener,
  CharStreams,
  CommonTokenStream,
  DefaultErrorStrategy,
  ParseCancellationException,
  type ParseTree,
  ParserRuleContext,
  PredictionMode,
  TerminalNode,
  Token,
  type TokenStream,
} from "antlr4ng";

/** What we use of dt-sql-parser's HiveQL grammar and of antlr4ng; bundled into one file, since plain Node cannot import them. */
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
} from "antlr4ng";

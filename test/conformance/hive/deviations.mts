/** Functions and answers that are not compared, or are compared in a special form, with the reason of each. */

interface Deviation {
  /** The names of the functions. */
  readonly names: readonly string[];
  readonly reason: string;
}

/** Functions whose result does not depend on the arguments alone. */
export const excluded: readonly Deviation[] = [
  { names: ["rand", "uuid"], reason: "random" },
  {
    names: ["current_date", "current_timestamp", "unix_timestamp"],
    reason: "the time of the query; unix_timestamp with arguments is to_unix_timestamp",
  },
  { names: ["current_database", "current_schema"], reason: "the database of the session" },
  { names: ["current_user"], reason: "the user of the session" },
  { names: ["assert_true"], reason: "fails the query on purpose" },
];

/** Functions with a numeric argument that sets the result's size: large generated numbers would exhaust the memory. */
export const sizeBounded: readonly Deviation[] = [
  { names: ["repeat", "space", "lpad", "rpad", "format_number"], reason: "returns a text of the given length" },
  { names: ["lead", "lag"], reason: "keeps `offset` rows in memory" },
];

/** Aggregates whose elements have no defined order; they are compared sorted. */
export const unordered: readonly Deviation[] = [
  { names: ["collect_list", "collect_set"], reason: "the elements have the order in which the rows arrive" },
];

/** Messages of Hive for statements that it accepts in another form; they do not count as disagreements. */
export const hiveFailures: readonly { readonly message: RegExp; readonly reason: string }[] = [
  { message: /Cost Based Optimization/, reason: "INTERSECT or EXCEPT in a statement that Calcite cannot plan" },
  {
    message: /Error evaluating .*(array_(min|max)|octet_length)\(/,
    reason: "array_min, array_max and octet_length over columns of a text file",
  },
  {
    message: /class \S*\.lazy\.Lazy\w* cannot be cast/,
    reason: "the same in a job, and functions such as stack that do not accept the lazy values of a text file",
  },
  {
    message: /Schema of both sides of union should match: .* of type string on .* type decimal/,
    reason: "Hive 2 and the embedded engine accept a UNION of strings and decimals; Hive 4 requires a cast",
  },
  {
    message: /Schema of both sides of union should match: .* of type decimal.* and type string on /,
    reason: "the same with the sides swapped",
  },
  {
    message: /Unable to execute method .*\.(UDFSubstr|UDFParseUrl)\.|"partToExtract" is null/,
    reason: "arguments at the limits of their types, and a NULL part of a URL",
  },
  {
    message: /Unable to execute method .*\.UDFXPath\w+\.evaluate/,
    reason: "a call with literals only and an invalid path, which the embedded engine evaluates only for rows",
  },
  {
    message: /\[Error 10002\].*Invalid column reference/,
    reason: "ORDER BY of a column that is not selected, which plans without the optimizer refuse",
  },
  {
    message: /\[Error 10004\].*: \(possible column names are: c0/,
    reason: "ORDER BY of a position or of an expression over the tables, which plans without the optimizer refuse",
  },
  {
    message: /\[Error 10011\].*Invalid function '(?:id|k|t|day|ok|at)'/,
    reason: "USING of a column, which plans without the optimizer read as a function",
  },
  {
    message: /\[Error 10433\]/,
    reason: "QUALIFY, which plans without the optimizer refuse",
  },
  {
    message: /Unsupported SubQuery Expression .* top level conjuncts are allowed/,
    reason: "a correlated aggregate as an operand, which plans without the optimizer refuse",
  },
  {
    message: /Currently SubQuery expressions are only allowed as Where and Having/,
    reason: "subqueries in the select list of a statement that Calcite cannot plan",
  },
  {
    message: /Nested SubQuery expressions are not supported/,
    reason: "a subquery in a correlated subquery, which Hive accepts or refuses depending on the rest of the statement",
  },
  {
    message: /Only 1 SubQuery expression is supported/,
    reason: "the same for two subqueries in one condition",
  },
  {
    message: /IndexOutOfBoundsException: Index 0 out of bounds for length 0/,
    reason: "NOT IN with a subquery that contains EXISTS",
  },
  {
    message: /^ParseException line \d+:\d+ missing \) at ','/,
    reason: "a PARTITION BY list that starts with a parenthesis: Hive ends the list at the closing one",
  },
  {
    message: /OutOfMemoryError: Requested array size exceeds VM limit/,
    reason: "lead and lag keep `offset` rows in memory",
  },
  {
    message: /^SemanticException .*\.UDFOPLongDivide\.evaluate.*\/ by zero/,
    reason: "division by zero of literals with div and a NULL operand, which the embedded engine does not evaluate",
  },
  {
    message: /because the return value of .*getWritableConstantValue\(\)" is null/,
    reason: "split by a pattern that is a constant expression with the value NULL",
  },
  {
    message: /type \((decimal\(\d+,\d+\))\) should be equal to argument \d+'s type \(\1\)/,
    reason: "decimal literals in stack, whose types Hive considers different although it prints them alike",
  },
  {
    message: /Error evaluating CAST\( .* AS TIMESTAMP\)$|IdentityConverter cannot be cast to class/,
    reason: "timestamp() of a timestamp, which plans without the optimizer convert once more",
  },
  {
    message: /ExprNodeDesc\.clone\(\)/,
    reason: "FULL JOIN with <=> and a condition on the joined rows, which plans without the optimizer refuse",
  },
  {
    message: /Cannot create timestamp, parsing error/,
    reason: "a condition that compares a timestamp of a Parquet file with a date, which its reader cannot evaluate",
  },
  { message: /cannot be cast to class .*OrcStruct/, reason: "inline over columns of ORC files" },
  { message: /Ambiguous method for class/, reason: "a tinyint or smallint argument that matches several overloads" },
];

/**
 * Messages after which the statement is sent to Hive again with another setting, because the failure comes from Hive's
 * way of running it. The second answer is compared.
 */
export const retries: readonly {
  readonly message: RegExp;
  readonly name: string;
  readonly value: string;
  /** The default of the setting. */
  readonly usual: string;
  readonly reason: string;
}[] = [
  {
    message: /ClassCastException(: class \S*\.lazy\.Lazy|$)/,
    name: "hive.fetch.task.conversion",
    value: "none",
    usual: "more",
    reason: "stack over columns of a text file fails when Hive runs no job",
  },
];

/** Settings of the Hive session, which match the behaviour of the embedded engine. */
export const settings: readonly { readonly name: string; readonly value: string; readonly reason: string }[] = [
  {
    name: "hive.cbo.enable",
    value: "false",
    reason: "the optimizer changes answers, and the embedded engine gives those of the language",
  },
  { name: "hive.local.time.zone", value: "UTC", reason: "the embedded engine's time zone" },
  { name: "hive.strict.checks.cartesian.product", value: "false", reason: "the tables are small" },
  {
    name: "hive.vectorized.execution.enabled",
    value: "false",
    reason: "row mode and vectorized mode must give the same rows",
  },
  { name: "hive.query.timeout.seconds", value: "60s", reason: "a statement that hangs counts as refused" },
  { name: "hive.auto.convert.join", value: "false", reason: "avoids a local task for each join" },
];

/** Statements that are not compared: Hive gets them wrong without its optimizer too. */
const wrongInHive: readonly { readonly statement: RegExp; readonly reason: string }[] = [
  { statement: /\bdistinct\b.*\b(?:rollup|cube|grouping sets)\b/is, reason: "DISTINCT of a key of grouping sets is 0" },
  {
    statement: /\bselect\s+distinct\b.*\bgroup by\b.*\border by\b/is,
    reason: "DISTINCT is ignored beside GROUP BY and ORDER BY",
  },
  { statement: /\bwhere\b.*'nan'/is, reason: "a filter that compares a column with NaN returns no row" },
  {
    statement: /\b(?:sum|avg)\s*\(.*\bover\b.*\b(?:rows|range)\b/is,
    reason: "a sum or an average over a sliding frame is 0 or NaN when only NULLs are left in it",
  },
  {
    statement: /\bas decimal\b[^)]*\)\s*\)?\s*[-+*/%]|[-+*/%]\s*cast\([^)]*\bas decimal\b/is,
    reason:
      "a decimal computed from literals has the digits of its value in some places, and those of its type in others",
  },
  { statement: /\bm\w*\[\s*\w+\s*\]/i, reason: "a column is not found as the key of a map of a text table" },
  {
    statement: /\bon\b.*\b(?:array|named_struct|struct)\(/is,
    reason: "NULL in an array or struct matches nothing as a join key",
  },
  {
    statement: /[<>=]\s*(?:all|any|some)\s*\(\s*select\b/is,
    reason: "ANY and ALL are read as IN; with the optimizer they are what they are here",
  },
  {
    statement: /\bwhere \((?:not true|false)\).*\b(?:grouping sets|rollup|cube)\b/is,
    reason: "without a row to read, the total of all rows is left out where the condition is a literal",
  },
  {
    statement: /\bnot in\s*\(\s*select\b[^()]*\bwhere\b[^()]*\b(\w+)\.\w+ = (?!\1\.)\w+\.\w+/is,
    reason: "a correlated NOT IN returns no row when any row of the subquery is NULL, also of another key",
  },
  {
    statement: /\bexists\b.*\b(?:or|is null|not between|coalesce|if)\b/is,
    reason: "correlated conditions miss rows with NULL",
  },
];

/** An argument of a call, with calls in it. */
const argument = String.raw`(?:[^(),]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*`;

/** Expressions that are not compared, neither alone nor in a statement: Hive gets them wrong without its optimizer too. */
const wrongExpressions: readonly { readonly expression: RegExp; readonly reason: string }[] = [
  {
    expression: /(?:<=>|\bdistinct from\b).*'[^'\d]|'[^'\d][^']*'.*(?:<=>|\bdistinct from\b)/is,
    reason: "<=> is NULL for a text that is no value of the other type; with the optimizer it is false, as here",
  },
  {
    expression:
      /\b(?:sqrt|exp|ln|log\d*|a?(?:sin|cos|tan)h?|degrees|radians)\(.*(?:\bfine\b|decimal\(38,(?:19|[23]\d)\))/is,
    reason: "mathematical functions read 18 digits after the point of a decimal",
  },
  {
    expression: /\bfine\b.*\bas (?:float|double)\b|decimal\(38,(?:19|[23]\d)\).*\bas (?:float|double)\b/is,
    reason: "casts to floats and doubles round a decimal to 18 digits after the point",
  },
  {
    expression: /\bfine\b.*\bas (?:tiny|small|big)?int\b/is,
    reason: "casts to integers round a decimal to 18 digits after the point before they cut it",
  },
  {
    expression: /[-+*/%]\s*\(?cast\((?:true|false) as|cast\((?:true|false) as \w+\)\)?\s*[-+*/%]/is,
    reason: "a decimal beside a number computed from literals has the digits of that number's value, not of its type",
  },
  {
    expression: /\bto_utc_timestamp\([^,]*'0001-01-01/is,
    reason: "the year before the year 1 is printed as 0001",
  },
  {
    expression: /\.9{18}[5-9].*int\b|int\b.*\.9{18}[5-9]/is,
    reason: "casts to integers round a decimal to 18 digits after the point before they cut it",
  },
  {
    expression:
      /\b(?:date|timestamp) '[^']*' not in \(|\bnot in \((?!\s*select\b)(?:[^()]|\([^()]*\))*\b(?:date|timestamp)\b/is,
    reason: "IN is false for a text that is no date, where = is NULL; in a list of literals it is NULL too",
  },
  {
    expression: /\bas (?:(?:tiny|small|big)?int|float|double|decimal(?:\([^)]*\))?)\)\s+not in \(/is,
    reason: "IN is false for a text that is no number, where = is NULL",
  },
  {
    expression: /\b(?:float|double|boolean)\b.*\bwide\b|\bwide\b.*\b(?:float|double|boolean)\b/is,
    reason: "a decimal of more than 20 whole digits is NULL as a float, double or boolean",
  },
  {
    expression: /\b(?:float|double|boolean)\b.*'-?[1-9]\d{20}|'-?[1-9]\d{20}.*\b(?:float|double|boolean)\b/is,
    reason: "a decimal of more than 20 whole digits is NULL as a float, double or boolean",
  },
  {
    expression: new RegExp(String.raw`\bpercentile_approx\(${argument},${argument},`, "is"),
    reason: "with fewer bins than distinct values, percentile_approx estimates, by the order of the rows",
  },
  { expression: /\btrunc\((?!.*'[A-Z])/is, reason: "trunc of a number keeps 64 bits of it" },
];

/** Returns true for an expression that Hive gets wrong. */
export const isWrongExpression = (text: string): boolean =>
  wrongExpressions.some(({ expression }) => expression.test(text));

/** Returns true for a statement that Hive gets wrong. */
export const isWrongInHive = (statement: string): boolean =>
  isWrongExpression(statement) || wrongInHive.some((each) => each.statement.test(statement));

/** Returns true when a list contains a function. */
export function includesFunction(deviations: readonly Deviation[], name: string): boolean {
  return deviations.some((deviation) => deviation.names.includes(name));
}

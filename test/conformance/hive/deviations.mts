/** What is not compared, and what is compared in a form of its own: one reason each. */

interface Deviation {
  /** Of the functions' names. */
  readonly names: readonly string[];
  readonly reason: string;
}

/** Functions whose answers are no function of their arguments. */
export const excluded: readonly Deviation[] = [
  { names: ["rand", "uuid"], reason: "random" },
  {
    names: ["current_date", "current_timestamp", "unix_timestamp"],
    reason: "the time of the query; unix_timestamp is to_unix_timestamp where it has arguments",
  },
  { names: ["current_database", "current_schema"], reason: "the database of the session" },
  { names: ["assert_true"], reason: "fails the query on purpose" },
];

/** Functions that make texts as long as a number says: generated numbers would fill both engines' memory. */
export const sizeBounded: readonly Deviation[] = [
  { names: ["repeat", "space", "lpad", "rpad", "format_number"], reason: "makes a text of the length given" },
  { names: ["lead", "lag"], reason: "keeps as many rows in memory as the offset says" },
];

/** Aggregates whose elements stand in no certain order: compared sorted. */
export const unordered: readonly Deviation[] = [
  { names: ["collect_list", "collect_set"], reason: "elements stand in the order in which rows arrive" },
];

/** What Hive says where it fails on statements that it takes in another form: no disagreement. */
export const hiveFailures: readonly { readonly message: RegExp; readonly reason: string }[] = [
  { message: /Cost Based Optimization/, reason: "INTERSECT and EXCEPT beside what Calcite cannot plan" },
  {
    message: /Error evaluating .*(array_(min|max)|octet_length)\(/,
    reason: "these functions over columns of a text file",
  },
  {
    message: /class \S*\.lazy\.Lazy\w* cannot be cast/,
    reason: "the same in a job, and functions such as stack that take no values as a text file holds them",
  },
  {
    message: /Schema of both sides of union should match: .* of type string on .* type decimal/,
    reason: "Hive 2 took strings beside decimals, as ours does; Hive 4 wants a cast",
  },
  {
    message: /Schema of both sides of union should match: .* of type decimal.* and type string on /,
    reason: "the same with the sides the other way round",
  },
  {
    message: /Unable to execute method .*\.(UDFSubstr|UDFParseUrl)\.|"partToExtract" is null/,
    reason: "numbers at the limits of their types, and parts of an URL that are NULL",
  },
  {
    message: /Unable to execute method .*\.UDFXPath\w+\.evaluate/,
    reason: "a call of literals alone whose path is none, which ours evaluates where there are rows",
  },
  {
    message: /Currently SubQuery expressions are only allowed as Where and Having/,
    reason: "subqueries in the select list beside what Calcite cannot plan",
  },
  {
    message: /Nested SubQuery expressions are not supported/,
    reason: "a subquery within a correlated one, which Hive takes or not by what else is there",
  },
  {
    message: /Only 1 SubQuery expression is supported/,
    reason: "the same of two subqueries side by side",
  },
  {
    message: /IndexOutOfBoundsException: Index 0 out of bounds for length 0/,
    reason: "NOT IN of a subquery that has EXISTS",
  },
  {
    message: /^ParseException line \d+:\d+ missing \) at ','/,
    reason: "PARTITION BY that begins with a parenthesis ends with it",
  },
  {
    message: /OutOfMemoryError: Requested array size exceeds VM limit/,
    reason: "lead and lag keep as many rows in memory as the offset says",
  },
  {
    message: /^SemanticException .*\.UDFOPLongDivide\.evaluate.*\/ by zero/,
    reason: "div by zero of literals beside a NULL, which ours does not evaluate",
  },
  {
    message: /because the return value of .*getWritableConstantValue\(\)" is null/,
    reason: "split by a pattern that functions make NULL of literals alone",
  },
  {
    message: /type \((decimal\(\d+,\d+\))\) should be equal to argument \d+'s type \(\1\)/,
    reason: "decimal literals in stack, whose types Hive holds for two that it prints alike",
  },
  { message: /cannot be cast to class .*OrcStruct/, reason: "inline over columns of ORC files" },
  { message: /Ambiguous method for class/, reason: "a tinyint or smallint that several forms of a function take" },
];

/** Where Hive fails by how it runs a statement, it is asked again with another setting: what it then says is compared. */
export const retries: readonly {
  readonly message: RegExp;
  readonly name: string;
  readonly value: string;
  /** What the setting is otherwise. */
  readonly usual: string;
  readonly reason: string;
}[] = [
  {
    message: /^Error running query$/,
    name: "hive.cbo.enable",
    value: "false",
    usual: "true",
    reason: "an assertion fails within the optimizer, which tells nobody which one",
  },
  {
    message: /ClassCastException(: class \S*\.lazy\.Lazy|$)/,
    name: "hive.fetch.task.conversion",
    value: "none",
    usual: "more",
    reason: "stack over columns of a text file fails where Hive runs no job",
  },
];

/** Settings of the Hive session: ours answers for these. */
export const settings: readonly { readonly name: string; readonly value: string; readonly reason: string }[] = [
  { name: "hive.local.time.zone", value: "UTC", reason: "the embedded engine's zone" },
  { name: "hive.strict.checks.cartesian.product", value: "false", reason: "products are small here" },
  {
    name: "hive.vectorized.execution.enabled",
    value: "false",
    reason: "rows one by one are what both modes must give",
  },
  { name: "hive.query.timeout.seconds", value: "60s", reason: "a statement that hangs is one that Hive refuses" },
  { name: "hive.auto.convert.join", value: "false", reason: "starts no local task for each join" },
];

/** Whether a list names a function. */
export function includesFunction(deviations: readonly Deviation[], name: string): boolean {
  return deviations.some((deviation) => deviation.names.includes(name));
}

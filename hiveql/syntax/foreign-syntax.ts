/** Syntax of other SQL dialects that HiveQL does not have, and what to write instead. */

/** The construct that stands at a syntax error, and the clause that says what to write instead. */
interface Foreign {
  readonly construct: string;
  readonly reason: string;
}

/** A pattern of tokens in lower case between blanks, with `▸` before the token that is not accepted. */
type Rule = readonly [pattern: RegExp, construct: string, reason: string];

/**
 * The first rule that matches counts. Most match no text that another one matches; where two do, the narrower stands
 * first, as `SUBSTRING … FROM` before the comma that stands before FROM.
 */
const rules: readonly Rule[] = [
  [/▸ : :/, "::", "is not in HiveQL: write CAST(value AS type)"],
  [/▸ : [a-z_]/, "parameter", "has no value: write the value instead of its name"],
  [/▸ \?/, "parameter ?", "has no value: write the value"],
  [/(?:ilike ▸|▸ (?:not )?ilike )/, "ILIKE", "is not in HiveQL: write lower(text) LIKE 'pattern in lower case'"],
  [/similar ▸|▸ similar to/, "SIMILAR TO", "is not in HiveQL: write RLIKE with a Java regular expression"],
  [/ top ▸ \d|▸ top \d/, "TOP", "is not in HiveQL: write LIMIT n at the end of the query"],
  [
    / filter \( ▸ where| filter ▸ \( where/,
    "FILTER (WHERE …)",
    "is not in HiveQL: write the condition into the argument, as in sum(CASE WHEN condition THEN x END)",
  ],
  [/(group|order) by ▸ all /, "BY ALL", "is not in HiveQL: write the columns, or their expressions"],
  [
    / \* (?:except|exclude|replace|rename) \( ▸| \* ▸ (?:except|exclude|replace|rename) /,
    "* EXCEPT",
    "is not in HiveQL: write the columns that you want",
  ],
  [/ offset ▸ \d/, "OFFSET", "stands without LIMIT: write LIMIT n OFFSET m"],
  [/▸ fetch (?:first|next)/, "FETCH", "is not in HiveQL: write LIMIT n"],
  [
    / range (?:between )?▸ interval /,
    "RANGE with an interval",
    "is not in HiveQL: order by datediff(date, '1970-01-01') or unix_timestamp(time), and write the offset as a number of days or seconds",
  ],
  [
    / interval '[^ ]*(?: [a-z]+)?' ▸|interval ▸ '/,
    "INTERVAL",
    "needs its unit behind the text: write INTERVAL '1' DAY",
  ],
  [/ as (?:var)?char ▸ \)/, "VARCHAR", "needs a length, as in varchar(20): write string for texts of any length"],
  [
    / (?:try_cast|safe_cast) \( .* ▸ as /,
    "TRY_CAST",
    "is not in HiveQL: write CAST(x AS type), which is NULL for a text that is no value of the type",
  ],
  [/ convert \( [a-z]+(?: \( \d+ \))? ▸| ▸ convert \(/, "CONVERT", "is not in HiveQL: write CAST(x AS type)"],
  [/ extract \( ▸ epoch /, "EXTRACT(EPOCH …)", "is not in HiveQL: write unix_timestamp(time)"],
  [
    / extract \( ▸ (?:dow|isodow|doy) /,
    "EXTRACT",
    "does not have this field: write dayofweek(date) or date_format(date, 'D')",
  ],
  [
    / as ▸ (?:array|map|struct|uniontype) </,
    "CAST",
    "to arrays, maps and structs is not supported by the embedded engine: cast their elements",
  ],
  [
    / \) as [a-z_]\w* (?:▸ \(|\( ▸)/,
    "column names of a subquery",
    "are not in HiveQL: write them as aliases in its SELECT, or write TABLE(VALUES …) AS t(a, b)",
  ],
  [/ \/ \* ▸|\/ ▸ \*/, "/*", "is a comment without an end: write */ behind it"],
  [/▸ \[/, "[", "starts no array in HiveQL: write array(…)"],
  [/▸ \{/, "{", "starts no map in HiveQL: write map(key, value, …) or named_struct('name', value, …)"],
  [/▸ natural |natural ▸ join/, "NATURAL JOIN", "is not in HiveQL: write JOIN … USING (column, …)"],
  [
    /distinct ▸ on \(|distinct on ▸ \(/,
    "DISTINCT ON",
    "is not in HiveQL: number the rows with row_number() OVER (PARTITION BY … ORDER BY …) in a subquery, and keep number 1",
  ],
  [/ (?:all|any|some) \( ▸/, "ALL or ANY of values", "needs a subquery: write IN (…) or NOT IN (…) for values"],
  [
    / lateral ▸ \(|▸ lateral \(/,
    "LATERAL",
    "is not followed by a subquery in HiveQL: write LATERAL VIEW explode(…), or join the subquery",
  ],
  [
    /▸ lateral view/,
    "LATERAL VIEW",
    "stands directly behind a table or subquery of FROM, and before WHERE: write a join before it as a subquery",
  ],
  [/ position \( [^ ]+ (?:in )?▸|▸ position \(/, "POSITION", "is not in HiveQL: write instr(text, part)"],
  [/ (?:substring|substr) \( [^▸]*▸ from /, "SUBSTRING … FROM", "is not in HiveQL: write substr(text, start, length)"],
  [
    / trim \( (?:▸ )?(?:both|leading|trailing)/,
    "TRIM … FROM",
    "is not in HiveQL: write trim(text), ltrim(text) or rtrim(text)",
  ],
  [
    / (?:n|e|r|b|x|u) ▸ '|▸ (?:n|e|r|b|x|u) '/,
    "letter before a text",
    "is not in HiveQL: write the text alone; backslashes are escapes in it",
  ],
  [/ with ▸ \( nolock/, "WITH (NOLOCK)", "is not in HiveQL: remove it"],
  [
    /▸ (?:un)?pivot |(?:un)?pivot ▸ \(/,
    "PIVOT",
    "is not in HiveQL: write sum(CASE WHEN k = 'a' THEN x END) AS a for each column, or LATERAL VIEW stack(…) for UNPIVOT",
  ],
  [/▸ into [a-z`]/, "INTO", "is not in a SELECT of HiveQL: leave it out; the place of the rows is outputResourcePath"],
  [/, ▸ (?:from|where|group|order|\))/, "comma", "stands before no column: remove it"],
  [
    /▸ -> |▸ - > | - ▸ >|-> ▸|- > ▸/,
    "->",
    "is not in HiveQL: write get_json_object(text, '$.key') for JSON, and explode for functions over elements",
  ],
  [
    /▸ at time zone| at ▸ time zone/,
    "AT TIME ZONE",
    "is not in HiveQL: write from_utc_timestamp(time, zone) or to_utc_timestamp(time, zone)",
  ],
  [/ & & ▸|& ▸ &/, "&&", "is not in HiveQL: write AND"],
  [/▸ (?:a|de)scending /, "sort order", "is not in HiveQL: write ASC or DESC"],
  [/ over ▸ (?:partition|order) /, "OVER", "needs parentheses: write OVER (PARTITION BY … ORDER BY …)"],
  [/ select [^(▸]*, ▸ distinct /, "DISTINCT", "stands once, directly behind SELECT, and holds for all columns"],
  [
    / with [a-z_]\w* (?:as ▸|\( ▸|▸ \() (?:select|from) /,
    "WITH",
    "is written WITH name AS (SELECT …): AS and the parentheses are needed",
  ],
  [
    / with recursive ▸/,
    "WITH RECURSIVE",
    "is not in HiveQL: write each step as a join, and combine them with UNION ALL",
  ],
  [/▸ (?:left|right) \(/, "LEFT or RIGHT", "is no function of HiveQL: write substr(text, 1, n) or substr(text, -n)"],
  [/ as ▸ '/, "alias", "is a name and no text: write it in backticks"],
  [/▸ =>/, "=>", "is not in HiveQL: write the arguments in their order"],
  [/▸ isnull\b|▸ notnull\b/, "ISNULL", "is not an operator of HiveQL: write x IS NULL"],
  [/▸ asof | asof ▸/, "ASOF JOIN", "is not in HiveQL: join with a condition, and number the rows with row_number()"],
];

/** Types of other dialects, by Hive's. */
const foreignTypes: Readonly<Record<string, string>> = {
  string: "text str nvarchar varchar2 clob uuid json time",
  binary: "bytes blob bytea",
  "decimal(p,s)": "number",
  boolean: "bool bit",
  tinyint: "byte",
  smallint: "short int2",
  int: "int4",
  bigint: "long int8 int64 signed unsigned",
  float: "float4",
  double: "float8 float64",
  timestamp: "datetime timestamptz",
};
const types = new Map(Object.entries(foreignTypes).flatMap(([own, all]) => all.split(" ").map((type) => [type, own])));

/**
 * Returns what stands at a syntax error when it is syntax of another dialect, or a keyword in the place of a name.
 * @param before the texts of the tokens before the one that is not accepted.
 * @param after the texts of that token and those behind it.
 * @param keywords for each of these, true when it is a keyword.
 */
export function foreignSyntax(
  before: readonly string[],
  after: readonly string[],
  keywords: readonly boolean[] = [],
): Foreign | undefined {
  const text = ` ${[...before.slice(-12), "▸", ...after.slice(0, 4)].join(" ")} `.toLowerCase();
  const found = rules.find(([pattern]) => pattern.test(text));
  if (found) return { construct: found[1], reason: found[2] };
  const [last = "", word = ""] = [before.at(-1), after[0]].map((each) => each?.toLowerCase() ?? "");
  const isCast = last === "as" && before.slice(-12).some((each) => /^cast$/i.test(each));
  const own = types.get(word);
  if (isCast && own !== undefined) return { construct: `type ${word}`, reason: `is not in HiveQL: write ${own}` };
  if ((last === "as" || last === ".") && !isCast && /^[a-z]+$/.test(word)) return keyword(after[0]);
  if (word === "." && /^[a-z]+$/i.test(after[1] ?? "")) return keyword(after[1]);
  // The grammar expects a text after the first ones, as in DATE '2026-01-01', and nothing but names after the others.
  if (
    /^(?:date|timestamp)$/.test(last) &&
    /^(?:[,)=<>!+-]|<>|[<>]=|from|as|is|in|between|and|or|asc|desc|)$/.test(word)
  )
    return keyword(before.at(-1));
  const isName = (at: number) => keywords[at] === true && followsValue.test(after[at + 1]?.toLowerCase() ?? "");
  const isColumn = (at: number) => isName(at) && !noName.test(after[at] ?? "");
  if (after[1] === "." && isName(2)) return keyword(after[2]);
  if (after[1] === "." && keywords[0] === true && !noName.test(word)) return keyword(after[0]);
  if (beginsValue.test(last) && isColumn(0)) return keyword(after[0]);
  return word === "(" && isColumn(1) ? keyword(after[1]) : undefined;
}

const beginsValue = /^(?:select|distinct|where|having|and|or|not|on|by|when|then|else|[,(=<>+*/-])$/;
const followsValue = /^(?:[,.)=<>!+*/-]|<>|[<>]=|from|as|is|in|like|between|and|or|asc|desc|then|end|)$/;
/** Keywords that are values, or stand in the place of one that was forgotten. */
const noName =
  /^(?:from|where|group|having|order|limit|union|on|and|or|as|in|is|like|between|then|else|end|asc|desc|distinct|all|null|true|false)$/i;

/** Tells that a word is a keyword in the place of a name. */
const keyword = (word = ""): Foreign => ({
  construct: `"${word}"`,
  reason: `is a keyword of HiveQL: write \`${word.toLowerCase()}\` to use it as a name`,
});

/** Returns Hive's type for the name of another dialect's. */
export const typeInHive = (name: string): string | undefined => types.get(name.toLowerCase());

/**
 * The HiveQL constructs that the embedded engine supports, and its differences from other engines, for docs/hiveql.md.
 * Functions are declared in hiveql/functions.
 */

export interface Construct {
  readonly name: string;
  /** `partly` when some forms of the construct are refused. */
  readonly support: "yes" | "partly" | "no";
  /** Restrictions and differences; empty when there are none. */
  readonly note: string;
}

const yes = (name: string, note = ""): Construct => ({ name, support: "yes", note });
const partly = (name: string, note: string): Construct => ({ name, support: "partly", note });
const no = (name: string, note = ""): Construct => ({ name, support: "no", note });

/** The constructs by part of the statement. */
export const constructs: Readonly<Record<string, readonly Construct[]>> = {
  Statements: [
    yes("SELECT", "one statement per query; a semicolon at its end is allowed, as in Hive's clients"),
    yes("FROM … SELECT", "the form that begins with FROM"),
    yes("WITH", "a table can be used before its definition, as in Hive"),
    no("recursive WITH", "Hive does not support it either"),
    no("INSERT, CREATE and all other statements", "the service writes the result itself: submit the SELECT alone"),
    yes(
      "`SET name=value;` before the SELECT",
      "settings of families that change no answer, such as `hive.auto.convert.*`, are taken with any name and value, and others that the translator knows, with the values that it supports; the rest is refused by name",
    ),
    no("variables such as `${hiveconf:day}`", "Hive's command line replaces them: write the value"),
    no("SELECT TRANSFORM, MAP, REDUCE", "they run scripts on the server, which the embedded engine does not allow"),
  ],
  FROM: [
    yes(
      "JOIN, LEFT, RIGHT and FULL OUTER JOIN, CROSS JOIN, comma",
      "ON can contain any condition; a subquery in ON of a LEFT or RIGHT JOIN must read columns of the side that can be NULL and of no other, and FULL JOIN can have none there; in a subquery, neither ON of an outer join nor a side of FULL JOIN can read the outer query: compare in WHERE",
    ),
    no("NATURAL JOIN", "Hive reads NATURAL as an alias, and joins all rows: write USING"),
    partly(
      "LEFT SEMI JOIN",
      "OR in ON can read at most two columns of the right side, because Hive 4 fails on more, and a subquery in ON must read columns of one of the two sides: write WHERE EXISTS (…) instead; in a subquery, neither ON nor a side can read the outer query: compare in WHERE",
    ),
    no("LEFT ANTI JOIN", "Hive does not support it either: write WHERE NOT EXISTS (…) instead"),
    yes(
      "USING",
      "`*` lists each USING column once, and first if no join follows, from the right side for RIGHT JOIN and from the left side otherwise; elsewhere, qualify it with its table, as in Hive 4",
    ),
    yes("subqueries, TABLE(VALUES …)"),
    yes(
      "views",
      "of the service's config; each is read as a subquery, without TABLESAMPLE; a name in it without a database is in `default`",
    ),
    yes(
      "partition columns",
      "last in `*`; conditions on them limit the objects that are opened; the folder `__HIVE_DEFAULT_PARTITION__` is NULL, also in a string column, where Hive 4 answers this text",
    ),
    yes("`INPUT__FILE__NAME`", "the location of the row's object, such as `dag://data/events/dt=2026-01-01/a.csv`"),
    no(
      "`BLOCK__OFFSET__INSIDE__FILE` and the other virtual columns",
      "a position in an object is no key: write one of the data",
    ),
    yes(
      "LATERAL VIEW [OUTER]",
      "cannot be an operand of a join, as in Hive. Every condition holds. Hive 4.0.1 drops one that reads both columns of the view and columns of its input; the log of the query names such a condition",
    ),
    partly(
      "TABLESAMPLE",
      "n ROWS, and BUCKET x OUT OF y ON a column, with the hash of Hive 3 and later; n PERCENT and byte sizes are refused",
    ),
    partly("table functions", "those that return their input"),
    no("UNIQUEJOIN, FOR SYSTEM_TIME, metadata tables"),
    yes("hints", "ignored: they do not change the result"),
  ],
  "Select list": [
    yes(
      "*, t.*, aliases",
      "columns without a name are `_c0`, `_c1`, … by position; a name that begins with `_` is written in backticks, as in Hive",
    ),
    yes("DISTINCT"),
    partly(
      "regular expressions over columns",
      "when `hive.support.quoted.identifiers` is `none`; the pattern cannot contain backslashes",
    ),
    yes("a table-generating function as the only expression"),
  ],
  Groups: [
    yes(
      "GROUP BY, HAVING",
      "HAVING can use the aliases that the select list gives to keys and aggregates; `GROUP BY ()` has no effect",
    ),
    partly("GROUP BY 1", "1 is a constant unless `hive.groupby.position.alias` is true"),
    yes("GROUPING SETS, CUBE, ROLLUP, WITH CUBE, WITH ROLLUP", "each key reads a column, and stands once"),
    yes(
      "grouping__id",
      "as since Hive 2.3: a bit is 1 when the key is aggregated away; in ORDER BY, use the alias of a selected column, as in Hive",
    ),
  ],
  Order: [
    yes(
      "ORDER BY",
      "by columns, aliases, positions and expressions; NULLs are last in ascending and first in descending order, as in Hive 4",
    ),
    yes(
      "SORT BY, DISTRIBUTE BY, CLUSTER BY",
      "the embedded engine works as one reducer; keys read columns of the select list; in a subquery without LIMIT, only CLUSTER BY sorts, as in Hive 4: ORDER BY and SORT BY do not, and the log says so",
    ),
    yes("LIMIT, LIMIT m, n, OFFSET", "the order of rows with equal sort keys is undefined, as in Hive"),
  ],
  "Set operators": [
    yes(
      "UNION [ALL], INTERSECT [ALL], EXCEPT [ALL], MINUS",
      "all have the same precedence and are evaluated from left to right. Both sides are converted to a common type. A number and a string need a CAST, as in Hive 4, except a decimal and a string, which become string as in Hive 2 and 3",
    ),
  ],
  Expressions: [
    yes("+ - * / % div & | ^ ~ ||"),
    yes("= == <> != <=> < <= > >= IS [NOT] DISTINCT FROM"),
    yes("AND, OR, NOT, !"),
    yes("IS [NOT] NULL, TRUE, FALSE, UNKNOWN"),
    yes("[NOT] IN, BETWEEN, LIKE, LIKE ANY, LIKE ALL"),
    yes(
      "RLIKE, REGEXP",
      "Java regular expressions; the flags u, U, x and d, `\\R`, `\\k`, octal and control escapes, and classes that have a class or an intersection (`&&`) inside are refused, and so are patterns whose result in Java is accidental, such as the repetition of an empty match",
    ),
    partly("CASE, CAST", "CAST … FORMAT is refused: write date_format or unix_timestamp with a Java pattern"),
    yes("subqueries in IN, EXISTS, comparisons, and as values; correlated ones too"),
    yes("array[n], map[key], struct.field", "a field of an array of structs is the array of the fields"),
    partly(
      "intervals",
      "year-month and day-time intervals; they can be added to and subtracted from dates and timestamps, and compared; an int on the right of a date is a number of days",
    ),
    no("timestamp with local time zone, union types"),
  ],
  Windows: [
    yes("OVER, WINDOW, PARTITION BY, DISTRIBUTE BY, ORDER BY, SORT BY"),
    yes("ROWS frames"),
    partly(
      "RANGE frames",
      "with offsets over one integer, decimal or date (in days); order by unix_timestamp(time) for seconds",
    ),
    yes("IGNORE NULLS, QUALIFY"),
  ],
  Functions: [
    yes("[the functions listed here](hiveql/functions.md)", "an argument can be NULL, but not each as a literal"),
  ],
};

/** Behaviour that users of other engines may not expect; one or more sentences per entry. */
export const semantics: readonly string[] = [
  "A string and a number are compared and computed as double, where the comparison or the operator takes both (some are refused, see below); a string that is not a number is NULL.",
  "`/` returns a decimal if one operand is a decimal and the other a decimal or an integer, and else a double; `div` needs integers and returns a bigint.",
  "Division by zero with `/` is NULL; `div` by zero fails the query, as in Hive.",
  "IN compares the list items of each type separately, and ignores literals that are not values of the column's type, as Hive does: `n NOT IN (1, 'x')` is true when n is the int 2. A text such as `' 5 '` or `'NaN'` is none, though `=` reads it. When no literal is left, IN is false, for NULL too.",
  "Comparison operators refuse a bigint beside a string or double, and a decimal beside a string, unless `hive.strict.checks.type.safety` is false or `hive.mapred.mode` is nonstrict. BETWEEN, IN, CASE and equalities of ON that join two sides are not checked, but the log warns where a bigint is compared with a text there: beyond 15 digits, other numbers can be equal.",
  "A boolean compared with a text, such as `paid = 'true'`, is refused: Hive 4 answers NULL for every row. So is a date compared with a number.",
  "`NaN` equals itself and is greater than all other numbers; −0.0 equals 0.0, also as a key of groups, joins and windows.",
  "A char is compared without its trailing spaces and printed with them; an expression that makes a char is refused.",
  "Set operators convert a decimal and an integer to the type of the decimal: an integer that does not fit is NULL, and a literal that does not is refused.",
  "Integers wrap around when they overflow; a decimal that does not fit is NULL. A sum of decimals that exceeds 38 digits, on its way or at its end, fails the query or is NULL; Hive rounds it or returns NULL.",
  "A literal such as `1.5` is a decimal and `1e0` is a double; the suffixes of `1L`, `1S`, `1Y`, `1BD` and `1D` set the type to bigint, smallint, tinyint, decimal and double.",
  "Hive's result sometimes depends on whether it runs vectorized. Here, the text `12-` is not a double, as without vectorized execution; a text of a column or an expression with spaces around an integer is no integer, so that `cast(s AS int)` of ` 5` is NULL (write `cast(trim(s) AS int)`), `substr` counts a character above U+FFFF once, and `trunc(3.3D, 2)` is 3.3 and not 3.29, as with vectorized execution.",
  "CAST of text that cannot be parsed as a number, date or timestamp is NULL, and a literal that is no calendar date is refused; to boolean, `false`, `no`, `off`, `0` and the empty text are false, in upper and lower case, and any other is true, as in Hive; `cast('1.5' as int)` is 1.",
  "CAST of a double beyond the range of int or bigint is the nearest int or bigint, and 0 for `NaN`; tinyint and smallint keep the last bits of the int.",
  "Numbers cannot be cast to timestamps, nor timestamps to numbers, because Hive 4 prohibits it.",
  "A product of decimals with more than 38 digits, without trailing zeros, is NULL.",
  "Rounding is half up, away from zero; `bround` and `format_number` round half to even.",
  "Doubles and floats print as in Java before version 19: `1.0E7`, `1.0E-4`, `NaN`, `Infinity`, and sometimes with a digit more or less than the shortest text: the float 262.953125 is `262.95312`.",
  "Arrays, maps and structs print as JSON, with decimals without trailing zeros; as in Hive, binary values and keys that are no strings have no quotes, and NaN stays.",
  "Timestamps have microseconds: a value with more fractional digits fails the query, so that no digits are lost; only those of an int 96, or of nanoseconds adjusted to UTC, in Parquet are cut off.",
  "The local time zone is UTC; `SET hive.local.time.zone=Europe/Paris;`, or Hive's `SET TIME ZONE 'Europe/Paris';`, before the SELECT sets another one, by the name of its region or an offset such as `GMT+8`.",
  "Strings can be written in double quotes; a backslash escapes; two adjacent strings are concatenated.",
  "`std`, `stddev` and `variance` are those of the population.",
  "`hash` is Java's hash code, of values that are no arrays, maps or structs.",
  "RANGE with an offset measures the distance of decimals by its integer part. A bound beyond the current row (`n FOLLOWING` as the start, `n PRECEDING` as the end) excludes rows at exactly that offset. A NULL key fails the query where Hive gives it a frame of its own: when the frame begins after the row, and with NULLs first also when it ends before or after it; write NULLS LAST, or leave these rows out.",
  "Rows with equal double or float keys share their RANGE frame, as in Hive with `hive.vectorized.execution.ptf.enabled=false`; with true, Hive 4 gives each of them its own frame.",
  "`-0.0` equals `0.0`, and as a key of ORDER BY or of a window it may be printed as `0.0`.",
  "A number literal beside a float column is a float in `=`, `<>`, `<`, `<=`, `>`, `>=` and IN, so that `f = 0.1` finds 0.1. In BETWEEN, one with a `D` is a double.",
  "Functions whose result depends on how Hive distributes rows are refused: samples by size, and `rand` with a seed.",
  "`percentile_approx` interpolates between all distinct values, whatever the number of bins; with more distinct values than bins (10000 by default), Hive estimates, and its estimate depends on the order of the rows and on its tasks.",
  "Doubles are added in the order of the rows of one object; of several objects, or row groups of Parquet, in the order in which threads have read them. So the last digits of a sum may differ from run to run: sum decimals, as in `sum(cast(x AS decimal(38,10)))`, where they must not. The last digits of their sums and averages, above all over sliding frames, and of variances, correlations and regressions may differ from Hive's. Logarithms, `exp`, powers, roots and trigonometric functions have exactly Hive's digits, so that `log2(536870912)` is 29.000000000000004.",
];

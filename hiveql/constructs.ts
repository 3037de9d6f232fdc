/** What of HiveQL the embedded engine takes, for the documentation; functions are declared in `functions/`. */

export interface Construct {
  readonly name: string;
  /** `yes`, or what of it is refused. */
  readonly support: "yes" | "partly" | "no";
  readonly note: string;
}

const yes = (name: string, note = ""): Construct => ({ name, support: "yes", note });
const partly = (name: string, note: string): Construct => ({ name, support: "partly", note });
const no = (name: string, note = ""): Construct => ({ name, support: "no", note });

/** Constructs by the part of a statement that they belong to. */
export const constructs: Readonly<Record<string, readonly Construct[]>> = {
  Statements: [
    yes("SELECT", "one a query; a semicolon at its end is taken, as Hive's clients take it: Hive itself takes none"),
    yes("FROM … SELECT", "the form that begins with FROM"),
    yes("WITH", "names may be used before they are defined, as in Hive"),
    no("recursive WITH", "Hive has none either"),
    no("INSERT, CREATE and all other statements", "the service writes the result itself"),
    no("SELECT TRANSFORM, MAP, REDUCE", "they run scripts, which a cluster of type hive does"),
  ],
  FROM: [
    yes("JOIN, LEFT, RIGHT and FULL OUTER JOIN, CROSS JOIN, comma", "any condition may stand in ON"),
    partly(
      "LEFT SEMI JOIN",
      "OR in its ON reads at most two columns of the right side, since Hive 4 itself fails on more: EXISTS says the same",
    ),
    no("LEFT ANTI JOIN", "Hive has none: NOT EXISTS says the same"),
    yes(
      "USING",
      "`*` has its columns once and first: those of the right side of RIGHT JOIN, and of the left side of others; elsewhere they need the name of their table, as in Hive 4",
    ),
    yes("subqueries, TABLE(VALUES …)"),
    partly(
      "LATERAL VIEW [OUTER]",
      "not beside a join, which Hive refuses; without OUTER no condition may read both what the view makes and the rows it is made for, in its query or in those around it: Hive 4.0.1 forgets such a condition unless `hive.optimize.ppd` is false",
    ),
    partly(
      "TABLESAMPLE",
      "n ROWS, and BUCKET x OUT OF y ON expressions with the buckets of Hive 3 and later; Hive on Tez refuses n PERCENT and sizes too",
    ),
    partly("table functions", "noop and its kin only"),
    no("UNIQUEJOIN, FOR SYSTEM_TIME, metadata tables"),
    yes("hints", "they change no answer"),
  ],
  "Select list": [
    yes("*, t.*, aliases", "columns without a name are `_c0`, `_c1`, … by their position"),
    partly("DISTINCT", "not with GROUP BY and ORDER BY, where Hive 4 forgets it: sort in a query around it"),
    partly(
      "regular expressions over columns",
      "where `hive.support.quoted.identifiers` is `none`; without backslashes",
    ),
    yes("a table-generating function by itself"),
  ],
  Groups: [
    yes("GROUP BY, HAVING", "HAVING also knows the names that the select list gives to keys and aggregates"),
    partly("GROUP BY 1", "is a constant unless `hive.groupby.position.alias` is true"),
    yes("GROUPING SETS, CUBE, ROLLUP, WITH CUBE, WITH ROLLUP"),
    yes(
      "grouping__id, grouping(…)",
      "as since Hive 2.3: a bit is 1 where the key is aggregated away; in ORDER BY by the alias of a column, as in Hive",
    ),
  ],
  Order: [
    yes(
      "ORDER BY",
      "by columns, aliases, positions and expressions; NULL is last in ascending and first in descending order, as in Hive 4",
    ),
    yes("SORT BY, DISTRIBUTE BY, CLUSTER BY", "the embedded engine is one reducer; keys are of the select list"),
    yes("LIMIT, LIMIT m, n, OFFSET", "rows that are equal in all sort keys stand in no certain order, as in Hive"),
  ],
  "Set operators": [
    yes(
      "UNION [ALL], INTERSECT [ALL], EXCEPT [ALL], MINUS",
      "all of one precedence, from left to right; columns take a type common to both sides: a number beside a text needs a CAST, as in Hive 4, save decimals beside strings, which Hive 2 and 3 took",
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
      "Java's regular expressions; refused are the flags u, U, x and d, and what Java itself does by chance, such as repetitions of what matches nothing",
    ),
    yes("CASE, CAST, CAST … FORMAT"),
    partly(
      "subqueries in IN, EXISTS, comparisons, and as values; correlated ones too",
      "no correlated condition that may be true where a column of the query around it is NULL, such as `a.x IS NULL OR a.x = b.x`: Hive finds no row then; no IN of a subquery behind a correlated one that AND joins it with, which Hive 4 compares wrongly: write the IN first",
    ),
    yes("array[n], map[key], struct.field"),
    partly("intervals", "in months and in days to seconds; added to dates and times, compared, subtracted"),
    no("timestamp with local time zone, union types"),
  ],
  Windows: [
    yes("OVER, WINDOW, PARTITION BY, DISTRIBUTE BY, ORDER BY, SORT BY"),
    yes("ROWS frames"),
    partly(
      "RANGE frames",
      "with offsets over one number, date (in days) or timestamp (in seconds; not up to the current row)",
    ),
    yes("IGNORE NULLS, QUALIFY"),
    yes(
      "lag and lead inside of another function, as in sum(x - lag(x)) OVER (…)",
      "along the rows of that function's window, which is sorted and whose frame does not end at the last row",
    ),
  ],
  Functions: [
    yes("those listed below", "every argument and every value of a text column may be NULL"),
    no("reflect, reflect2, java_method, in_file", "they run code and read files of the server"),
    no("current_user, logged_in_user, current_groups, surrogate_key", "they tell of the server's session"),
    partly(
      "xpath and its kin",
      "of XML 1.0 without a document type; refused are prefixes, variables, axes such as following, and what Java evaluates otherwise than XPath 1.0 says",
    ),
    no(
      "compute_stats, approx_distinct, ds_… sketches, bloom filters, st_… geometry",
      "they depend on how sketches and shapes are held",
    ),
  ],
};

/** What users of other engines may not expect; one sentence a line. */
export const semantics: readonly string[] = [
  "A string beside a number is compared and computed as double; a string that is no number is NULL there.",
  "`/` gives a double, or a decimal beside decimals; `div` gives a bigint and takes whole numbers only.",
  "A division by zero is NULL; `div` by zero fails the query, as in Hive.",
  "IS NULL and COALESCE ask of `/`, of decimals of 38 digits and of comparisons whether an operand is NULL, as Hive's optimizer does: `coalesce(a / b, 0)` is NULL where b is 0, and `nvl(a / b, 0)` is 0.",
  "BETWEEN is NULL where the lower bound is, NOT BETWEEN where either is, whatever the other bound says; so are `x >= a AND x <= b` and `x < a OR x > b`, of which Hive's optimizer makes BETWEEN.",
  "OR of equalities with literals over the same columns, such as `(a = 1 AND b = 2) OR (a = 3 AND b = 4)`, and `(a, b) IN ((1, 2), (3, 4))`, are FALSE and not NULL where a column is NULL, as Hive's optimizer makes IN of structs of them.",
  "An array or struct that rows are joined by, or that IN looks for in a subquery, fails the query where it holds NULL: Hive finds no partner for it, though `=` elsewhere takes it for equal to itself.",
  "IN compares values of different types apart, and leaves out literals that are no value of the column's type: `n NOT IN (1, 'x')` is true where n is the int 2.",
  "GROUPING SETS, CUBE and ROLLUP show a key that conditions pin to a constant in their totals too, as Hive's optimizer does: with `WHERE day = '2024-01-01'` the total's day is that day. Where no row is there and conditions of one column may contradict each other, as `k = 1 AND k = 2`, the query fails: Hive then has no total. DISTINCT in an aggregate reads a key that is aggregated away as NULL.",
  "What is said here of Hive's optimizer does not hold for statements that Hive 4 plans without it: where HAVING names an alias of the select list that is no key's own name, and beside LATERAL VIEW OUTER, TABLESAMPLE, DISTRIBUTE BY, CLUSTER BY, `count(DISTINCT a, b)`, noop and `hive.cbo.enable=false`. There `coalesce(a / b, 0)` is 0 where b is 0, BETWEEN is SQL's, variances are computed row by row, and CAST reads the text.",
  "`NaN` equals itself and is greater than all other numbers, as in Hive where it does not run vectorized; in arrays no NaN is another. As a key of a map, and in ORDER BY of a window's RANGE frame, it fails the query.",
  "`-0.0` equals `0.0`, but is none of several literals in IN, as in Hive. A group, DISTINCT or UNION that holds both, and `-0.0` as a key of a join, in INTERSECT or EXCEPT, or in what IN asks of a subquery, fail the query: Hive takes them for two values where it runs vectorized, and for one where it does not. So do both in ORDER BY of `rank` and of RANGE frames, and `-0.0` in arrays and structs that are keys. ORDER BY has `-0.0` before `0.0`; where LIMIT cuts rows off among these, it is open which. In PARTITION BY they are one value. Of both, min and max show the one that came first; `array_distinct` and `collect_set` keep both of floats, and the first of doubles.",
  "A date beyond the year 9999, or a timestamp outside of the years 1 to 9999, fails the query in groups, aggregates and windows, and in the result wherever Hive runs a job: it makes NULL or another year of it; so does such a timestamp as a string.",
  "A bigint is not compared with a string or double, nor a decimal with a string, unless `hive.strict.checks.type.safety` is false.",
  "UNION and its kin give decimals and whole numbers the type of the decimal: what does not fit it is NULL.",
  "Whole numbers wrap when they overflow; decimals that do not fit are NULL. A sum of decimals that exceeds 38 digits on its way fails the query, where Hive rounds or has NULL.",
  "A literal such as `1.5` is a decimal, `1e0` is a double, `1L`, `1S`, `1Y`, `1BD` and `1D` say their type.",
  "Hive disagrees with itself in places, by whether it runs vectorized: here, as without that, the text `12-` is no double; as with it, a computed text with blanks around a whole number is none, and `substr` counts characters beyond U+FFFF once.",
  "CAST of text that cannot be read is NULL; `cast('1.5' as int)` is 1.",
  "CAST of a text that CAST made of a number or char, in the same query or in a subquery that Hive merges with it, reads the number or char, as Hive's optimizer does: `cast(cast(x as string) as double)` of the float 0.1 is 0.10000000149011612.",
  "Numbers to timestamps and timestamps to numbers are not cast, as Hive 4 prohibits it.",
  "A product of decimals whose exact digits are more than 38, zeros at their end aside, is NULL.",
  "A decimal with more than 20 digits before the point, or more than 18 behind it, fails the query where it becomes a number of another type and the further digits tell: Hive leaves them out where it does not run vectorized.",
  "A literal that is cast to a decimal has in sums with columns, and in arrays, maps and structs, the digits of its value, as Hive's folding has it: `x + cast(2 as decimal(20,10))` has the digits of x behind the point. Beside columns a quotient of literals that does not come out even, and a CAST of a number literal that loses digits, are refused but in some sums: Hive keeps the further digits in places, so write `x * 1.0 / 3` for `x * (1.0 / 3)`.",
  "Rounding is half up, away from zero.",
  "Doubles and floats print as Java does before its version 19: `1.0E7`, `1.0E-4`, `NaN`, `Infinity`, and in places with a digit more or less than the shortest text: the float 262.953125 is `262.95312`.",
  "Arrays, maps and structs print as JSON text, with decimals without zeros at their end. Where Hive runs a job, as for groups, order, joins, windows and set operators, an array or struct of one NULL is NULL in the result and `array('')` is `[]`: so Hive reads what the job has written.",
  "A char is compared without the spaces at its end and printed with them; one that `upper`, `lower`, `concat` or `||` made is printed without them where Hive needs no job: where no groups, order, joins, windows, set operators or subqueries in expressions stand. Where CASE and its like choose between both there, and in arrays and structs, it is refused. So is what makes another text of a char column that a condition pins to a literal, as in `SELECT concat(c, d) … WHERE c = 'a'`: Hive keeps the spaces of some. `=` and IN between a char that CAST or a subquery makes and a shorter literal are refused: Hive finds the literal in no row.",
  "Timestamps hold microseconds: a value with finer digits fails the query rather than lose them.",
  "The local time zone is UTC.",
  "Strings may stand in double quotes; a backslash escapes; two strings side by side are one.",
  "`std`, `stddev` and `variance` are those of the population.",
  "`hash` is Java's.",
  "RANGE with an offset measures decimals by the whole part of their distance; a bound beyond the current row leaves rows at that very offset out; rows whose key is NULL have Hive's frames.",
  "An average of doubles or whole numbers over sliding ROWS fails the query where NULL alone is left in a frame: it is NaN or NULL in Hive, by how it runs.",
  "Rows whose keys are equal doubles or floats share their RANGE frames, as in Hive with hive.vectorized.execution.ptf.enabled=false; with it Hive 4 counts each of them alone.",
  "What depends on how Hive shares rows out is refused: samples by size, seeded `rand`, histograms of more values than bins.",
  "`percentile_approx` is the same in any order of the rows while there are no more distinct values than its accuracy says (10000 unless told); beyond that it estimates as Hive does of rows that it reads in one piece, and of more pieces Hive's estimate may be another.",
  "Doubles are added up in the order of the rows; the last digits of their sums and averages, over sliding frames above all, and of variances, correlations and regressions may be others than Hive's. Logarithms, `exp`, powers, roots and functions of angles have Hive's own digits, so that `log2(536870912)` is 29.000000000000004.",
];

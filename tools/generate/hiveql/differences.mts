/** Where Hive 4.0.1 answers otherwise than its language says, for docs/hiveql.md. */

/** An example with both answers. */
interface Difference {
  readonly title: string;
  readonly example: string;
  /** The answer of the embedded engine. */
  readonly here: string;
  readonly hive: string;
}

export const differences: readonly Difference[] = [
  {
    title: "WHERE across LATERAL VIEW",
    example:
      "`… LATERAL VIEW posexplode(xs) a AS i, x LATERAL VIEW posexplode(ys) b AS j, y WHERE a.i = b.j` with columns of both views",
    here: "the rows that meet the condition; the log of the query names it",
    hive: "all pairs: it drops a condition on columns of a view and of its input",
  },
  {
    title: "IS NULL of arithmetic and comparisons",
    example: "`x / 0 IS NULL`",
    here: "true",
    hive: "false: it tests the operands",
  },
  { title: "COALESCE of arithmetic", example: "`coalesce(x / 0, -1)`", here: "-1.0", hive: "NULL" },
  {
    title: "BETWEEN with a NULL bound",
    example: "`30 BETWEEN a AND 3` with a NULL in `a`",
    here: "false",
    hive: "NULL, also for `30 >= a AND 30 <= 3` and the like",
  },
  {
    title: "BETWEEN with a text and another bound",
    example: "`day BETWEEN date_sub('2026-01-08', 7) AND '2026-01-08'` of the string `2026-01-08 10:00:00`",
    here: "false: each bound is compared in its own type",
    hive: "true: both are compared as dates",
  },
  {
    title: "OR of equalities with NULL",
    example: "`(a = 1 AND b = 2) OR (a = 3 AND b = 4)` with `a` 1 and `b` NULL",
    here: "NULL",
    hive: "false: it makes IN of structs of it",
  },
  {
    title: "IN of several columns with NULL",
    example: "`(a, b) NOT IN ((1, 2), (3, 4))` with `a` 1 and `b` NULL",
    here: "true: a row that contains NULL equals nothing",
    hive: "NULL: it compares the columns one by one",
  },
  {
    title: "Keys of GROUPING SETS that WHERE fixes",
    example: "`SELECT k, count(*) FROM t WHERE k = 'a' GROUP BY k WITH ROLLUP`",
    here: "NULL in the grand total row",
    hive: "`a` in the grand total row",
  },
  {
    title: "Grand total over no rows",
    example: "`SELECT k, count(*) FROM t WHERE 1 = 2 GROUP BY k WITH ROLLUP`",
    here: "one row: NULL and 0",
    hive: "no row, when it finds before reading rows that no row can meet the conditions",
  },
  {
    title: "IN after a correlated subquery",
    example: "`WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.a = p.id) AND p.id IN (SELECT n FROM v)`",
    here: "the rows that meet both conditions",
    hive: "other rows: it compares `p.id` with a column of the first subquery",
  },
  {
    title: "Times that Hive does not read",
    example:
      "`hour(t)` and `cast(t AS timestamp)` of `2026-01-08T13:05:09Z`, `2026-01-08T13:05:09+09:00`, `2026-01-08 13:05`",
    here: "13:05:09 and 13:05:00; a zone is not read, as in `2026-01-08 13:05:09Z`. NULL where the time is wrong, as in `1:05 PM`",
    hive: "00:00:00 of the day",
  },
  {
    title: "CAST of a CAST to text",
    example: "`cast(cast(x AS string) AS double)` of the float 1.4",
    here: "1.4",
    hive: "1.399999976158142: it removes the inner CAST",
  },
  {
    title: "Chars that WHERE fixes",
    example: "`SELECT cast(c AS string) FROM t WHERE c = 'Bob'` with a char(4)",
    here: "`Bob`",
    hive: "`Bob ` with the spaces that pad it",
  },
  {
    title: "Averages of integers that overflow",
    example: "`avg(x)` of two bigints 9223372036854775807",
    here: "9.223372036854776E18",
    hive: "-1.0: it divides their bigint sum, which wraps",
  },
  {
    title: "Variances of large numbers",
    example: "`var_pop(x)` of 9000000001 and 9000000002",
    here: "0.25",
    hive: "0.0: it subtracts sums of squares, which loses digits",
  },
  {
    title: "Columns as keys of map columns",
    example: "`SELECT m[k] FROM t`",
    here: "the value of the key",
    hive: "NULL for a table of text files: it looks the unread bytes up",
  },
  {
    title: "Correlated conditions that hold for NULL",
    example: "`WHERE EXISTS (SELECT 1 FROM v WHERE v.x = p.x OR p.y IS NULL)`",
    here: "the rows that meet the condition",
    hive: "fewer rows: those with a NULL `y` are missing",
  },
  {
    title: "DISTINCT of a key of GROUPING SETS",
    example: "`SELECT k, count(DISTINCT k) FROM t GROUP BY k WITH ROLLUP`",
    here: "the number of keys in the grand total row",
    hive: "0 in the grand total row",
  },
  {
    title: "DISTINCT with GROUP BY and ORDER BY",
    example: "`SELECT DISTINCT count(*) FROM t GROUP BY k ORDER BY 1`",
    here: "each count once",
    hive: "equal counts several times",
  },
  {
    title: "Filters with NaN",
    example: "`WHERE x = cast('NaN' AS double)`",
    here: "the rows whose `x` is NaN",
    hive: "no row",
  },
  {
    title: "Times without a date",
    example: "`cast('10:11' AS timestamp)`, `to_date('10:11')`",
    here: "NULL",
    hive: "a timestamp of the current day; as a date, NULL or that day",
  },
  { title: "`sha2` of 1 bit", example: "`sha2('ABC', 1)`", here: "NULL", hive: "SHA-1" },
  { title: "−0.0 as a literal", example: "`SELECT -0.0D`", here: "-0.0", hive: "0.0" },
  {
    title: "−0.0 and NaN as keys",
    example: "`SELECT x, count(*) FROM t GROUP BY x` with 0.0 and −0.0",
    here: "one group",
    hive: "two groups with vectorized execution",
  },
  {
    title: "Decimals computed from literals",
    example: "`x + cast(2 AS decimal(20,10))` of the decimal(10,2) 1.00",
    here: "3.0000000000, as the types say",
    hive: "3.00: it drops digits that the value does not need",
  },
  {
    title: "Decimals of more than 20 whole digits as other numbers",
    example: "`cast(d AS double)` of 100000000000000000000",
    here: "1.0E20",
    hive: "NULL without vectorized execution",
  },
  {
    title: "Decimal literals that fit no int",
    example: "`cast(3000000000.5 AS int)`",
    here: "NULL",
    hive: "a wrapped number beside some expressions",
  },
  {
    title: "Frames in which only NULLs are left",
    example: "`avg(x) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`",
    here: "NULL",
    hive: "NaN, and 0 for sums over RANGE",
  },
  {
    title: "Numbers cut by trunc",
    example: "`trunc(x)` of 100000000000000000000",
    here: "100000000000000000000",
    hive: "7766279631452241920: it keeps 64 bits",
  },
  {
    title: "More than 18 digits after the point in sqrt, exp, sin and the like",
    example: "`sqrt(x)` of the decimal 0.0000000000000000005",
    here: "7.071067811865476E-10",
    hive: "1.0E-9: it rounds the decimal to 18 digits",
  },
  {
    title: "More than 18 digits after the point in CAST to integers",
    example: "`cast(x AS int)` of the decimal 0.9999999999999999999",
    here: "0",
    hive: "1: it rounds the decimal to 18 digits",
  },
  {
    title: "Regular expressions and characters beyond U+FFFF",
    example: "`regexp_replace('😀', 'a*', '-')`",
    here: "`-😀-`: no match is inside of a character",
    hive: "it cuts the character in half: `-?-?-`",
  },
  {
    title: "Years beyond 9999",
    example: "`SELECT max(d) FROM t` of the date +10000-01-01",
    here: "that date",
    hive: "NULL or another date",
  },
  {
    title: "Arrays and structs of one NULL or empty text",
    example: "`SELECT array(x) FROM t ORDER BY id` with a NULL in `x`",
    here: "`[null]`",
    hive: "NULL, and `[]` for `array('')`",
  },
  {
    title: "Arrays with NULL as join keys",
    example: "`ON l.a = r.a` of `array(NULL)` on both sides",
    here: "a match",
    hive: "no match",
  },
];

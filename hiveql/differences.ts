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
];

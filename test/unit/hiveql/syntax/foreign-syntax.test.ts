import { expect, test } from "vitest";
import { refusal } from "./refusal";

test.each([
  ["select a::int from t", "1:9 ::: is not in HiveQL: write CAST(value AS type)"],
  ["select a from t where a ilike 'x%'", "1:25 ILIKE: is not in HiveQL: write lower(text) LIKE"],
  ["select a from t where a not ilike 'x%'", "1:29 ILIKE: is not in HiveQL: write lower(text) LIKE"],
  ["select top 3 a from t", "1:12 TOP: is not in HiveQL: write LIMIT n"],
  ["select count(*) filter (where a > 1) from t", "1:25 FILTER (WHERE …): is not in HiveQL: write the condition into"],
  ["select a, count(*) from t group by all", "1:36 BY ALL: is not in HiveQL: write the columns"],
  ["select * except (a) from t", "1:18 * EXCEPT: is not in HiveQL: write the columns that you want"],
  ["select a from t offset 1", "1:24 OFFSET: stands without LIMIT: write LIMIT n OFFSET m"],
  ["select a from t fetch first 3 rows only", "1:17 FETCH: is not in HiveQL: write LIMIT n"],
  ["select cast(a as varchar) from t", "1:25 VARCHAR: needs a length, as in varchar(20): write string"],
  ["select cast(a as text) from t", "1:18 type text: is not in HiveQL: write string"],
  ["select try_cast(a as int) from t", "1:19 TRY_CAST: is not in HiveQL: write CAST(x AS type)"],
  ["select extract(epoch from a) from t", "1:16 EXTRACT(EPOCH …): is not in HiveQL: write unix_timestamp"],
  ["select cast(x as array<int>) from t", "1:18 CAST: to arrays, maps and structs is not supported"],
  ["select * from (values (1, 'a')) as t(x, y)", "column names of a subquery: are not in HiveQL"],
  ["select * from (select 1) as t(x)", "column names of a subquery: are not in HiveQL"],
  ["select [1, 2]", "1:8 [: starts no array in HiveQL: write array(…)"],
  ["select {'a': 1}", "1:8 {: starts no map in HiveQL: write map("],
  ["with recursive x as (select 1 a) select a from x", "1:16 WITH RECURSIVE: is not in HiveQL: write each step"],
  ["select left(a, 1) from t", "1:8 LEFT or RIGHT: is no function of HiveQL: write substr(text, 1, n)"],
  ["select a as 'b' from t", "1:13 alias: is a name and no text: write it in backticks"],
  ["select a from t x natural join u", "1:19 NATURAL JOIN: is not in HiveQL: write JOIN … USING"],
  ["select distinct on (a) a from t", "1:17 DISTINCT ON: is not in HiveQL: number the rows"],
  ["select substring(a from 2) from t", "1:20 SUBSTRING … FROM: is not in HiveQL: write substr("],
  ["select a from t where a = :a", "1:27 parameter: has no value"],
  ["select a, from t", "1:11 comma: stands before no column: remove it"],
  ["select a into b from t", "1:10 INTO: is not in a SELECT of HiveQL: leave it out"],
  ["select a at time zone 'UTC' from t", "AT TIME ZONE: is not in HiveQL: write from_utc_timestamp"],
  ["select count(*) as date from t", '1:20 "date": is a keyword of HiveQL: write `date`'],
  ["select t.timestamp from t", '"timestamp": is a keyword of HiveQL: write `timestamp`'],
  ["select date, count(*) from t group by date", '"date": is a keyword of HiveQL: write `date`'],
  ["select id from t where timestamp > '2026-01-01'", '"timestamp": is a keyword of HiveQL: write `timestamp`'],
  ["select id from t order by date desc", '"date": is a keyword of HiveQL: write `date`'],
  ["select user, id from t", '"user": is a keyword of HiveQL: write `user`'],
  ["select id from t group by user", '"user": is a keyword of HiveQL: write `user`'],
  ["select application.id from t", '1:8 "application": is a keyword of HiveQL: write `application`'],
  ["select year(from_unixtime(time)) from t", '"time": is a keyword of HiveQL: write `time`'],
  ["select t.order from t", '"order": is a keyword of HiveQL: write `order`'],
  ["select id, start from t", '1:12 "start": is a keyword of HiveQL: write `start`'],
  ["select id from t where exchange = 'x'", '1:24 "exchange": is a keyword of HiveQL: write `exchange`'],
  [
    "select a.id, w from a join b on a.id = b.id lateral view explode(b.xs) v as w",
    "1:45 LATERAL VIEW: stands directly behind a table or subquery of FROM",
  ],
  ["select a from t where a = 1 && b = 2", "1:32 &&: is not in HiveQL: write AND"],
  ["select a from t order by a descending", "1:28 sort order: is not in HiveQL: write ASC or DESC"],
  ["select sum(a) over partition by b from t", "1:20 OVER: needs parentheses"],
  ["select distinct a, distinct b from t", "1:20 DISTINCT: stands once, directly behind SELECT"],
  ["with x as select a from t select * from x", "1:11 WITH: is written WITH name AS (SELECT …)"],
  ["with x (select a from t) select * from x", "1:9 WITH: is written WITH name AS (SELECT …)"],
  ["select w from a where id = 1 lateral view explode(xs) v as w", "1:30 LATERAL VIEW: stands directly behind"],
])("parse: says of %s what to write in HiveQL", (statement, message) => {
  expect(refusal(statement)).toContain(message);
});

test.each([
  ["select a from t where", "1:22 end of statement: is not expected here: the statement is incomplete"],
  ["select case when a then 1 from t", "1:27 \"from\": is not expected here; expected 'ELSE', 'END', 'WHEN'"],
  ["select a from out.t", '1:15 "out": is a keyword of HiveQL: write `out` to use it as a name'],
  ["select a from db.out", '1:18 "out": is a keyword of HiveQL: write `out` to use it as a name'],
  ["select a from t where b = and c = 2", "is not expected here"],
  ["select case when then 1 end from t", '1:18 "then": is not expected here'],
])("parse: guesses no dialect for %s", (statement, message) => {
  expect(refusal(statement)).toContain(message);
});

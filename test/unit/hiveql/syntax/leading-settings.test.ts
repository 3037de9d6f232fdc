import { describe, expect, test } from "vitest";
import { translate } from "../../../../hiveql/index";
import { checkStatement } from "../../../../hiveql/syntax";
import { catalog, refusal } from "../answers";

describe("settings before a statement", () => {
  test("take effect, and leave the positions of errors as they are", () => {
    const statement =
      "-- nightly\nSET hive.exec.dynamic.partition.mode=nonstrict;\nset hiveconf:hive.mapred.mode = nonstrict ;\n\n";
    expect(() => translate(`${statement}select 1 from visits where n = person`, catalog)).not.toThrow();
    expect(refusal(`${statement}select nope from visits`)).toMatchObject({ line: 5, column: 8 });
    expect(refusal("select 1 from visits where n = person")).toMatchObject({ construct: "=" });
  });

  test.each([
    "hive.ignore.mapjoin.hint=false",
    "hive.hadoop.supports.splittable.combineinputformat=true",
    "hive.intermediate.compression.codec=org.apache.hadoop.io.compress.SnappyCodec",
    "hive.convert.join.bucket.mapjoin.tez=true",
    "hive.default.fileformat=orc",
    "mapreduce.map.java.opts='-Xmx3680m'",
    "spark.executor.cores=1",
    "fs.trash.interval=0",
  ])("of how Hive runs a statement are taken: %s", (setting) => {
    expect(() => translate(`set ${setting};\nselect 1`, catalog)).not.toThrow();
  });

  test.each([
    "mapred.job.name='x;y'",
    'mapred.job.name = "a; b\'s" ',
    "mapred.job.name='it\\'s;'",
    "mapred.job.name=bob's report",
    "mapred.job.name='bob",
  ])("with quotes in their value are taken: %s", (setting) => {
    expect(refusal(`set ${setting};set hive.foo='z'; select 'nope'`)).toMatchObject({
      construct: "setting hive.foo='z'",
      column: setting.length + 6,
    });
  });

  test.each([
    [
      "set time zone 'Mars';\nselect 1",
      "1:1 setting hive.local.time.zone=Mars: names no time zone: write a region such as",
    ],
    [
      "set Time  Zone Mars; select 1",
      "1:1 setting hive.local.time.zone=Mars: names no time zone: write a region such as",
    ],
    ["set hive.local.time.zone=Mars/Base; select 1", "1:1 setting hive.local.time.zone=Mars/Base: names no time zone"],
    ["set hive.compat=0.10;\nselect 1", "1:1 setting hive.compat=0.10: may change the answer"],
    ["set mapred.reduce.tasks=1;\n  set my.own=2; select 1", "2:3 setting my.own=2: is not known as a setting of Hive"],
    [
      "set hive.remove.orderby.in.subquery=false; select 1",
      "1:1 setting hive.remove.orderby.in.subquery=false: may change the answer",
    ],
    [
      "set hive.exec.default.partition.name=x; select 1",
      "1:1 setting hive.exec.default.partition.name=x: may change the answer",
    ],
    ["set hive.foo=2; select 1", "1:1 setting hive.foo=2: is not known and may change the answer: leave it out"],
    ["set a=${day}; select 1", "1:1 SET a: has a variable as its value"],
    ["set hive.exec.parallel=true;\n add  jar /a.jar; select 1", "2:2 ADD JAR: is a command of Hive's client"],
    ["-- first\nreset; select 1", "2:1 RESET: is a command of Hive's client and not part of a query: leave it out"],
    ["!ls; select 1", "1:1 !LS: is a command"],
    ["use shop; select 1", "1:1 USE: stands before another statement"],
    ["create temporary function f as 'a.B'; select f(1)", "1:1 CREATE: stands before another statement"],
    ["set hive.cbo.enable; select 1", "1:1 SET hive.cbo.enable: has no value"],
    ["set hivevar:day=1; select 1", "1:1 SET hivevar:day: defines a variable"],
  ])("refused with its name and place: %s", (statement, message) => {
    expect(refusal(statement).message).toContain(message);
  });

  test("a word that begins like SET, and a SET behind the statement, are no settings", () => {
    expect(refusal("setx a=1; select 1").problem).toBe("syntax");
    expect(refusal("select 1; set a=1;").construct).toBe("second statement");
  });
});

describe("variables", () => {
  test.each([
    ["select ${hiveconf:day}", "1:8 variable ${hiveconf:day}: is not replaced"],
    ["select id from people\nwhere name = '${day}'", "2:14 variable ${day}: is not replaced"],
    ["select id from ${db}.people", "1:16 variable ${db}: is not replaced"],
    [
      "select regexp_replace(name, '(?<x>b)', '${x}') from people",
      "a group of a regular expression by its number, as $1",
    ],
  ])("refused with their name and place: %s", (statement, message) => {
    expect(checkStatement(statement).error?.message).toContain(message);
  });

  test("are none in a comment", () => {
    expect(() => translate("select 1 -- for ${day}", catalog)).not.toThrow();
  });
});

describe("statements around a SELECT", () => {
  test.each([
    "insert overwrite directory '/tmp/x' select 1",
    "insert into table t select 1",
    "from people insert overwrite table t select id",
    "create table t as select 1",
    "create view v as select 1",
  ])("refused with what to submit: %s", (statement) => {
    expect(checkStatement(statement).error?.message).toContain(
      "submit the SELECT alone; the place of its rows is outputResourcePath",
    );
  });

  test("other statements have another remedy", () => {
    expect(checkStatement("drop table t").error?.message).toContain("only SELECT statements can be submitted");
  });
});

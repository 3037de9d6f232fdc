import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError } from "../../../../hiveql/index";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

test("from_utc_timestamp, to_utc_timestamp: accept zones from columns", async () => {
  const rows = `(select stack(5, timestamp '2020-07-01 12:00:00', 'Europe/Paris', timestamp '2020-10-25 02:30:00', 'Europe/Paris',
    timestamp '2020-03-29 02:30:00', 'Europe/Paris', timestamp '2020-07-01 12:00:00.5', 'GMT+5:30',
    timestamp '2020-07-01 12:00:00', cast(null as string)) as (t, z)) x`;
  expect(await answers.answer(`select from_utc_timestamp(t, z), to_utc_timestamp(t, z) from ${rows}`)).toEqual([
    "2020-07-01 14:00:00|2020-07-01 10:00:00",
    "2020-10-25 03:30:00|2020-10-25 00:30:00",
    "2020-03-29 04:30:00|2020-03-29 01:30:00",
    "2020-07-01 17:30:00.5|2020-07-01 06:30:00.5",
    "NULL|NULL",
  ]);
  await expect(
    answers.answer("select from_utc_timestamp('2020-01-01', z) from (select 'europe/paris' z) t"),
  ).rejects.toThrow("unknown time zone europe/paris");
});

test("from_utc_timestamp, to_utc_timestamp: read doubles and decimals as seconds", async () => {
  const rows = `(select stack(4, 1693526400123, 1.5D, cast(-0.001 as decimal(20,3)), -5L, -1.25D, cast(99999999999 as decimal(20,3)),
    0L, double('NaN'), cast(0 as decimal(20,3)), cast(null as bigint), 1e19D, cast(null as decimal(20,3))) as (b, d, e)) x`;
  const calls = "from_utc_timestamp(b / 1000, 'GMT+8'), to_utc_timestamp(d, 'GMT+8'), from_utc_timestamp(e, 'UTC')";
  expect(await answers.answer(`select ${calls} from ${rows}`)).toEqual([
    "2023-09-01 08:00:00.123|1969-12-31 16:00:01.5|1969-12-31 23:59:59.999",
    "1970-01-01 07:59:59.995|1969-12-31 15:59:58.75|5138-11-16 09:46:39",
    "1970-01-01 08:00:00|NULL|1970-01-01 00:00:00",
    "NULL|NULL|NULL",
  ]);
  await expect(answers.answer("select from_utc_timestamp(1583798400.1234567D, 'UTC')")).rejects.toThrow(
    "a timestamp finer than microseconds is not supported",
  );
});

describe("from_utc_timestamp: refuses zones that Hive reads as UTC, with the zone to write", () => {
  test.each([
    ["+05:30", "which Hive reads as UTC: write GMT+05:30"],
    ["UTC-8", "which Hive reads as UTC: write GMT-8"],
    ["europe/paris", "unknown time zone europe/paris: use a region such as Europe/Paris, or an offset such as GMT+8"],
  ])("%s", async (zone, reason) => {
    await expect(answers.answer(`select from_utc_timestamp('2020-01-01', '${zone}')`)).rejects.toThrow(reason);
    const ofColumn = `select from_utc_timestamp('2020-01-01', z) from (select '${zone}' z) t`;
    await expect(answers.answer(ofColumn)).rejects.toThrow(reason);
  });
});

describe("fields: of dates, times, texts and intervals", () => {
  test.each([
    ["year('2020-02-29')", "2020"],
    ["year(timestamp '1969-12-31 23:59:59')", "1969"],
    ["year('0000-05-05')", "1"],
    ["year('-0001-05-05')", "2"],
    ["extract(year from date_sub('0001-01-01', 1))", "1"],
    ["month(date_sub('0001-01-01', 1))", "12"],
    ["year(interval '-5-3' year to month)", "-5"],
    ["month(interval '-5-3' year to month)", "-3"],
    ["day(interval '-5 10:11:12' day to second)", "-5"],
    ["quarter(date '2020-05-17')", "2"],
    ["month('2020-12-31abc')", "12"],
    ["dayofmonth('2020-1-5')", "5"],
    ["hour('2020-01-05 22:03:09')", "22"],
    ["hour(date '2020-01-05')", "0"],
    ["minute(timestamp '1969-12-31 23:59:59.5')", "59"],
    ["second(timestamp '1969-12-31 23:59:59.5')", "59"],
    ["weekofyear('2021-01-01')", "53"],
    ["weekofyear(date '2020-12-31')", "53"],
    ["dayofweek('2020-01-05')", "1"],
    ["dayofweek(null)", "NULL"],
    ["extract(week from date '2020-01-05')", "1"],
    ["extract(quarter from '2020-05-17')", "2"],
    ["extract(dayofweek from date '2023-01-01')", "1"],
    ["extract (DAYOFWEEK from '2023-01-07 10:00:00')", "7"],
    ["extract(hour from interval '5 10:11:12' day to second)", "10"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("days: addition and difference", () => {
  test.each([
    ["to_date(concat('2020-02-','30'))", "NULL"],
    ["date_add(concat('2020-02-','30Z'), 1)", "NULL"],
    ["date_sub('2024-01-05 Europe/Berlin', 400)", "2022-12-01"],
    ["date_add('12:34:56', 1)", "NULL"],
    ["to_date('2020-02-29 10:11:12')", "2020-02-29"],
    ["to_date('abc')", "NULL"],
    ["date('2020-1-5')", "2020-01-05"],
    ["datediff('2020-03-01','2020-02-01 23:59:59')", "29"],
    ["datediff(timestamp '1969-12-31 23:00:00', date '1970-01-02')", "-2"],
    ["date_add('2020-02-28',2)", "2020-03-01"],
    ["date_add(timestamp '2020-02-28 23:00:00',1Y)", "2020-02-29"],
    ["date_sub(date '2020-03-01',1S)", "2020-02-29"],
    ["date_add('x',1)", "NULL"],
    ["last_day('2020-02-05')", "2020-02-29"],
    ["last_day(timestamp '2021-02-05 23:00:00')", "2021-02-28"],
    ["last_day('9999-12-05')", "9999-12-31"],
    ["next_day('2020-01-01','mon')", "2020-01-06"],
    ["next_day('2020-01-06','MONDAY')", "2020-01-13"],
    ["next_day('2020-01-01','Xx')", "NULL"],
    ["next_day('9999-12-31','WE')", "+10000-01-05"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("months: the last day of a month stays the last day", () => {
  test.each([
    ["add_months('2020-01-31',1)", "2020-02-29"],
    ["add_months('2020-02-29',12)", "2021-02-28"],
    ["add_months('2020-02-29',-1)", "2020-01-31"],
    ["add_months('2020-01-30 10:11:12.5',1,'yyyy-MM-dd HH:mm:ss.SSS')", "2020-02-29 10:11:12.500"],
    ["add_months(timestamp '2020-01-05 00:00:00',null)", "NULL"],
    ["months_between('2020-03-31','2020-02-29')", "1.0"],
    ["months_between('2020-03-30','2020-02-29')", "1.03225806"],
    ["months_between('2020-03-31 10:00:00','2020-02-29')", "1.0"],
    ["months_between('2020-03-30 00:00:01','2020-02-29')", "1.03225844"],
    ["months_between('2020-03-30 00:00:01','2020-02-29',false)", "1.0322584378733572"],
    ["months_between('2020-01-01 00:00:01','2020-01-02 00:00:00')", "-0.03225769"],
    ["add_months('2019-12-31',12,'YYYY-MM-dd')", "2021-12-31"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("nested date functions: the generated SQL stays small", () => {
  test.each([
    ["last_day(add_months('2023-01-31', 1))", "2023-02-28"],
    ["add_months('2020-01-30 10:11:12.5',1,'yyyy-MM-dd HH:mm:ss.SSS')", "2020-02-29 10:11:12.500"],
    ["trunc(add_months('2023-01-31', 1), 'MM')", "2023-02-01"],
    ["date_sub(add_months(trunc(add_months('2024-03-31', -1), 'MM'), 1), 1)", "2024-02-29"],
    ["months_between(trunc('2024-03-15', 'MM'), trunc('2023-12-31', 'MM'))", "3.0"],
    ["next_day(last_day(add_months(next_day('2024-01-30', 'MO'), 1)), 'FR')", "2024-04-05"],
    ["date_format(add_months(last_day(add_months('2024-01-31', 1)), 12), 'yyyy-MM')", "2025-02"],
    ["last_day(add_months(cast(null as string), 1))", "NULL"],
    ["weekofyear(date_add(trunc(last_day(add_months('2024-11-30', 1)), 'YY'), 400))", "6"],
  ])("%s", async (expression, expected) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([expected]);
  });

  test("aggregates, windows and subqueries as arguments", async () => {
    const statement = `select team, last_day(add_months(max(joined), 1)),
        date_format(add_months(max(max(joined)) over (), (select 1)), 'yyyy-MM')
      from people group by team order by team`;
    expect(await answers.answer(statement)).toEqual([
      "blue|2022-01-31|2022-01",
      "red|2020-03-31|2022-01",
      "NULL|2019-08-31|2022-01",
    ]);
  });
});

describe("trunc: dates by unit", () => {
  test.each([
    ["trunc('2020-05-17','MM')", "2020-05-01"],
    ["trunc('2020-05-17','mm')", "NULL"],
    ["trunc(date '2020-05-17','Q')", "2020-04-01"],
    ["trunc(timestamp '2020-05-17 10:00:00','YEAR')", "2020-01-01"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("time zones: an ambiguous local time is the earlier moment", () => {
  test.each([
    ["from_utc_timestamp('2020-03-08 06:30:00','America/New_York')", "2020-03-08 01:30:00"],
    ["from_utc_timestamp('2020-03-08 07:30:00','GMT+8')", "2020-03-08 15:30:00"],
    ["from_utc_timestamp('2020-03-08 07:30:00','EST')", "2020-03-08 02:30:00"],
    ["to_utc_timestamp('2019-07-31 10:00:00','EST5EDT')", "2019-07-31 14:00:00"],
    ["to_utc_timestamp('2019-01-01 00:00:00','PST8PDT')", "2019-01-01 08:00:00"],
    ["from_utc_timestamp('2019-07-31 10:00:00','CST6CDT')", "2019-07-31 05:00:00"],
    ["from_utc_timestamp('2020-07-01 12:00:00','Etc/GMT+8')", "2020-07-01 04:00:00"],
    ["from_utc_timestamp('2020-07-01 12:00:00','Japan')", "2020-07-01 21:00:00"],
    ["to_utc_timestamp('2020-07-01 12:00:00','America/Argentina/Buenos_Aires')", "2020-07-01 15:00:00"],
    ["from_utc_timestamp(null,'UTC')", "NULL"],
    ["from_utc_timestamp('2020-01-01',null)", "NULL"],
    ["to_utc_timestamp('2020-03-08 02:30:00','America/New_York')", "2020-03-08 07:30:00"],
    ["to_utc_timestamp('2020-11-01 01:30:00','America/New_York')", "2020-11-01 05:30:00"],
    ["to_utc_timestamp('2020-04-05 01:45:00','Australia/Lord_Howe')", "2020-04-04 14:45:00"],
    ["to_utc_timestamp('1800-11-01 01:30:00','America/New_York')", "1800-11-01 06:26:02"],
    ["to_utc_timestamp('2018-02-17 23:30:00','America/Sao_Paulo')", "2018-02-18 01:30:00"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refused: what Hive refuses, and what would give another answer than Hive", () => {
  test.each([
    "year(5)",
    "date_add('2020-01-01',1L)",
    "date_add(null,1)",
    "datediff(null,'2020-01-01')",
    "from_unixtime('1')",
    "from_unixtime(0,null)",
    "date_format(5,'yyyy')",
    "date_format('2020-01-05','VV')",
    "date_format('2020-01-05','[yyyy]-MM')",
    "date_format('2020-01-05','yyyy b')",
    "date_format('2020-01-05',p) from (select 'yyyy' p) t",
    "unix_timestamp('2020-01-05 am','yyyy-MM-dd a')",
    "unix_timestamp('2020-01-05 10:30','yyyy-MM-dd HH:ss')",
    "from_utc_timestamp('2020-01-01','xyz')",
    "trunc('2020-05-17',null)",
  ])("%s", async (expression) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(HiveQLError);
  });
});

describe("current time: is the same in the whole statement, in UTC", () => {
  test("current_date, current_timestamp and unix_timestamp agree", async () => {
    const before = Math.floor(Date.now() / 1000);
    const [row = ""] = await answers.answer("select current_date, current_timestamp, unix_timestamp()");
    const [date, time, seconds] = row.split("|");
    expect(Number(seconds)).toBeGreaterThanOrEqual(before);
    expect(Number(seconds)).toBeLessThanOrEqual(Date.now() / 1000);
    expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    expect(time?.slice(0, 10)).toBe(date);
    expect(Math.floor(Date.parse(`${time?.replace(" ", "T")}Z`) / 1000)).toBe(Number(seconds));
  });
});

describe("hive.local.time.zone: applies where Hive uses it", () => {
  test.each([
    ["from_unixtime(0)", "1969-12-31 19:00:00"],
    ["unix_timestamp('2020-07-01 00:00:00')", "1593576000"],
    ["unix_timestamp('20200701','yyyyMMdd')", "1593576000"],
    ["unix_timestamp(date '2020-01-01')", "1577854800"],
    ["unix_timestamp('2020-11-01 01:30:00')", "1604208600"],
    ["date_format('2020-03-08 02:30:00','HH:mm')", "03:30"],
    ["from_utc_timestamp('2020-07-01 00:00:00','UTC')", "2020-07-01 00:00:00"],
  ])("%s is %s in New York", async (expression, value) => {
    const settings = { "hive.local.time.zone": "America/New_York" };
    expect(await answers.answer(`select ${expression}`, { settings })).toEqual([value]);
  });

  // As java.time of Java 17 prints the same moments.
  test.each([
    [
      "Asia/Tokyo",
      "date_format(timestamp '2024-02-29 10:00:00','Z X XX XXX x xx xxx')",
      "+0900 +09 +0900 +09:00 +09 +0900 +09:00",
    ],
    ["Asia/Kolkata", "date_format('2024-01-01','Z X XX XXX x xx xxx')", "+0530 +0530 +0530 +05:30 +0530 +0530 +05:30"],
    ["America/St_Johns", "date_format('2024-01-01','HH:mm Z X xxx')", "00:00 -0330 -0330 -03:30"],
    ["Europe/London", "date_format('2024-01-01','Z X XX XXX x xx xxx')", "+0000 Z Z Z +00 +0000 +00:00"],
    ["Europe/Paris", "date_format('1900-01-01','HH:mm X')", "00:00 +0009"],
    ["Africa/Monrovia", "date_format('1960-01-01','HH:mm x XXX')", "00:00 -0044 -00:44"],
    ["America/New_York", "date_format('2020-03-08 02:30:00','HH:mmZ')", "03:30-0400"],
    ["America/New_York", "date_format('2020-11-01 01:30:00','HH:mmXXX')", "01:30-04:00"],
    ["America/New_York", "date_format('2020-11-01 02:00:00','HH:mmXXX')", "02:00-05:00"],
    ["America/New_York", "from_unixtime(1604208600,'HH:mmXXX')", "01:30-04:00"],
    ["America/New_York", "from_unixtime(1604212200,'HH:mmXXX')", "01:30-05:00"],
    ["America/New_York", "from_unixtime(cast(null as bigint),'X')", "NULL"],
    ["GMT+8", "from_unixtime(0,'HH:mm XXX')", "08:00 +08:00"],
    ["-03:30", "from_unixtime(0,'HH:mm XXX')", "20:30 -03:30"],
    ["Etc/GMT-8", "unix_timestamp('1970-01-01 08:00:00')", "0"],
    [
      "America/New_York",
      "max(date_format(add_months(concat(joined, ' 12:00:00'), id), 'yyyy-MM-dd x')) from people",
      "2022-03-31 -04",
    ],
  ])("in %s, %s has the offset of the moment", async (zone, expression, value) => {
    expect(await answers.answer(`set time zone '${zone}'; select ${expression}`)).toEqual([value]);
  });

  test("the name of the zone is refused with what to write", async () => {
    const statement = "set hive.local.time.zone=Asia/Tokyo; select date_format('2020-07-01','HH z')";
    await expect(answers.answer(statement)).rejects.toThrow(
      "has z with the time zone Asia/Tokyo (write Z for its offset) at character 4 of its pattern",
    );
    expect(await answers.answer("set time zone local; select date_format('2020-07-01','z')")).toEqual(["UTC"]);
  });

  test.each(["date_format('2020-07-01','ZZZZ')", "unix_timestamp('2020-01-05 10 +01','yyyy-MM-dd HH X')"])(
    "%s is refused there",
    async (expression) => {
      const settings = { "hive.local.time.zone": "America/New_York" };
      await expect(answers.answer(`select ${expression}`, { settings })).rejects.toThrow(HiveQLError);
    },
  );
});

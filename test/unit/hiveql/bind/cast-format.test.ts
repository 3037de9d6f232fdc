import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HiveQLError, translate } from "../../../../hiveql/index";
import { catalog, openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("CAST … FORMAT: formats and parses with SQL:2016 patterns", () => {
  test.each([
    [
      "cast(timestamp '2019-01-02 15:04:05.123456' as string format 'yyyy-mm-dd hh24:mi:ss.ff')",
      "2019-01-02 15:04:05.123456",
    ],
    ["cast(timestamp '2019-01-02 15:04:05.12' as string format 'YYY yy Y RRRR RR')", "019 19 9 2019 19"],
    ["cast(timestamp '2019-01-02 15:04:05.12' as string format 'ff1 ff3 ff6 ff9 FF')", "1 120 120000 120000000 12"],
    [
      "cast(timestamp '2019-01-02 00:04:05' as string format 'hh HH12 hh24 AM a.m. Pm p.m. ff sssss')",
      "12 12 00 AM a.m. AM a.m. 0 00245",
    ],
    [
      "cast(timestamp '2019-12-31 15:04:05' as string format 'd dd ddd w ww q iyyy iyy iy i iw id')",
      "3 31 365 5 53 4 2020 020 20 0 01 02",
    ],
    ["cast(timestamp '2021-01-03 15:04:05' as string format 'd id iyyy-iw')", "1 07 2020-53"],
    ["cast(timestamp '2019-01-02 05:04:05' as string format 'FMMonth FMdd, yyyy fmhh24 FMmi')", "January 2, 2019 5 4"],
    [
      "cast(timestamp '1969-12-31 23:59:59.9' as string format 'yyyy-mm-ddThh24:mi:ssZ \"of\" ff')",
      "1969-12-31T23:59:59Z of 9",
    ],
    ["cast(date '2019-01-02' as string format 'yyyy\"\\\\\"a\\\\\"\"dd')", '2019"a"02'],
    ["cast(date '2019-01-02' as varchar(4) format 'yyyy-mm-dd')", "2019"],
    ["cast(date '2019-01-02' as char(12) format 'yyyy-mm-dd')", "2019-01-02"],
    ["cast(null as date format 'yyyy-mm-dd')", "NULL"],
    ["cast('2019-01-02' as date format 'yyyy-mm-dd')", "2019-01-02"],
    ["cast('2019--1./2' as date format 'yyyy-mm-dd')", "2019-01-02"],
    ["cast('20190102' as date format 'yyyymmdd')", "2019-01-02"],
    ["cast('2019-02-30' as date format 'yyyy-mm-dd')", "NULL"],
    ["cast('2020-366' as date format 'yyyy-ddd')", "2020-12-31"],
    ["cast('2019-366' as date format 'yyyy-ddd')", "NULL"],
    ["cast('2020-53-7' as date format 'iyyy-iw-id')", "2021-01-03"],
    ["cast('2019-53-1' as date format 'iyyy-iw-id')", "NULL"],
    ["cast('2019-10-tuesday' as date format 'iyyy-iw-day')", "2019-03-05"],
    ["cast('Jan 5 2019' as date format 'mon dd yyyy')", "2019-01-05"],
    ["cast('march 15, 2019' as date format 'MONTH dd yyyy')", "2019-03-15"],
    ["cast('2019-01-02 12:30 am' as timestamp format 'yyyy-mm-dd hh12:mi PM')", "2019-01-02 00:30:00"],
    ["cast('2019-01-02 1:5 p.m.' as timestamp format 'yyyy-mm-dd hh:mi a.m.')", "2019-01-02 13:05:00"],
    ["cast('2019-01-02 13 PM' as timestamp format 'yyyy-mm-dd hh12 AM')", "NULL"],
    ["cast('2019-01-02 0 PM' as timestamp format 'yyyy-mm-dd hh12 AM')", "NULL"],
    ["cast('2019-01-02 24:00' as timestamp format 'yyyy-mm-dd hh24:mi')", "NULL"],
    ["cast('2019-01-02 86399' as timestamp format 'yyyy-mm-dd sssss')", "2019-01-02 23:59:59"],
    ["cast('2019-01-02 01:02:03.5' as timestamp format 'yyyy-mm-dd hh24:mi:ss.ff3')", "2019-01-02 01:02:03.5"],
    ["cast('2019-01-02T05:06z' as timestamp format 'yyyy-mm-ddThh24:miZ')", "2019-01-02 05:06:00"],
    ["cast('2019-01-02 05:06 -02:30' as timestamp format 'yyyy-mm-dd hh24:mi tzh:tzm')", "2019-01-02 05:06:00"],
    ["cast('2019-01-02 05:06 -16' as timestamp format 'yyyy-mm-dd hh24:mi tzh')", "NULL"],
    ["cast('2019-1-02' as date format 'fxyyyy-fmmm-dd')", "2019-01-02"],
    ["cast('2019-1-02' as date format 'fxyyyy-mm-dd')", "NULL"],
    ["cast('2019--01-02' as date format 'fxyyyy-mm-dd')", "NULL"],
    ["cast('2019-01-02x' as date format 'yyyy-mm-dd')", "NULL"],
    ["cast('' as date format 'yyyy-mm-dd')", "NULL"],
    ["cast('garbage' as timestamp format 'yyyy-mm-dd')", "NULL"],
    ["cast(cast('2019-01-02' as char(15)) as date format 'yyyy-mm-dd')", "2019-01-02"],
  ])("%s is %s", async (expression, expected) => {
    expect(await answers.answer(`select cast(${expression} as string)`)).toEqual([expected]);
  });

  test("works on columns, and completes years with missing digits from the current year", async () => {
    expect(
      await answers.answer(
        "select cast(joined as string format 'DD.MM.YYYY') from people where id in (1, 4) order by id",
      ),
    ).toEqual(["15.01.2020", "NULL"]);
    const year = String(new Date().getUTCFullYear()).slice(0, 2);
    expect(await answers.answer("select cast('07-01-02' as date format 'yy-mm-dd')")).toEqual([`${year}07-01-02`]);
  });
});

describe("CAST … FORMAT: fails when Hive fails, and for values out of range", () => {
  test.each([
    ["cast('2019-01-02T' as timestamp format 'yyyy-mm-dd\"T1\"')", "ends before its FORMAT does"],
    ["cast('2019-01-02 05:06 ' as timestamp format 'yyyy-mm-dd hh24:mi tzh')", "ends before its FORMAT does"],
    ["cast('2019-01-02 5.123456789' as timestamp format 'yyyy-mm-dd ss.ff')", "finer than microseconds"],
    ["cast('0000-01-02' as date format 'yyyy-mm-dd')", "a year before 1"],
  ])("%s: %s", async (expression, message) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(message);
  });
});

describe("CAST … FORMAT: refuses the patterns and types that Hive refuses", () => {
  test.each([
    "cast(timestamp '2019-01-02 15:04:05' as string format 'mon Mon MON|month|Month|MONTH|day|Day|DAY|dy Dy DY')",
    "cast('2019' as date format 'yyyy')",
    "cast('01-01' as date format 'mm-dd')",
    "cast('2019-01-01 1' as date format 'yyyy-mm-dd d')",
    "cast('2019-01-01 1' as timestamp format 'yyyy-mm-dd hh24 am')",
    "cast('2019-01-01 1' as timestamp format 'yyyy-mm-dd tzm')",
    "cast('2019' as date format 'yyyy-mm-dd xx')",
    "cast('2019' as date format 'yyyy-mm-dd \"x')",
    "cast('2019' as date format 'fm-yyyy')",
    "cast(1 as string format 'yyyy')",
    "cast('2019' as string format 'yyyy')",
    "cast(date '2019-01-02' as date format 'yyyy')",
    "cast('2019' as int format 'yyyy')",
    "cast(date '2019-01-02' as string format 'tzh')",
  ])("%s", (expression) => {
    expect(() => translate(`select ${expression}`, catalog)).toThrow(HiveQLError);
  });
});

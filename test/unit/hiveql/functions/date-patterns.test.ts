import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers } from "../answers";

let answers: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => {
  answers = await openAnswers();
});
afterAll(() => answers.close());

describe("date_format, from_unixtime: patterns of java.time", () => {
  test.each([
    [
      "date_format('2020-01-05 22:03:09.123456','y yy yyyy u uuuu M MM MMM MMMM d dd D DDD')",
      "2020 20 2020 2020 2020 1 01 Jan January 5 05 5 005",
    ],
    [
      "date_format('2020-01-05 22:03:09.123456','E EEE EEEE a h hh H HH k kk K KK m mm s ss S SSS SSSSSS SSSSSSSSS Q QQ QQQ')",
      "Sun Sun Sunday PM 10 10 22 22 22 22 10 10 3 03 9 09 1 123 123456 123456000 1 01 Q1",
    ],
    ["date_format('2020-01-05 22:03:09.123456','z Z X XXX x xx xxx')", "UTC +0000 Z Z +00 +0000 +00:00"],
    ["date_format('2020-01-05 22:03:09',\"yyyy'T'HH''mm 'it''s' %\")", "2020T22'03 it's %"],
    ["date_format('2020-01-05','')", ""],
    ["date_format('nothing','yyyy')", "NULL"],
    ["date_format('0044-03-15','yyyy-MM-dd uuuu')", "0044-03-15 0044"],
    ["date_format('-0005-03-04','yyyy uuuu')", "0006 -0005"],
    ["from_unixtime(0)", "1970-01-01 00:00:00"],
    ["from_unixtime(-1)", "1969-12-31 23:59:59"],
    ["from_unixtime(1577836800,'yyyy/MM/dd')", "2020/01/01"],
    ["from_unixtime(253402300800L)", "+10000-01-01 00:00:00"],
    ["from_unixtime(cast(null as int))", "NULL"],
    ["date_format('2020-12-31','YYYY-MM-dd Y')", "2021-12-31 2021"],
    ["date_format('2021-01-02','YYYY-MM-dd')", "2021-01-02"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("unix_timestamp: parses text with a pattern, or date and time", () => {
  test.each([
    ["unix_timestamp('2020-02-30','yyyy-MM-dd')", "1582934400"],
    ["unix_timestamp('10/Oct/2000:13:55:36 -0700','[dd/MMM/yyyy:HH:mm:ss Z]')", "971211336"],
    ["unix_timestamp('[10/Oct/2000:13:55:36 -0700]','[dd/MMM/yyyy:HH:mm:ss Z]')", "NULL"],
    ["from_unixtime(0,'[yyyy-MM-dd]')", "1970-01-01"],
    ["unix_timestamp('2020-01-02 03:04:05.0','yyyy-MM-dd HH:mm:ss.sss')", "NULL"],
    ["date_format('2020-01-02 03:04:05','yyyy-MM-dd HH:mm:ss.sss')", "NULL"],
    ["unix_timestamp('2020-01-02','YYYY-MM-dd')", "NULL"],
    ["unix_timestamp('2020-01-05 10:00:00')", "1578218400"],
    ["unix_timestamp('2020-01-05')", "NULL"],
    ["unix_timestamp('2020-01-05T10:11')", "1578219060"],
    ["unix_timestamp(timestamp '1969-12-31 23:59:59.5')", "-1"],
    ["unix_timestamp(date '2020-01-05','yyyy')", "1578182400"],
    ["unix_timestamp('20200105','yyyyMMdd')", "1578182400"],
    ["unix_timestamp('2020-02-32','yyyy-MM-dd')", "NULL"],
    ["unix_timestamp('2020-01-05x','yyyy-MM-dd')", "NULL"],
    ["unix_timestamp('2020-1-5','yyyy-MM-dd')", "NULL"],
    ["unix_timestamp('20-01-05','yy-MM-dd')", "1578182400"],
    ["unix_timestamp('JAN 5 2020','MMM d yyyy')", "1578182400"],
    ["unix_timestamp('5 january 2020','d MMMM yyyy')", "1578182400"],
    ["unix_timestamp('2020-01-05 0:30 AM','yyyy-MM-dd h:mm a')", "1578184200"],
    ["unix_timestamp('2020-01-05 12:30 pm','yyyy-MM-dd h:mm a')", "1578227400"],
    ["unix_timestamp('2020-01-05 24:00:00','yyyy-MM-dd HH:mm:ss')", "1578268800"],
    ["unix_timestamp('2020-01-05 24:00:01','yyyy-MM-dd HH:mm:ss')", "NULL"],
    ["unix_timestamp('2020-01-05t10:00:00+0130',\"yyyy-MM-dd'T'HH:mm:ssZ\")", "1578213000"],
    ["unix_timestamp('2020-01-05 10:30:00 +01','yyyy-MM-dd HH:mm:ss X')", "1578216600"],
    ["unix_timestamp('2020-01-05 10:11:12 +19:00','yyyy-MM-dd HH:mm:ss XXX')", "NULL"],
    ["unix_timestamp('0000-01-05','yyyy-MM-dd')", "NULL"],
    ["unix_timestamp('-0005-01-05','uuuu-MM-dd')", "-62324640000"],
    ["to_unix_timestamp('2020-01-05 10','yyyy-MM-dd HH')", "1578218400"],
    ["unix_timestamp('2020-01','yyyy-MM')", "NULL"],
    ["unix_timestamp('10:11','HH:mm')", "NULL"],
    ["unix_timestamp('2020-01-02 12:11:13','yyyy-MM-dd hh:mm:ss')", "1577923200"],
    ["unix_timestamp('2020-01-02 00:11','yyyy-MM-dd hh:mm')", "1577923200"],
    ["unix_timestamp('2020-01-02 13:11','yyyy-MM-dd hh:mm')", "NULL"],
    ["unix_timestamp('2020-01-02 11:12','yyyy-MM-dd mm:ss')", "1577923200"],
    ["unix_timestamp('2020-01-02 71','yyyy-MM-dd ss')", "NULL"],
    ["unix_timestamp('THU, 02 JAN 2020','EEE, dd MMM yyyy')", "1577923200"],
    ["unix_timestamp('Fri, 02 Jan 2020','EEE, dd MMM yyyy')", "NULL"],
    ["unix_timestamp('Sat, 31 Feb 2020','EEE, dd MMM yyyy')", "1582934400"],
    ["unix_timestamp('thursday 2 January 2020','EEEE d MMMM yyyy')", "1577923200"],
    ["unix_timestamp('Thursday, 02 JAN 2020','EEE, dd MMM yyyy')", "NULL"],
    ["unix_timestamp('Fri, 03 Jan 2020 01:11:12 +0500','EEE, dd MMM yyyy HH:mm:ss Z')", "1577995872"],
    ["unix_timestamp('Thu, 02 Jan 2020 24:00:00','EEE, dd MMM yyyy HH:mm:ss')", "1578009600"],
    ["unix_timestamp('1960-02-29 Mon','yyyy-MM-dd E')", "-310521600"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("date_format: weeks and their years", () => {
  test.each([
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'w')", "2"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'yyyy-\\'W\\'ww')", "2021-W02"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'YYYY-\\'W\\'ww')", "2021-W02"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'q qqq')", "1 Q1"],
    ["date_format(timestamp '1600-12-10 01:14:33.500000', 'YYYY-ww-w')", "1600-51-51"],
    ["date_format(timestamp '1999-01-09 06:59:01.869185', 'YYYY-ww-w')", "1999-02-2"],
    ["date_format('2020-12-31', 'YYYY ww D DDD qqq')", "2021 01 366 366 Q4"],
    ["date_format('2021-12-31', 'YYYY ww D DDD qqq')", "2022 01 365 365 Q4"],
    ["date_format('2022-12-31', 'YYYY ww D DDD qqq')", "2022 53 365 365 Q4"],
    ["date_format('2023-01-01', 'YYYY ww D DDD qqq')", "2023 01 1 001 Q1"],
    ["date_format('2024-02-29', 'YYYY ww D DDD qqq')", "2024 09 60 060 Q1"],
    ["date_format('2028-12-31', 'YYYY ww D DDD qqq')", "2029 01 366 366 Q4"],
    ["from_unixtime(0, 'YYYY-ww')", "1970-01"],
    ["date_format(cast('-0005-03-04' as date), 'yyyy')", "0006"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refusals: name the position in the pattern", () => {
  test.each([
    ["date_format('2020-01-05','yyyy-MM-dd VV')", "VV at character 12"],
    ["date_format('2020-01-05','G yyyy')", "G at character 1"],
    ["date_format('2020-01-05','yyyy W')", "W at character 6"],
    ["add_months('2020-01-05',1,'yyyy-D')", "has the pattern yyyy-D"],
    ["unix_timestamp('x','yyyy-MM-dd VV')", "VV at character 12"],
    ["from_utc_timestamp('2020-01-01','Mars/Base')", "Mars/Base"],
  ])("%s names %s", async (expression, words) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(words);
  });
});

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
    [
      "date_format('2020-01-05 22:03:09.123456','z Z X XXX x xx xxx O L LLLL')",
      "UTC +0000 Z Z +00 +0000 +00:00 GMT 1 January",
    ],
    ["date_format('2020-01-05 22:03:09',\"yyyy'T'HH''mm 'it''s' %\")", "2020T22'03 it's %"],
    ["date_format('2020-01-05','')", ""],
    ["date_format('nothing','yyyy')", "NULL"],
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
    ["date_format('2020-01-02 10:11:12','yyyy-MM-dd HH:mm:ss zzzz')", "2020-01-02 10:11:12 Coordinated Universal Time"],
    ["date_format('2020-01-02 10:11:12','OOOO O')", "GMT GMT"],
    ["date_format('2020-01-02 10:11:12','ZZZZ ZZZZZ XXXXX XXXX xxxx xxxxx')", "GMT Z Z Z +0000 +00:00"],
    ["date_format('2020-01-02 10:11:12','EEEEE MMMMM LLLLL')", "T J J"],
    ["date_format('2020-08-02 10:11:12','EEEEE MMMMM LLLLL')", "S A A"],
    ["date_format('2020-01-02 10:11:12','QQQQ qqqq')", "1st quarter 1st quarter"],
    ["date_format('2020-11-02 10:11:12','QQQQ qqqq')", "4th quarter 4th quarter"],
    ["date_format('2020-06-02 10:11:12','QQQQ')", "2nd quarter"],
    ["date_format('2020-09-02 10:11:12','QQQQ')", "3rd quarter"],
    ["date_format('2020-01-02 10:11:12','yyy uuu')", "2020 2020"],
    ["date_format('0020-01-02 10:11:12','yyy uuu')", "020 020"],
    ["date_format('0002-01-02 10:11:12','yyy uuu')", "002 002"],
    ["date_format('-0002-01-02 10:11:12','yyy uuu')", "003 -002"],
    ["date_format('2020-01-02 10:11:12','GGGG GGGGG GG')", "Anno Domini A AD"],
    ["date_format('-0002-01-02 10:11:12','GGGG GGGGG')", "Before Christ B"],
    ["date_format(cast(null as date),'QQQQ EEEEE GGGG yyy')", "NULL"],
    ["from_unixtime(0,'EEEEE QQQQ zzzz')", "T 1st quarter Coordinated Universal Time"],
    ["date_format('2020-01-02','e')", "5"],
    ["date_format(cast(null as date),'G')", "NULL"],
    ["date_format(cast(null as date),'EEEEE')", "NULL"],
    ["date_format(cast(null as date),'QQQQ')", "NULL"],
    ["date_format(cast(null as date),'zzzz')", "NULL"],
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

describe("date_format: weeks, days of the week and parts of a day", () => {
  test.each([
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'w')", "2"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'ww')", "02"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'W')", "2"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'e')", "1"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'ee')", "01"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'eee')", "Sun"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'eeee')", "Sunday"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'ccc')", "Sun"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'G')", "AD"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'A')", "47045123"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'AAAAAAAAAA')", "0047045123"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'n')", "123456000"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'N')", "47045123456000"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'q')", "1"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'qqq')", "Q1"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'yyyy-\\'W\\'ww')", "2021-W02"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'YYYY-\\'W\\'ww')", "2021-W02"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'YY')", "21"],
    ["date_format(timestamp '2021-01-03 13:04:05.123456', 'DD')", "03"],
    [
      "date_format(timestamp '1970-01-24 12:30:09.000000', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "1970-04-4-4-7-07-7-Sat-Sat-AD-45009000-0-45009000000000-24-70-1-01-45009000-000",
    ],
    [
      "date_format(timestamp '1600-12-10 01:14:33.500000', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "1600-51-51-3-1-01-1-Sun-Sun-AD-4473500-500000000-4473500000000-345-00-4-04-4473500-500000000",
    ],
    [
      "date_format(timestamp '1999-01-09 06:59:01.869185', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "1999-02-2-2-7-07-7-Sat-Sat-AD-25141869-869185000-25141869185000-09-99-1-01-25141869-869185000",
    ],
    [
      "date_format(timestamp '2027-02-07 05:19:18.657431', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "2027-07-7-2-1-01-1-Sun-Sun-AD-19158657-657431000-19158657431000-38-27-1-01-19158657-657431000",
    ],
    [
      "date_format(timestamp '2028-01-28 19:21:42.406776', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "2028-05-5-5-6-06-6-Fri-Fri-AD-69702406-406776000-69702406776000-28-28-1-01-69702406-406776000",
    ],
    [
      "date_format(timestamp '1970-01-16 08:05:59.857612', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "1970-03-3-3-6-06-6-Fri-Fri-AD-29159857-857612000-29159857612000-16-70-1-01-29159857-857612000",
    ],
    [
      "date_format(timestamp '2028-01-10 18:45:56.326906', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "2028-03-3-3-2-02-2-Mon-Mon-AD-67556326-326906000-67556326906000-10-28-1-01-67556326-326906000",
    ],
    [
      "date_format(timestamp '1970-12-20 09:27:28.000000', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "1970-52-52-4-1-01-1-Sun-Sun-AD-34048000-0-34048000000000-354-70-4-04-34048000-000",
    ],
    [
      "date_format(timestamp '1999-01-03 01:29:40.294055', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "1999-02-2-2-1-01-1-Sun-Sun-AD-5380294-294055000-5380294055000-03-99-1-01-5380294-294055000",
    ],
    [
      "date_format(timestamp '2015-12-23 10:09:43.000000', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "2015-52-52-4-4-04-4-Wed-Wed-AD-36583000-0-36583000000000-357-15-4-04-36583000-000",
    ],
    [
      "date_format(timestamp '2004-04-21 14:17:11.500000', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "2004-17-17-4-4-04-4-Wed-Wed-AD-51431500-500000000-51431500000000-112-04-2-02-51431500-500000000",
    ],
    [
      "date_format(timestamp '2026-02-21 17:12:57.000000', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "2026-08-8-3-7-07-7-Sat-Sat-AD-61977000-0-61977000000000-52-26-1-01-61977000-000",
    ],
    [
      "date_format(timestamp '2028-01-08 08:48:37.000000', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "2028-02-2-2-7-07-7-Sat-Sat-AD-31717000-0-31717000000000-08-28-1-01-31717000-000",
    ],
    [
      "date_format(timestamp '1899-01-10 14:01:02.374429', 'YYYY-ww-w-W-e-ee-c-eee-ccc-G-A-n-N-DD-YY-q-qq-AAA-nnn')",
      "1899-02-2-2-3-03-3-Tue-Tue-AD-50462374-374429000-50462374429000-10-99-1-01-50462374-374429000",
    ],
    ["date_format('2020-12-31', 'YYYY ww W e D DD DDD qqq')", "2021 01 5 5 366 366 366 Q4"],
    ["date_format('2021-12-31', 'YYYY ww W e D DD DDD qqq')", "2022 01 5 6 365 365 365 Q4"],
    ["date_format('2022-12-31', 'YYYY ww W e D DD DDD qqq')", "2022 53 5 7 365 365 365 Q4"],
    ["date_format('2023-01-01', 'YYYY ww W e D DD DDD qqq')", "2023 01 1 1 1 01 001 Q1"],
    ["date_format('2024-02-29', 'YYYY ww W e D DD DDD qqq')", "2024 09 5 5 60 60 060 Q1"],
    ["date_format('2028-12-31', 'YYYY ww W e D DD DDD qqq')", "2029 01 6 1 366 366 366 Q4"],
    ["date_format('2000-12-31', 'YYYY ww W e D DD DDD qqq')", "2001 01 6 1 366 366 366 Q4"],
    ["from_unixtime(0, 'YYYY-ww W')", "1970-01 1"],
    ["date_format(cast('-0005-03-04' as date), 'G yyyy')", "BC 0006"],
  ])("%s is %s", async (expression, value) => {
    expect(await answers.answer(`select ${expression}`)).toEqual([value]);
  });
});

describe("refusals: name the position in the pattern", () => {
  test.each([
    ["date_format('2020-01-05','yyyy-MM-dd VV')", "VV at character 12"],
    ["unix_timestamp('x','yyyy-MM-dd VV')", "VV at character 12"],
    ["from_utc_timestamp('2020-01-01','Mars/Base')", "Mars/Base"],
  ])("%s names %s", async (expression, words) => {
    await expect(answers.answer(`select ${expression}`)).rejects.toThrow(words);
  });
});

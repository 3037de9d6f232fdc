/** CAST of text to date and timestamp; the expected values are those of Hive 4.0.1's own classes, except refusals and times that Hive does not read. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAnswers } from "./answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const asDateAndTimestamp = (text: string) =>
  hive.answer(`select cast(t as date), cast(t as timestamp) from (select concat('', '${text}') t) x`);

describe("cast: a text as a date and as a timestamp", () => {
  it.each([
    ["2020-01-0500", "NULL|NULL"],
    ["2020-01-05abc", "2020-01-05|2020-01-05 00:00:00"],
    ["2020-01-05T10:11", "2020-01-05|2020-01-05 10:11:00"],
    ["2020-01-05t10:11:12.5", "2020-01-05|2020-01-05 10:11:12.5"],
    ["2020-1-5T01:02:03", "2020-01-05|2020-01-05 01:02:03"],
    ["2020-01-05T10:11:12Z", "2020-01-05|2020-01-05 10:11:12"],
    ["2020-01-05T10:11:12.5+09:00", "2020-01-05|2020-01-05 10:11:12.5"],
    ["2020-01-05T10:11Z", "2020-01-05|2020-01-05 10:11:00"],
    ["2020-1-5 1:2:3.5", "2020-01-05|2020-01-05 01:02:03.5"],
    ["2020-01-05 10:11", "2020-01-05|2020-01-05 10:11:00"],
    ["2020-01-05 9:11", "2020-01-05|2020-01-05 09:11:00"],
    ["2020-01-05 10:11:12.", "2020-01-05|2020-01-05 10:11:12"],
    ["2020-01-05 10:11:12 +01:00", "2020-01-05|2020-01-05 10:11:12"],
    ["2020-01-05 10:11:12-1:00", "2020-01-05|2020-01-05 10:11:12"],
    ["2020-01-05 10:11:12 +0100", "2020-01-05|2020-01-05 10:11:12"],
    ["2020-01-05 10:11:12 +19:01", "2020-01-05|NULL"],
    ["2020-01-05 10:11:12UTC", "2020-01-05|2020-01-05 10:11:12"],
    ["2020-01-05 10:11:12 PM", "2020-01-05|NULL"],
    ["2020-01-05  10:11:12", "2020-01-05|2020-01-05 10:11:12"],
    ["2020-01-05 24:00:00", "2020-01-05|NULL"],
    ["10:11:12.5", "NULL|NULL"],
    ["25:11:12", "NULL|NULL"],
    ["+2020-01-05", "NULL|NULL"],
    ["12345-01-05", "NULL|NULL"],
    ["12345-02-31 10:11:12", "NULL|NULL"],
    ["12345-01-05T10:11:12", "NULL|NULL"],
    ["+12345-01-05 10:11:12", "NULL|NULL"],
    ["12345-01-05 or so", "NULL|NULL"],
    ["00000-0-0 (BC)", "NULL|NULL"],
    ["00012-01-05 10:11:12", "0012-01-05|0012-01-05 10:11:12"],
    ["2020-37-01 00:00:00.1234567", "NULL|NULL"],
    ["2020-31-01 10:00:00 EST5EDT", "NULL|NULL"],
    ["-5-1-1", "-0005-01-01|-0005-01-01 00:00:00"],
    ["-0000-01-01", "NULL|NULL"],
    ["0000-01-01 10:11:12.25", "0000-01-01|0000-01-01 10:11:12.25"],
  ])("%s is %s", async (text, printed) => {
    expect(await asDateAndTimestamp(text)).toEqual([printed]);
  });

  it.each(["10:11", "10:11:12", " 10:11:12. ", "10:11:12.625"])("%s, a time of no day, is NULL", async (text) => {
    expect(await asDateAndTimestamp(text)).toEqual(["NULL|NULL"]);
  });

  it.each([
    ["12345-01-05 10:11:12", "a year with more than four digits"],
    ["2020-02-30 10:11:12 UTC", "a day that does not exist"],
    ["2020-01-05 24:00:00 UTC", "the hour 24 with a time zone"],
    ["2020-01-05 10:11:12 America/New_York", "a timestamp with a named time zone"],
    ["2020-01-05 10:11:12.123456000abc", "a long fraction of a second"],
    ["2020-01-05 10:11:12.1234567", "finer than microseconds"],
  ])("%s is refused: %s", async (text, reason) => {
    await expect(asDateAndTimestamp(text)).rejects.toThrow(reason);
  });
});

describe("results: dates outside the years 1 to 9999", () => {
  it("print with a sign and four digits at least", async () => {
    const dates = "date_add('9999-12-30', 2), cast(date_add(cast('0001-01-01' as date), -2) as timestamp)";
    expect(await hive.answer(`select ${dates}`)).toEqual(["+10000-01-01|0000-12-30 00:00:00"]);
    const far = "date_sub(joined, 4000000), last_day(date_sub(joined, 4000000))";
    expect(await hive.answer(`select ${far} from people where id = 1`)).toEqual(["-8932-05-30|-8932-05-31"]);
  });

  it.each([
    ["max(date_add(joined, 4000000))", "+12973-08-17"],
    ["date_add(min(joined), 4000000)", "+12971-02-15"],
  ])("%s is %s", async (expression, expected) => {
    expect(await hive.answer(`select ${expression} from people`)).toEqual([expected]);
  });

  it("of a timestamp fail in a text, in which Hive writes other digits", async () => {
    const far = "cast(date_sub(min(joined), 800000) as timestamp)";
    await expect(hive.answer(`select concat(${far}, '') from people`)).rejects.toThrow("HiveQL: ");
  });

  it("of keys and windows are values like others", async () => {
    const far = "date_add(joined, 4000000)";
    expect(await hive.answer(`select count(*) from (select ${far} from people group by ${far}) t`)).toEqual(["5"]);
    expect(await hive.answer(`select count(*) from people where ${far} > joined`)).toEqual(["4"]);
  });
});

describe("results: control characters in arrays, maps and structs are escaped as in JSON", () => {
  it.each([
    [0, String.raw`\u0000`],
    [1, String.raw`\u0001`],
    [8, String.raw`\b`],
    [9, String.raw`\t`],
    [10, String.raw`\n`],
    [11, String.raw`\u000b`],
    [12, String.raw`\f`],
    [13, String.raw`\r`],
    [31, String.raw`\u001f`],
    [92, String.raw`\\`],
    [127, "\u007F"],
    [133, "\u0085"],
  ])("%i", async (code, escaped) => {
    const text = `'a${String.raw`\u`}${code.toString(16).padStart(4, "0")}"'`;
    const inner = `"a${escaped}${String.raw`\"`}"`;
    expect(await hive.answer(`select array(${text}), map(${text}, 1), struct(${text})`)).toEqual([
      `[${inner}]|{${inner}:1}|{"col1":${inner}}`,
    ]);
  });
});

/** Texts that are compared with a date and are none, such as the last day of a month that has fewer days. */
import { expect, test } from "vitest";
import { notes } from "../answers";

const note = (at: string, text: string) =>
  `${at} '${text}' is not a calendar date, so a comparison with it is NULL and holds for no row: write a valid date`;

test.each([
  ["joined <= '2024-02-30'", [note("1:39", "2024-02-30")]],
  ["joined between '2024-02-01' and '2024-02-31'", [note("1:61", "2024-02-31")]],
  ["joined in ('2024-02-29', '2023-02-29')", [note("1:54", "2023-02-29")]],
  ["cast(joined as timestamp) < '2024-13-01 10:00:00'", [note("1:57", "2024-13-01 10:00:00")]],
  ["joined = '20240229'", [note("1:38", "20240229")]],
  ["joined > 'yesterday' and joined <> ''", [note("1:38", "yesterday"), note("1:64", "")]],
  ["cast(joined as timestamp) >= '2024-02-xx'", [note("1:58", "2024-02-xx")]],
  ["joined < '2024-02-29'", []],
  ["cast(joined as timestamp) < ' 2024-2-9T10:00'", []],
  ["cast(joined as timestamp) > '10:00:00'", [note("1:57", "10:00:00")]],
  ["name < '2024-02-31'", []],
])("a note tells that no row is found: %s", (condition, expected) => {
  expect(notes(`select id from people where ${condition}`)).toEqual(expected);
});

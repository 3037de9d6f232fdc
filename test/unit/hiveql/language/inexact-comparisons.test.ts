/** Bigints that are compared with texts, where Hive does not refuse it: both are doubles, which keep 15 digits. */
import { expect, test } from "vitest";
import { notes } from "../answers";

const inexact = /^1:\d+ a bigint and a text are compared as doubles, .*: compare with cast\(trim\(text\) AS bigint\)$/;

test.each([
  ["people p join visits n on n.n = p.name", 1],
  ["people p left join visits n on p.name <=> n.n and p.id = n.n", 1],
  ["people p where p.name in (select n from visits)", 1],
  ["people p where p.name not in (select n from visits where n > 5)", 1],
  ["people p where p.name in (12345678901234567, 5)", 1],
  ["visits n where n.n between n.person and n.place", 1],
  ["people p join visits n on n.n = cast(p.name as bigint)", 0],
  ["people p join visits n on n.n = p.id where p.name in (1, 2)", 0],
  ["visits n where n.n in ('1', '2')", 0],
])("a note tells that digits are lost: %s", (rest, count) => {
  const found = notes(`select count(*) from ${rest}`);
  expect(found).toHaveLength(count);
  for (const note of found) expect(note).toMatch(inexact);
});

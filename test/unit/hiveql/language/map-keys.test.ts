/** Keys of maps: the value of a key, whether it is a column or computed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAnswers } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const table = "(select map('a', 1) as m, 'a' as k, array('a') as l, named_struct('k', 'a') as s) t";

test.each([
  "m['a'] from T",
  "m[k] from T",
  "m[l[0]] from T",
  "m[s.k] from T",
  "m[concat(k)] from T",
  "m[v] from T lateral view explode(l) x as v",
])("map keys: %s", async (rest) => {
  expect(await hive.answer(`select ${rest.replace("T", table)}`)).toEqual(["1"]);
});

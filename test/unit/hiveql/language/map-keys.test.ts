/** Columns as keys of map columns, which Hive 4.0.1 does not find in a text table. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAnswers, refusal } from "../answers";

let hive: Awaited<ReturnType<typeof openAnswers>>;
beforeAll(async () => void (hive = await openAnswers()));
afterAll(() => hive.close());

const table = "(select map('a', 1) as m, 'a' as k, array('a') as l, named_struct('k', 'a') as s) t";

describe("map keys: refuses a column and what is read from one", () => {
  test.each(["m[k] from T", "m[l[0]] from T", "m[s.k] from T", "m[v] from T lateral view explode(l) x as v"])(
    "%s",
    (rest) => {
      expect(refusal(`select ${rest.replace("T", table)}`)).toMatchObject({ construct: "key" });
    },
  );
});

describe("map keys: takes a key that is computed", () => {
  test.each(["m['a'] from T", "m[concat(k)] from T", "m[concat(v)] from T lateral view explode(l) x as v"])(
    "%s",
    async (rest) => {
      expect(await hive.answer(`select ${rest.replace("T", table)}`)).toEqual(["1"]);
    },
  );
});

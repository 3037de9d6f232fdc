/** What the console's editor writes for a column that is completed. */
import { expect, test } from "vitest";
import { columnCompletion } from "../../../console/src/components/hiveql";

test.each([
  ["_c0", "`_c0`"],
  ["user-id", "`user-id`"],
  ["amount", undefined],
  ["order_2", undefined],
])("completion: %s is written as %s", (name, written) => {
  expect(columnCompletion(name)).toEqual({
    label: name,
    type: "property",
    ...(written === undefined ? {} : { apply: written }),
  });
});

import { describe } from "vitest";
import { testTables } from "./cases";
import { testExpectations, testInputs } from "./inputs";
import { frontEndOfToday } from "../../programs/front-ends";

describe.each(frontEndOfToday(0))("freshness, $name", (frontEnd) => {
  testTables(frontEnd);
  testInputs(frontEnd);
  testExpectations(frontEnd);
});

import { describe } from "vitest";
import { testInterruptedFollowing } from "./interruptions";
import { frontEndOfToday } from "../../programs/front-ends";

describe.each(frontEndOfToday(1))("interruption, $name", (frontEnd) => {
  testInterruptedFollowing(frontEnd);
});

import { describe } from "vitest";
import { testModel } from "./model";
import { frontEndOfToday } from "../../programs/front-ends";

describe.each(frontEndOfToday(0))("model, $name", (frontEnd) => {
  testModel(frontEnd, frontEnd.name === "plugin" ? 11 : 30);
});

import { expect, test } from "vitest";
import { providerCode } from "../../../../provider/dynamic/provider-code";

test("providerCode: is short, and the same for ever: the state of every resource holds it", () => {
  expect(providerCode).toBe("exports.handler=()=>require('pulumi-dag/dynamic/handlers')");
  expect(JSON.stringify(providerCode).length).toBeLessThan(300);
});

import { expect, test } from "vitest";
import { providerCode } from "../../../../provider/dynamic/provider-code";

test("providerCode: is short and never changes, because the state of every resource contains it", () => {
  expect(providerCode).toBe("exports.handler=()=>require('pulumi-dag/dynamic/handlers')");
  expect(JSON.stringify(providerCode).length).toBeLessThan(300);
});

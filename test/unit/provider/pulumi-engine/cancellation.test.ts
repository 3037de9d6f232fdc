import { channel } from "node:diagnostics_channel";
import { expect, test } from "vitest";
import { whenEngineCancels } from "../../../../provider/pulumi-engine/cancellation";

test("whenEngineCancels: detects only cancel requests", () => {
  let heard = 0;
  whenEngineCancels(() => (heard += 1));
  const requests = channel("http2.server.stream.start");
  requests.publish({ headers: { ":path": "/pulumirpc.ResourceProvider/Create" } });
  requests.publish({ headers: { ":path": "/pulumirpc.LanguageRuntime/Cancel" } });
  requests.publish({});
  expect(heard).toBe(0);
  requests.publish({ headers: { ":path": "/pulumirpc.ResourceProvider/Cancel" } });
  expect(heard).toBe(1);
});

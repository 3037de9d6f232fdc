import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import { requireLoopback } from "../../../../service/http/loopback";

const from = (remoteAddress: string | undefined) => () =>
  requireLoopback({ headers: { host: "localhost" }, socket: { remoteAddress } } as unknown as IncomingMessage);

test("requireLoopback: refuses other machines (AccessDenied)", () => {
  expect(from("127.0.0.1")).not.toThrow();
  expect(from("::1")).not.toThrow();
  expect(from("10.0.0.1")).toThrow(errors.AccessDenied);
});

test("requireLoopback: a connection that its caller has closed is no refusal (RequestTimeout)", () => {
  expect(from(undefined)).toThrow(errors.RequestTimeout);
});

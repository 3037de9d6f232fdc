import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { Client, InvalidClientOptionError, type ClientOptions } from "../../../../provider/client";
import { clientSettings } from "../../../../provider/client/options";

const needed = { endpoint: "http://127.0.0.1:9393", accessKeyId: "AK", secretAccessKey: "very-secret" };

describe("clientSettings", () => {
  it("fills in the documented defaults", () => {
    const { endpoint, clock, ...rest } = clientSettings({ ...needed, maxRetries: undefined, timeouts: { call: 5 } });
    expect(endpoint.href).toBe("http://127.0.0.1:9393/");
    expect(clock.now()).toBeGreaterThan(0);
    expect(rest).toEqual({
      accessKeyId: "AK",
      secretAccessKey: "very-secret",
      signatureScheme: "IIJGIO",
      headerPrefix: "x-svc-",
      ownDateHeader: false,
      maxRetries: 8,
      timeouts: { connect: 10_000, headers: 30_000, body: 30_000, call: 5, work: 3_600_000 },
      pollInterval: 5_000,
      connections: 64,
      maxResponseBytes: 134_217_728,
    });
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ endpoint: undefined }, /^endpoint is missing/],
    [{ endpoint: "" }, /^endpoint is missing/],
    [{ endpoint: "localhost:9393" }, /^endpoint "localhost:9393" must be an http or https URL/],
    [{ endpoint: "not a url" }, /^endpoint "not a url" must be a URL/],
    [{ endpoint: "ftp://host/" }, /http or https/],
    [{ endpoint: "http://host/?a=b" }, /without query/],
    [{ endpoint: "http://host/#a" }, /fragment/],
    [{ endpoint: "http://host/v1/" }, /^endpoint "http:\/\/host\/v1\/" must be without the \/v1 of the operations/],
    [{ endpoint: "http://user:very-secret@host/" }, /^endpoint must not contain a user name or password/],
    [{ accessKeyId: "" }, /^accessKeyId must be a string without spaces/],
    [{ accessKeyId: "a:b" }, /^accessKeyId/],
    [{ secretAccessKey: "" }, /^secretAccessKey must be a string that is not empty$/],
    [{ secretAccessKey: { value: "very-secret" } }, /^secretAccessKey/],
    [{ signatureScheme: "a b" }, /^signatureScheme/],
    [{ headerPrefix: "x svc\r\n" }, /^headerPrefix/],
    [{ maxRetries: -1 }, /^maxRetries -1 must be a whole number of at least 0$/],
    [{ maxRetries: 1.5 }, /^maxRetries 1.5/],
    [{ maxRetries: "3" }, /^maxRetries 3 must be a whole number/],
    [{ pollInterval: 0 }, /^pollInterval 0 must be a whole number of at least 1$/],
    [{ connections: 0 }, /^connections 0/],
    [{ timeouts: { headers: Number.NaN } }, /^timeouts.headers NaN/],
    [{ bogus: 1 }, /^bogus is not an option; the options are endpoint, accessKeyId, .*, clock$/],
    [
      { timeouts: { total: 1 } },
      /^timeouts.total is not an option; the options are timeouts.connect, timeouts.headers/,
    ],
    [{ timeouts: { work: 2 ** 31 } }, /^timeouts.work 2147483648 must be at most 2147483647 milliseconds$/],
  ])("%o is rejected by name, without the secret", (options, message) => {
    const make = () => new Client({ ...needed, ...options } as ClientOptions);
    expect(make).toThrow(InvalidClientOptionError);
    expect(make).toThrow(message);
    expect(make).not.toThrow(/very-secret/);
  });
});

describe("Client", () => {
  it("shows no secret when it is printed", () => {
    const client = new Client(needed);
    expect(inspect(client, { depth: 10, showHidden: true })).not.toContain("very-secret");
    expect(JSON.stringify(client)).toBe('{"endpoint":"http://127.0.0.1:9393/"}');
  });
});

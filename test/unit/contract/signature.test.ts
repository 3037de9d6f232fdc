import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  authorization,
  dateHeaderName,
  operationKeys,
  parseAuthorization,
  signRequest,
  stringToSign,
  verifySignature,
} from "../../../contract";

const date = "Fri, 20 Nov 2026 13:46:11 GMT";
const json = "application/json";

describe("signRequest: the worked vectors of the design", () => {
  it.each([
    ["GET", "/v1/?query&max=5", undefined, "pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo="],
    ["POST", "/v1/?select", json, "+7+5raDkLrWVac3DrkBZlhA0+vg="],
    ["PUT", "/v1/c1/log?clusterManagement", json, "Dm/FRrNKwdRClFyCEmzE1CwrGYw="],
    ["DELETE", "/v1/7?query", json, "cqQ0nVZnPHylYA4d1ki1gCvaioM="],
  ])("%s %s", (method, target, contentType, signature) => {
    expect(signRequest({ method, target, contentType, date }, "SK")).toBe(signature);
  });
});

describe("stringToSign", () => {
  it("has five lines with an empty Content-MD5, and no trailing newline", () => {
    expect(stringToSign({ method: "post", target: "/v1/?select", contentType: json, date })).toBe(
      `POST\n\napplication/json\n${date}\n/v1/?select`,
    );
  });

  it("leaves Content-Type empty if the request has none", () => {
    expect(stringToSign({ method: "GET", target: "/v1/7?query", date })).toBe(`GET\n\n\n${date}\n/v1/7?query`);
  });

  it("has an empty Date line and the line of the service's own header, when that has the time", () => {
    const request = { method: "GET", target: "/v1/?query&max=5", date, dateHeader: dateHeaderName("X-Svc-") };
    expect(stringToSign(request)).toBe(`GET\n\n\n\nx-svc-date:${date}\n/v1/?query`);
    expect(signRequest(request, "SK")).toBe("vXxSd7q6YAxZdZRwSwTYXOBXUl8=");
    expect(verifySignature(signRequest(request, "SK"), { ...request, dateHeader: undefined }, "SK")).toBe(false);
  });

  it("signs the operation key at any position, and no other parameter", () => {
    const parameter = fc.tuple(fc.constantFrom("max", "marker", "order", "queryId", "selects"), fc.webFragments());
    fc.assert(
      fc.property(
        fc.constantFrom(...operationKeys),
        fc.array(parameter),
        fc.array(parameter),
        fc.boolean(),
        (key, before, after, withValue) => {
          const others = (list: [string, string][]) =>
            list.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
          const query = [...others(before), withValue ? `${key}=` : key, ...others(after)].join("&");
          expect(stringToSign({ method: "GET", target: `/v1/x?${query}`, date }).split("\n")[4]).toBe(`/v1/x?${key}`);
        },
      ),
    );
  });

  it("signs only the path without an operation key", () => {
    expect(stringToSign({ method: "GET", target: "/v1/x?max=query", date }).split("\n")[4]).toBe("/v1/x");
    expect(stringToSign({ method: "GET", target: "/v1/x", date }).split("\n")[4]).toBe("/v1/x");
  });
});

describe("authorization", () => {
  const credentials = { accessKeyId: "AK", secretAccessKey: "SK" };
  const request = { method: "GET", target: "/v1/?query&max=5", date };

  it("is the scheme, the key identifier and the signature", () => {
    expect(authorization(request, credentials)).toBe("IIJGIO AK:pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo=");
    expect(authorization(request, credentials, "DAG")).toBe("DAG AK:pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo=");
  });

  it("is read back by parseAuthorization", () => {
    const word = fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/);
    fc.assert(
      fc.property(word, word, fc.string({ minLength: 1 }), (scheme, accessKeyId, secretAccessKey) => {
        const header = authorization(request, { accessKeyId, secretAccessKey }, scheme);
        const signature = signRequest(request, secretAccessKey);
        expect(parseAuthorization(header)).toEqual({ scheme, accessKeyId, signature });
      }),
    );
  });

  it.each(["", "IIJGIO", "IIJGIO AK", "IIJGIO :sig", "IIJGIO AK:", "Basic a b:c", "AK:sig"])(
    "parseAuthorization: %j is not such a header",
    (header) => expect(parseAuthorization(header)).toBeUndefined(),
  );
});

describe("verifySignature", () => {
  const request = fc.record({
    method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
    target: fc.constantFrom("/v1/?query", "/v1/?select", "/v1/7?query", "/v1/c1/log?clusterManagement"),
    contentType: fc.constantFrom(undefined, json),
    date: fc.date({ noInvalidDate: true }).map((value) => value.toUTCString()),
  });

  it("accepts what the secret signed", () => {
    fc.assert(
      fc.property(request, fc.string(), (signed, secret) => {
        expect(verifySignature(signRequest(signed, secret), signed, secret)).toBe(true);
      }),
    );
  });

  it("rejects another secret, another request and any other text", () => {
    // HMAC pads keys with NUL bytes, so keys that differ by those only are the same key.
    const secretText = fc.string().filter((text) => !text.endsWith("\0"));
    fc.assert(
      fc.property(request, request, secretText, secretText, fc.string(), (signed, other, secret, wrong, text) => {
        fc.pre(stringToSign(signed) !== stringToSign(other) && secret !== wrong);
        const signature = signRequest(signed, secret);
        expect(verifySignature(signature, signed, wrong)).toBe(false);
        expect(verifySignature(signature, other, secret)).toBe(false);
        expect(verifySignature(text, signed, secret)).toBe(false);
        expect(verifySignature(signature.slice(0, -1), signed, secret)).toBe(false);
      }),
    );
  });
});

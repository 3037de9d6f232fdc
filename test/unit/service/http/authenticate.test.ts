import { expect, test, vi } from "vitest";
import { type ApiError, authorization, errors } from "../../../../contract";
import { AccessKeys } from "../../../../service/http/access-keys";
import { authenticator } from "../../../../service/http/authenticate";

const date = "Fri, 20 Nov 2026 13:46:11 GMT";
const now = Date.parse(date);
const check = authenticator({
  scheme: "IIJGIO",
  maxSkewSeconds: 900,
  keys: new AccessKeys([
    { accessKeyId: "AK", secretAccessKey: "SK" },
    { accessKeyId: "AK2", secretAccessKey: "SK2" },
  ]),
  now: () => now,
});
const request = { method: "GET", target: "/v1/?query&max=5", contentType: undefined, date };
const as = (header: string | undefined, overrides: Partial<Parameters<typeof check>[0]> = {}) =>
  check({ ...request, authorization: header, ...overrides });

const codeOf = (work: () => unknown) => {
  try {
    work();
    return "";
  } catch (error) {
    return (error as ApiError).code;
  }
};

test.each([
  ["GET", "/v1/?query&max=5", undefined, "pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo="],
  ["POST", "/v1/?select", "application/json", "+7+5raDkLrWVac3DrkBZlhA0+vg="],
  ["PUT", "/v1/c1/log?clusterManagement", "application/json", "Dm/FRrNKwdRClFyCEmzE1CwrGYw="],
  ["DELETE", "/v1/7?query", "application/json", "cqQ0nVZnPHylYA4d1ki1gCvaioM="],
])("authenticate: the published signature of %s %s passes", (method, target, contentType, signature) => {
  expect(as(`IIJGIO AK:${signature}`, { method, target, contentType })).toEqual({ accessKeyId: "AK" });
});

test("authenticate: each key has its own secret", () => {
  expect(as(authorization(request, { accessKeyId: "AK2", secretAccessKey: "SK2" }))).toEqual({ accessKeyId: "AK2" });
  expect(() => as(authorization(request, { accessKeyId: "AK2", secretAccessKey: "SK" }))).toThrow(
    errors.SignatureDoesNotMatch,
  );
});

test.each([
  undefined,
  "",
  "IIJGIO",
  "IIJGIO AK",
  "IIJGIO :x",
  "AWS AK:pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo=",
  "Bearer x",
  "iijgio AK:x",
])("authenticate: %j is AccessDenied", (header) => {
  expect(() => as(header)).toThrow(errors.AccessDenied);
});

test("authenticate: an unknown key is InvalidAccessKeyId", () => {
  expect(() => as(authorization(request, { accessKeyId: "XX", secretAccessKey: "SK" }))).toThrow(
    errors.InvalidAccessKeyId,
  );
});

test.each([
  ["method", { method: "POST" }],
  ["path", { target: "/v1/1?query" }],
  ["operation key", { target: "/v1/?select" }],
  ["content type", { contentType: "application/json" }],
  ["date", { date: "Fri, 20 Nov 2026 13:46:12 GMT" }],
])("authenticate: a %s other than the signed one is SignatureDoesNotMatch", (_, overrides) => {
  const header = authorization(request, { accessKeyId: "AK", secretAccessKey: "SK" });
  expect(() => as(header, overrides)).toThrow(errors.SignatureDoesNotMatch);
});

test("authenticate: signatures of any length are compared", () => {
  for (const signature of ["x", "pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo", "pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo==", "p".repeat(5000)]) {
    expect(() => as(`IIJGIO AK:${signature}`)).toThrow(errors.SignatureDoesNotMatch);
  }
});

test.each([
  [900, ""],
  [-900, ""],
  [901, "RequestTimeTooSkewed"],
  [-901, "RequestTimeTooSkewed"],
])("authenticate: a Date %i seconds off gives %j", (seconds, code) => {
  const signed = { ...request, date: new Date(now + seconds * 1000).toUTCString() };
  const header = authorization(signed, { accessKeyId: "AK", secretAccessKey: "SK" });
  expect(codeOf(() => as(header, { date: signed.date }))).toBe(code);
});

test("authenticate: a Date without a time zone is in UTC, wherever the service runs", () => {
  vi.stubEnv("TZ", "Asia/Tokyo");
  const iso = new Date(now).toISOString().slice(0, 19);
  const http = new Date(now).toUTCString();
  const [, day, number, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/.exec(http)!;
  const asctime = `${day} ${month} ${number} ${time} ${year}`;
  const dates = [iso, asctime, http.replace(" GMT", ""), `${iso}Z`, `${iso}+00:00`, http.replace("GMT", "+0000")];
  for (const zoneless of dates) {
    const signed = { ...request, date: zoneless };
    const header = authorization(signed, { accessKeyId: "AK", secretAccessKey: "SK" });
    expect(codeOf(() => as(header, { date: zoneless }))).toBe("");
  }
});

test.each([undefined, "", "yesterday"])("authenticate: the Date %j is AccessDenied", (given) => {
  const header = authorization({ ...request, date: given ?? "" }, { accessKeyId: "AK", secretAccessKey: "SK" });
  expect(() => as(header, { date: given })).toThrow(errors.AccessDenied);
});

test("authenticate: the service's own date header replaces Date, and is signed as itself", () => {
  const signed = { ...request, dateHeader: "x-svc-date" };
  const header = authorization(signed, { accessKeyId: "AK", secretAccessKey: "SK" });
  expect(as(header, { date: undefined, ownDate: date })).toEqual({ accessKeyId: "AK" });
  expect(as(header, { date: "Thu, 01 Jan 1970 00:00:00 GMT", ownDate: date })).toEqual({ accessKeyId: "AK" });
  expect(() => as(header)).toThrow(errors.SignatureDoesNotMatch);
  expect(() => as(header, { ownDate: "yesterday" })).toThrow(/x-svc-date/);
  const late = { ...signed, date: new Date(now + 901_000).toUTCString() };
  const lateHeader = authorization(late, { accessKeyId: "AK", secretAccessKey: "SK" });
  expect(codeOf(() => as(lateHeader, { ownDate: late.date }))).toBe("RequestTimeTooSkewed");
});

test("authenticate: no message holds a secret or the expected signature", () => {
  for (const header of ["IIJGIO AK:x", "IIJGIO XX:x", undefined]) {
    expect(() => as(header)).toThrow(/^(?!.*(SK|pf5p9sgwGWbWeNJ))/);
  }
});

test.each(["2026-11-20T13:46:11Z", "Fri, 20 Nov 2026 14:46:11 +0100"])(
  "authenticate: the Date %s passes too",
  (given) => {
    const header = authorization({ ...request, date: given }, { accessKeyId: "AK", secretAccessKey: "SK" });
    expect(as(header, { date: given })).toEqual({ accessKeyId: "AK" });
  },
);

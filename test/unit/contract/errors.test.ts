import { describe, expect, it } from "vitest";
import { ApiError, apiError, errorCodes, errors, errorTable, isErrorCode } from "../../../contract";

describe("errorTable", () => {
  it("has the 28 codes of the specification with their statuses", () => {
    const specified = errorCodes.filter((code) => errorTable[code].source === "api");
    expect(specified).toHaveLength(28);
    expect(specified.filter((code) => errorTable[code].status === 404)).toEqual([
      "ClusterNotFound",
      "DatabaseNotFound",
      "OutputBucketIsNotFound",
      "InputBucketIsNotFound",
      "InputObjectNotFound",
      "QueryNotFound",
    ]);
    expect(specified.filter((code) => errorTable[code].status === 400)).toHaveLength(22);
  });
});

describe("ApiError", () => {
  it.each(errorCodes)("%s: has a class of its own, with code, name and status", (code) => {
    const error = new errors[code]("why");
    expect(error).toBeInstanceOf(ApiError);
    expect(error.constructor.name).toBe(code);
    expect(error).toMatchObject({ code, name: code, message: "why", status: errorTable[code].status });
    const others = errorCodes.filter((other) => other !== code);
    expect(others.some((other) => error instanceof errors[other])).toBe(false);
    expect(apiError(code, "why")).toBeInstanceOf(errors[code]);
  });

  it("keeps every detail", () => {
    const cause = new Error("cause");
    const details = {
      requestId: "r",
      resource: "/v1/?query",
      operation: "listQueries",
      status: 418,
      field: "max",
      retryAfter: 5,
      cause,
    };
    expect(new errors.InvalidParameter("why", details)).toMatchObject(details);
  });

  it("accepts a code that is not in the table, with the status of the response", () => {
    const error = apiError("SomethingNew", "why", { status: 409 });
    expect(error).toMatchObject({ code: "SomethingNew", status: 409 });
    expect(error.constructor).toBe(ApiError);
  });

  it.each(["toString", "constructor", "__proto__", ""])("isErrorCode: %j is none", (code) =>
    expect(isErrorCode(code)).toBe(false),
  );
});

import { afterEach, expect, test, vi } from "vitest";
import { errors } from "../../../contract";
import { errorPage, seeErrorPage } from "../../../contract/error-page";
import { describeError } from "../../../provider/lifecycles/describe-error";

afterEach(() => void vi.unstubAllEnvs());

test("errorPage: is the heading of the code on the site, with or without a slash at its end", () => {
  for (const site of ["https://docs.example.com", "https://docs.example.com/"]) {
    expect(errorPage("QueryNotFound", site)).toBe("https://docs.example.com/errors.html#querynotfound");
  }
});

test("errorPage: there is none for a foreign code, for what is no address of the web, and without a site", () => {
  expect(errorPage("Teapot", "https://docs.example.com")).toBeUndefined();
  expect(errorPage("QueryNotFound", "javascript:alert(1)")).toBeUndefined();
  vi.stubEnv("DAG_DOCS", "");
  expect([errorPage("QueryNotFound"), seeErrorPage("QueryNotFound")]).toEqual([undefined, ""]);
});

test("describeError: an error of the service ends with its page, and no other error does", () => {
  const refused = new errors.QueryNotFound("query 7 does not exist");
  expect(describeError(refused)).toBe("QueryNotFound: query 7 does not exist");
  vi.stubEnv("DAG_DOCS", "https://docs.example.com");
  expect(describeError(refused)).toBe(
    "QueryNotFound: query 7 does not exist\nSee https://docs.example.com/errors.html#querynotfound",
  );
  expect(describeError(new Error("x"))).toBe("x");
});

import { afterEach, expect, test, vi } from "vitest";
import { errors } from "../../../contract";
import { errorPage, seeErrorPage } from "../../../contract/error-page";
import { checkTables } from "../../../provider/lifecycles/columns/preview-check";
import { ServiceTables } from "../../../provider/lifecycles/columns/service-tables";
import { checkQuery } from "../../../provider/lifecycles/queries/statement";
import { describeError } from "../../../provider/lifecycles/describe-error";
import { checkOptions } from "../provider/lifecycles/context";

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

test("checkQuery: a refused statement ends with its page, also one that is secret", () => {
  const refused = { query: "DROP TABLE t", outputResourcePath: "dag://b/out/" };
  vi.stubEnv("DAG_DOCS", "https://docs.example.com");
  for (const secret of [false, true]) {
    const [failure] = checkQuery(refused, { ...checkOptions, secret }).failures;
    expect(failure?.reason).toMatch(/\nSee https:\/\/docs\.example\.com\/errors\.html#invaliddmlstatement$/);
  }
  vi.stubEnv("DAG_DOCS", "");
  expect(checkQuery(refused, checkOptions).failures[0]?.reason).toMatch(/\^$/);
});

test("checkTables: the service's warning of a preview ends with its page", async () => {
  vi.stubEnv("DAG_DOCS", "https://docs.example.com");
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const message = 'table "shop.orders" does not exist';
  const problem = { line: 1, column: 15, message, code: "InvalidTableName", severity: "error" };
  const client = { checkStatement: async () => ({ clusterName: "c1", problems: [problem] }) };
  const serviceTables = new ServiceTables(client as never, warn);
  await checkTables({ query: "SELECT * FROM shop.orders", clusterName: "c1" }, { serviceTables, secret: false, warn });
  expect(warnings).toEqual([
    `query may not run: ${message}\nSee https://docs.example.com/errors.html#invalidtablename`,
  ]);
});

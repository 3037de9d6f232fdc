import { afterEach, expect, test } from "vitest";
import { servesProvider, storageRemedy } from "../../../../provider/lifecycles/configuration";
import { labelProblem, maxLabelLength } from "../../../../provider/lifecycles/queries/submission-token";
import { checkConfiguration } from "../../../../provider/plugin/provider-configuration";

const provider = (name: string) => `urn:pulumi:dev::shop::pulumi:providers:dag::${name}`;
const keys = { accessKeyId: "key", secretAccessKey: "secret" };
const reasonsOf = (values: object) =>
  checkConfiguration({ ...keys, ...values }, {}, new Set()).map(({ reason }) => reason);

afterEach(() => servesProvider(provider("default")));

test("checkConfiguration: an explicit provider is told to set its argument, or the variable", () => {
  servesProvider(provider("other"));
  expect(reasonsOf({})).toEqual([
    'endpoint is not set: set endpoint of the provider resource "other", or DAG_ENDPOINT',
  ]);
  expect(reasonsOf({ endpoint: "http://127.0.0.1:9393", maxRetries: "x" })).toEqual([
    'maxRetries of the provider resource "other" (or DAG_MAX_RETRIES) "x" must be a whole number of at least 0',
  ]);
  expect(storageRemedy()).toBe(
    'set storage of the provider resource "other" ("file:<directory>" or "s3:<endpoint>?region=<region>") or DAG_STORAGE',
  );
});

test("checkConfiguration, check: an explicit provider's arguments are named, and not the stack's keys", () => {
  servesProvider(provider("other"));
  const unknown =
    'endpiont is not an argument of the provider resource "other"; did you mean endpoint? The arguments are';
  expect(reasonsOf({ endpoint: "http://127.0.0.1:9393", endpiont: "x" })).toEqual([expect.stringContaining(unknown)]);
  expect(labelProblem("x".repeat(maxLabelLength + 1), true)).toContain(
    '(set submissionToken of the provider resource "other" to false to turn that off)',
  );
});

test.each(["default", "default_1_0_0"])(
  "checkConfiguration: the provider %s is told to set the stack's key",
  (name) => {
    servesProvider(provider(name));
    servesProvider(undefined);
    expect(reasonsOf({})).toEqual([
      'dag:endpoint is not set: run "pulumi config set dag:endpoint http://127.0.0.1:9393", or set DAG_ENDPOINT',
    ]);
    expect(storageRemedy()).toContain("set dag:storage (");
  },
);

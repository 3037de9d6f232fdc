import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import { OperationError, UnfinishedError } from "../../../../provider/dynamic/errors";
import { PartialCreate } from "../../../../provider/lifecycles";

const hidden = { urn: "urn:pulumi:dev::unit::pulumi-nodejs:dynamic/dag:SelectQuery::daily" };

test("OperationError: what the SDK prints of it is one line that names the resource, without a stack", () => {
  const error = new OperationError(new errors.QueryNotFound("query 7 does not exist", { requestId: "r1" }), hidden);
  expect(error.message).toBe("QueryNotFound: query 7 does not exist (request r1)");
  expect(`${error.toString()}: ${error.stack}`).toBe(`SelectQuery "daily": ${error.message}`);
});

test("UnfinishedError: has what the SDK passes on to keep a resource", () => {
  const properties = { queryId: 7 };
  const error = new UnfinishedError(new PartialCreate("7", {}, ["it still runs"]), properties);
  expect(error).toMatchObject({ id: "7", properties, reasons: ["it still runs"], message: "it still runs" });
});

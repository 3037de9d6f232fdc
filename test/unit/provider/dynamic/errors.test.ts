import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import { OperationError, UnfinishedError } from "../../../../provider/dynamic/errors";
import { PartialCreate } from "../../../../provider/lifecycles";

const metadata = { urn: "urn:pulumi:dev::unit::pulumi-nodejs:dynamic/dag:SelectQuery::daily" };

test("OperationError: is printed by the SDK as one line that names the resource, without a stack", () => {
  const error = new OperationError(new errors.QueryNotFound("query 7 does not exist", { requestId: "r1" }), metadata);
  expect(error.message).toBe("QueryNotFound: query 7 does not exist (request r1)");
  expect(`${error.toString()}: ${error.stack}`).toBe(`SelectQuery "daily": ${error.message}`);
});

test("UnfinishedError: has the properties with which the SDK stores a resource", () => {
  const properties = { queryId: 7 };
  const error = new UnfinishedError(new PartialCreate("7", {}, ["it still runs"]), properties);
  expect(error).toMatchObject({ id: "7", properties, reasons: ["it still runs"], message: "it still runs" });
});

import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import type { OperationCaller } from "../../../../provider/client/call";
import { checkStatement, listObjects, listTables } from "../../../../provider/client/extension";

const list = (failure: Error) => {
  const caller = { send: () => Promise.reject(failure) } as unknown as OperationCaller;
  return listObjects(caller, { folder: "dag://out/a/", max: 100 }, {});
};

test("listObjects: a bucket that does not exist has no objects, and a service that has only the API has no list", async () => {
  const none = { objects: [], isTruncated: false };
  expect(await list(new errors.InputBucketIsNotFound('the bucket "out" does not exist'))).toEqual(none);
  expect(await list(new errors.ResourceNotFound("there is no such path"))).toBeUndefined();
  const down = new errors.ServiceUnavailable("the service is starting");
  await expect(list(down)).rejects.toBe(down);
});

const invalid = { code: "InvalidParameter", status: 400 };

test.each([
  [undefined, /must be a JSON object/],
  [{ query: "x", clusterName: 5 }, /clusterName/],
  [{ clusterName: "c1" }, /query/],
])("checkStatement: %j is refused before it is sent", async (request, message) => {
  const caller = {} as OperationCaller;
  const checked = checkStatement(caller, request as never, {});
  await expect(checked).rejects.toMatchObject({ ...invalid, message: expect.stringMatching(message) });
});

test.each([undefined, {}, { database: 5 }, { database: "a/../b" }, { database: ".." }, { database: "" }])(
  "listTables: %j is refused before it is sent",
  async (request) => {
    await expect(listTables({} as OperationCaller, request as never, {})).rejects.toMatchObject(invalid);
  },
);

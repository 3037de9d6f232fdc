import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import type { OperationCaller } from "../../../../provider/client/call";
import { listObjects } from "../../../../provider/client/extension";

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

import { expect, test } from "vitest";
import { errors } from "../../../../contract";
import { CallTimeoutError, ConnectionError } from "../../../../provider/client";
import { deleting, refreshing } from "../../../../provider/lifecycles/unanswered";
import { testContext } from "./context";

const unanswered = [
  new ConnectionError("cannot connect", { sent: false }),
  new CallTimeoutError("headers", "no answer within 10 s", { sent: true }),
];

test.each(unanswered)("delete, %s: says that nothing was deleted, and what to do", async (error) => {
  const fail = async () => {
    throw error;
  };
  await expect(deleting(testContext(), fail)).rejects.toMatchObject({
    message: `${error.message}: no object of it was deleted, and it stays in the state. Run the command again when the service answers`,
    sent: error.sent,
    cause: error,
  });
});

test.each(unanswered)(
  "refresh, %s: says that the state stays, and warns of no more with the same cause",
  async (error) => {
    const context = testContext();
    const read = refreshing(context, ({ warn }) => {
      warn("nothing is compared");
      return Promise.reject(error);
    });
    await expect(read).rejects.toThrow(
      `${error.message}: its state stays as it is. Run the command again when the service answers`,
    );
    expect(context.warnings).toEqual([]);
  },
);

test("another error is as it was, with the warnings before it", async () => {
  const context = testContext();
  const error = new errors.AccessDenied("the key may not");
  await expect(deleting(context, () => Promise.reject(error))).rejects.toBe(error);
  const read = refreshing(context, ({ warn }) => {
    warn("nothing is compared");
    return Promise.reject(error);
  });
  await expect(read).rejects.toBe(error);
  expect(context.warnings).toEqual(["nothing is compared"]);
  expect(await refreshing(context, () => Promise.resolve(7))).toBe(7);
});

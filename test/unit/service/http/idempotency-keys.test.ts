import { expect, test } from "vitest";
import { IdempotencyKeys, idempotencyKeyOf, type KeyedRequest } from "../../../../service/http/idempotency-keys";

const minutes = 60_000;

/** Keys with a clock, and requests that count how often they ran. */
function setup() {
  const clock = { time: 0, now: () => clock.time };
  const keys = new IdempotencyKeys(clock);
  let runs = 0;
  const run = async () => (runs += 1);
  const send = (change: Partial<Omit<KeyedRequest, "body">> & { readonly body?: string } = {}, work = run) => {
    const { body = "{}", ...rest } = change;
    const request = { accessKeyId: "AK", operation: "submitSelect", key: "k", target: "/v1/?select", ...rest } as const;
    return keys.answer({ ...request, body: Buffer.from(body) }, work);
  };
  return { clock, keys, send, runs: () => runs };
}

test("answer: a repeated request gets the answer of the first one, for 10 minutes after it", async () => {
  const { clock, send, runs } = setup();
  expect([await send(), await send()]).toEqual([1, 1]);
  clock.time = 10 * minutes - 1;
  expect(await send()).toBe(1);
  clock.time = 10 * minutes;
  expect(await send()).toBe(2);
  expect(runs()).toBe(2);
});

test("answer: a request that is repeated while the first one runs waits for its answer", async () => {
  const { clock, send, runs } = setup();
  const first = Promise.withResolvers<number>();
  const answers = [send({}, () => first.promise), send(), send()];
  clock.time = 60 * minutes;
  answers.push(send());
  first.resolve(7);
  expect(await Promise.all(answers)).toEqual([7, 7, 7, 7]);
  expect(runs()).toBe(0);
});

test("answer: a request that failed is run again, once for all that wait for it", async () => {
  const { send, runs } = setup();
  const first = Promise.withResolvers<number>();
  const failed = send({}, () => first.promise);
  const others = [send(), send()];
  first.reject(new Error("the caller left"));
  await expect(failed).rejects.toThrow("the caller left");
  expect(await Promise.all(others)).toEqual([1, 1]);
  expect(runs()).toBe(1);
});

test("answer: another access key, operation or key is another request", async () => {
  const { send } = setup();
  const sent = [{}, { accessKeyId: "BK" }, { operation: "submitSplit" as const }, { key: "l" }];
  expect(await Promise.all(sent.map((change) => send(change)))).toEqual([1, 2, 3, 4]);
});

test.each([{ body: '{"label":"x"}' }, { target: "/v1/c2?clusterManagement" }])(
  "answer: refuses the key for another request: %j",
  async (change) => {
    const { send, runs } = setup();
    await send();
    await expect(send(change)).rejects.toMatchObject({
      code: "InvalidParameter",
      message: expect.stringContaining('header Idempotency-Key "k" was sent with another request: use a new key'),
    });
    expect(runs()).toBe(1);
  },
);

test("answer: keeps 10,000 keys, and forgets the oldest first", async () => {
  const { send } = setup();
  for (let key = 1; key <= 10_001; key += 1) await send({ key: String(key) });
  expect(await send({ key: "10001" })).toBe(10_001);
  expect(await send({ key: "3" })).toBe(3);
  expect(await send({ key: "1" })).toBe(10_002);
});

test("clear: forgets all keys", async () => {
  const { keys, send } = setup();
  await send();
  keys.clear();
  expect(await send()).toBe(2);
});

test("idempotencyKeyOf: takes 1 to 128 printable characters, and names another value", () => {
  expect(idempotencyKeyOf({})).toBeUndefined();
  for (const value of ["a", "x".repeat(128), "~ !"]) expect(idempotencyKeyOf({ "idempotency-key": value })).toBe(value);
  for (const value of ["", "x".repeat(129), "\u00e9", "a\tb"]) {
    expect(() => idempotencyKeyOf({ "idempotency-key": value })).toThrow(
      "is not valid: it must have 1 to 128 printable characters of ASCII",
    );
  }
});

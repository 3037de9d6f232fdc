import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import type { Engine, EngineEnd } from "../../../../../service/core/ports/engine";
import { systemClock } from "../../../../../service/core/clock";
import { whileEngineRuns } from "../../../../../service/core/clusters/engine-watch";

function engine() {
  const { promise, resolve } = Promise.withResolvers<EngineEnd>();
  return { engine: { ended: promise } as Engine, end: (reason: string) => resolve({ expected: false, reason }) };
}
const lost = { clock: systemClock, toError: (reason: string) => new Error(`lost: ${reason}`) };

test("whileEngineRuns: passes on the response or its error", async () => {
  const { engine: up } = engine();
  expect(await whileEngineRuns(up, Promise.resolve(7), lost)).toBe(7);
  const refused = new errors.InvalidDMLStatement("no");
  await expect(whileEngineRuns(up, Promise.reject(refused), lost)).rejects.toBe(refused);
});

test("whileEngineRuns: rejects with the reason when the engine ends during or before the wait", async () => {
  const { engine: up, end } = engine();
  const waiting = whileEngineRuns(up, new Promise(() => undefined), lost);
  end("out of memory");
  await expect(waiting).rejects.toThrow("lost: out of memory");
  await expect(whileEngineRuns(up, new Promise(() => undefined), lost)).rejects.toThrow("lost: out of memory");
});

test("whileEngineRuns: replaces an error that the end causes by the reason, and keeps API errors", async () => {
  const { engine: up, end } = engine();
  const broken = whileEngineRuns(up, Promise.reject(new Error("channel closed")), lost);
  setTimeout(() => end("killed"), 10);
  await expect(broken).rejects.toThrow("lost: killed");
  const { engine: other } = engine();
  await expect(whileEngineRuns(other, Promise.reject(new Error("a row too many")), lost)).rejects.toThrow(
    "a row too many",
  );
});

import { afterAll, beforeAll } from "vitest";
import type { Engine } from "../../../service/core/ports/engine";
import { Machine } from "./harness";
import { undeclaredSuite } from "./undeclared-suite";

const machine = new Machine();
let engine: Engine;
beforeAll(async () => void (engine = await machine.start()));
afterAll(() => machine[Symbol.asyncDispose]());

undeclaredSuite({
  machine,
  get engine() {
    return engine;
  },
});

/** What the tests of a file share: one service, and for each test a stack and a database of its own. */
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { TestService } from "../../../service/testing";
import { startService, TestStack, type Run } from "../provider/harness";
import { objects } from "./front-ends";

export interface Rounds {
  readonly service: TestService;
  /** The stack of the test, which is destroyed after it. */
  readonly stack: TestStack;
  /** The name of an empty bucket, which no other test uses. */
  readonly database: string;
  /** Runs `up` of a program, which must succeed. @param of the stack. @default that of the test */
  up(program: TestStack["program"], of?: TestStack): Promise<Run>;
  /** Runs `preview` of a program. @param of the stack. @default that of the test */
  preview(program: TestStack["program"], of?: TestStack): Promise<Run>;
}

/** Starts the service before the tests, of which there are `count` at most. */
export function useRounds(count: number): Rounds {
  let service: TestService;
  let stack: TestStack;
  let round = 0;
  beforeAll(async () => {
    const buckets = Array.from({ length: count }, (_, index) => `round-${index + 1}`);
    service = await startService({ objects, buckets });
  });
  beforeEach(async () => {
    round += 1;
    stack = await TestStack.create(service);
    return () => stack[Symbol.asyncDispose]();
  });
  afterAll(() => service?.close());
  return {
    get service() {
      return service;
    },
    get stack() {
      return stack;
    },
    get database() {
      return `round-${round}`;
    },
    async up(program, of = stack) {
      of.program = program;
      const run = await of.up();
      expect(run.ok, run.text).toBe(true);
      return run;
    },
    preview(program, of = stack) {
      of.program = program;
      return of.preview();
    },
  };
}

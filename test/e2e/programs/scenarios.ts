// oxlint-disable vitest/valid-title -- a scenario has the name of its test
/** Runs the programs of many tests together: a command of the engine takes as long for twenty resources as for one. */
import { beforeAll, expect, test } from "vitest";
import type { Run, TestStack } from "../provider/harness";

/** A program, and what is expected after the `up` that ran it. */
interface Step {
  readonly program: () => Promise<void> | void;
  /** @param operations on the scenario's own resources, in their order, such as `create one` */
  readonly then?: (operations: readonly string[]) => Promise<void> | void;
}

/**
 * Defines a test of several steps.
 *
 * @param key begins the names of its resources, as in `key.one`
 */
export type DefineScenario = (key: string, name: string, steps: readonly Step[]) => void;

interface Scenario {
  readonly key: string;
  readonly steps: readonly Step[];
  failure?: unknown;
}

/**
 * Defines tests of several steps each. The first steps of all run in one `up`, then all second steps, and so on; a scenario
 * that has ended is no longer in the program, so that its resources are deleted. An expectation that does not hold fails
 * the test of its scenario only.
 *
 * @param stack is asked for when the tests run
 */
export function defineScenarios(stack: () => TestStack): DefineScenario {
  const all: Scenario[] = [];
  beforeAll(async () => {
    for (let step = 0; step < Math.max(...all.map(({ steps }) => steps.length)); step += 1) await runStep(step);
    stack().program = () => {};
    const run = await stack().destroy();
    expect(run.ok, run.text).toBe(true);
  });

  async function runStep(step: number): Promise<void> {
    stack().program = async () => {
      for (const { steps } of all) await steps[step]?.program();
    };
    const run = await stack().up();
    expect(run.ok, run.text).toBe(true);
    for (const scenario of all) {
      try {
        await scenario.steps[step]?.then?.(operations(run, scenario.key));
      } catch (error) {
        scenario.failure ??= error;
      }
    }
  }

  return (key, name, steps) => {
    const scenario: Scenario = { key, steps };
    all.push(scenario);
    test(name, () => {
      if (scenario.failure !== undefined) throw scenario.failure;
    });
  };
}

/** Operations on the resources of this package whose names begin with a key. */
function operations(run: Run, key: string): string[] {
  return run.events.flatMap(({ resourcePreEvent }) => {
    const { op = "", type = "", urn = "" } = resourcePreEvent?.metadata ?? {};
    const [owner, name] = urn.split("::").at(-1)!.split(".");
    const isOwn = /dag/.test(type) && !type.startsWith("pulumi:") && owner === key;
    return isOwn && op !== "same" && op !== "refresh" ? [`${op} ${name}`] : [];
  });
}

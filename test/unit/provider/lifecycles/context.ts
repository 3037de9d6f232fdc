/** A context for lifecycle tests that records messages. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LifecycleContext } from "../../../../provider/lifecycles";
import { FakeService } from "./fake-service";

export interface TestContext extends LifecycleContext {
  readonly service: FakeService;
  readonly rows: string[];
  readonly infos: string[];
  readonly warnings: string[];
}

/** Creates a context with its own or a given service. Time passes a hundred times as fast. */
export function testContext(given: Partial<LifecycleContext> & { readonly service?: FakeService } = {}): TestContext {
  const { service = new FakeService() } = given;
  const [rows, infos, warnings]: [string[], string[], string[]] = [[], [], []];
  return {
    client: service.client,
    signal: new AbortController().signal,
    timeout: 60_000,
    urn: "urn:pulumi:dev::unit::dag:index:Any::one",
    submissionToken: true,
    secret: false,
    report: (line) => rows.push(line),
    info: (text) => infos.push(text),
    warn: (text) => warnings.push(text),
    now: () => Date.now(),
    sleep: (milliseconds, signal) =>
      sleep(Math.min(milliseconds / 100, 2 ** 30), undefined, signal && { signal }).then(() => {}),
    ...given,
    service,
    rows,
    infos,
    warnings,
  };
}

/** Check options for tests. */
export const checkOptions = {
  urn: "urn:pulumi:dev::unit::dag:index:Any::one",
  storage: true,
  submissionToken: true,
  secret: false,
};

/** Resolves when a condition becomes true. */
export async function until(condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition(); looks += 1) {
    if (looks > 2_000) throw new Error("gave up waiting");
    await sleep(1);
  }
}

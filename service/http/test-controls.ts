/**
 * The test controls of a service that was started with `--allow-faults`; they accept requests from this machine only.
 */
import type { Hono } from "hono";
import * as z from "zod";
import { errors } from "../../contract";
import type { AdvanceableClock } from "../core/clock";
import type { Env } from "./env";
import { readBody } from "./body";
import { faultRule, type Faults } from "./faults";
import { requireControl, requireLoopback } from "./loopback";

export interface TestControls {
  readonly faults: Faults;
  readonly clock: AdvanceableClock;
  /** Deletes every query and its results. */
  reset(): Promise<void>;
}

const clockChange = z.strictObject({ advanceMs: z.int().min(0) });
const clockRule = 'the body must be {"advanceMs": n} with a whole number of milliseconds, 0 or more';
const faultsRule =
  "the body must be a list of rules, each with an operation of the API or *, a probability from 0 to 1, and at least " +
  "one of code (an error code of the API), latencyMs (0 to 3600000) and dropConnection (true, before or after)";

/**
 * Adds the test controls: `GET /_faults` and `PUT /_faults` read and replace the rules, `PUT /_clock` with
 * `{"advanceMs": n}` advances the clock, `POST /_reset` deletes queries and results and resets rules and clock. PUT and
 * POST need the header `x-dag-control`.
 */
export function addTestControls(app: Hono<Env>, { faults, clock, reset }: TestControls): void {
  app.get("/_faults", (c) => {
    requireLoopback(c.env.incoming);
    return c.json(faults.rules);
  });
  app.put("/_faults", async (c) => {
    requireControl(c.env.incoming);
    faults.set(parseBody(z.array(faultRule), faultsRule, await readBody(c.env.incoming)));
    return c.body(null, 204);
  });
  app.put("/_clock", async (c) => {
    requireControl(c.env.incoming);
    clock.advance(parseBody(clockChange, clockRule, await readBody(c.env.incoming)).advanceMs);
    return c.json({ now: new Date(clock.now()).toISOString() });
  });
  app.post("/_reset", async (c) => {
    requireControl(c.env.incoming);
    faults.reset();
    clock.reset();
    await reset();
    return c.body(null, 204);
  });
}

/** @param rule says what the body must be */
function parseBody<Value>(schema: z.ZodType<Value>, rule: string, body: Uint8Array): Value {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    throw new errors.MalformedJSON("the request body is not valid JSON");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path }] = parsed.error.issues as [z.core.$ZodIssue];
  const at = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  throw new errors.InvalidParameter(`body${at} is not valid: ${rule}`);
}

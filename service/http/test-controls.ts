/** What tests of users' own may do to a service that was started with `--allow-faults`, from the same machine. */
import type { Hono } from "hono";
import * as z from "zod";
import { errors } from "../../contract";
import type { AdvanceableClock } from "../core/clock";
import type { Env } from "./env";
import { readBody } from "./body";
import { faultRule, type Faults } from "./faults";
import { requireLoopback } from "./loopback";

export interface Controls {
  readonly faults: Faults;
  readonly clock: AdvanceableClock;
  /** Forgets every query and what it wrote. */
  reset(): Promise<void>;
}

const clockChange = z.strictObject({ advanceMs: z.int().min(0) });

/**
 * `GET /_faults` and `PUT /_faults` (the list of rules), `PUT /_clock` (`{"advanceMs": n}`), `POST /_reset`
 * (queries and what they wrote, rules and clock as they were at the start).
 */
export function testControls(app: Hono<Env>, { faults, clock, reset }: Controls): void {
  app.get("/_faults", (c) => {
    requireLoopback(c.env.incoming);
    return c.json(faults.rules);
  });
  app.put("/_faults", async (c) => {
    requireLoopback(c.env.incoming);
    faults.set(parse(z.array(faultRule), await readBody(c.env.incoming)));
    return c.body(null, 204);
  });
  app.put("/_clock", async (c) => {
    requireLoopback(c.env.incoming);
    clock.advance(parse(clockChange, await readBody(c.env.incoming)).advanceMs);
    return c.json({ now: new Date(clock.now()).toISOString() });
  });
  app.post("/_reset", async (c) => {
    requireLoopback(c.env.incoming);
    faults.reset();
    clock.reset();
    await reset();
    return c.body(null, 204);
  });
}

function parse<Value>(schema: z.ZodType<Value>, body: Uint8Array): Value {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    throw new errors.MalformedJSON("the request body is not JSON");
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new errors.InvalidParameter(z.prettifyError(parsed.error).replaceAll("\n", " "));
}

/** The service's time as far as its answers told it, so that a wrong clock on this machine does not matter. */
import type { Clock } from "./clock";

/** This machine's clock, set right by what the service says. */
export class ServiceTime {
  #offset = 0;

  constructor(private readonly clock: Pick<Clock, "now">) {}

  /** The Date header of a request that is signed now, RFC 1123. */
  dateHeader(): string {
    return new Date(this.clock.now() + this.#offset).toUTCString();
  }

  /** Takes over the time of an answer's Date header; false where it says none. */
  learn(dateHeader: string | undefined): boolean {
    const time = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (Number.isNaN(time)) return false;
    this.#offset = time - this.clock.now();
    return true;
  }
}

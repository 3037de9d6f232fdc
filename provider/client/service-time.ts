/** Corrects clock skew between this machine and the service. */
import type { Clock } from "./clock";

const hour = 3_600_000;

/** The local clock plus the offset to the service's clock. */
export class ServiceTime {
  #offset = 0;

  /**
   * @param maxOffset the largest correction, in milliseconds: a request that is signed with a time far in the future could
   * be sent again then, by anyone who has it. On one machine, a service whose clock a test has advanced is followed.
   */
  constructor(
    private readonly clock: Pick<Clock, "now">,
    private readonly maxOffset = 24 * hour,
  ) {}

  /** Returns the current time for a Date header (RFC 1123). */
  dateHeader(): string {
    return new Date(this.clock.now() + this.#offset).toUTCString();
  }

  /**
   * Sets the offset from a response's Date header. Returns why it is left as it is; undefined when it was set.
   */
  synchronize(dateHeader: string | undefined): string | undefined {
    const time = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (Number.isNaN(time)) return "the response has no Date header with the service's time";
    const offset = time - this.clock.now();
    if (Math.abs(offset) > this.maxOffset) {
      return `the service's time, ${new Date(time).toUTCString()}, is more than 24 hours from that of this machine, and the client corrects no more: set the clock that is wrong`;
    }
    this.#offset = offset;
    return undefined;
  }
}

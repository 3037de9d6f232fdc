/** Corrects clock skew between this machine and the service. */
import type { Clock } from "./clock";

/** The local clock plus the offset to the service's clock. */
export class ServiceTime {
  #offset = 0;

  constructor(private readonly clock: Pick<Clock, "now">) {}

  /** Returns the current time for a Date header (RFC 1123). */
  dateHeader(): string {
    return new Date(this.clock.now() + this.#offset).toUTCString();
  }

  /** Sets the offset from a response's Date header. Returns false when the header is missing or invalid. */
  synchronize(dateHeader: string | undefined): boolean {
    const time = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader);
    if (Number.isNaN(time)) return false;
    this.#offset = time - this.clock.now();
    return true;
  }
}

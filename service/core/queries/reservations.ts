/** Folders that somebody is writing to: nobody else may write there, above or below (design §3). */
import { formatLocation, overlaps, type Location } from "../../../contract";

export interface Reservation {
  readonly folder: Location;
  /** Who writes, for messages, such as `query 7`. */
  owner: string;
  release(): void;
}

export class Reservations {
  readonly #held = new Set<Reservation>();

  /** Who writes at, above or below the folder; undefined where nobody does. */
  holder(folder: Location): Reservation | undefined {
    for (const held of this.#held) if (overlaps(held.folder, folder)) return held;
    return undefined;
  }

  /** Takes the folder. The caller has seen that {@link holder} has none. */
  take(folder: Location, owner: string): Reservation {
    const reservation: Reservation = { folder, owner, release: () => void this.#held.delete(reservation) };
    this.#held.add(reservation);
    return reservation;
  }
}

/** Says who writes where, for the message of a refusal. */
export function describeReservation({ folder, owner }: Reservation): string {
  return `${owner} writes to ${formatLocation(folder)}`;
}

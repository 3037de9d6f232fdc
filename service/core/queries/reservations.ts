/** Reserves output folders: no other writer may use the same folder, a parent or a child of it (design §3). */
import { formatLocation, overlaps, type Location } from "../../../contract";

export interface Reservation {
  readonly folder: Location;
  /** The writer, for messages, such as `query 7`. */
  owner: string;
  release(): void;
}

export class Reservations {
  readonly #reservations = new Set<Reservation>();

  /** Returns the reservation of the same folder, a parent or a child of it; undefined when there is none. */
  findOverlapping(folder: Location): Reservation | undefined {
    for (const reservation of this.#reservations) if (overlaps(reservation.folder, folder)) return reservation;
    return undefined;
  }

  /** Reserves the folder. The caller has checked that {@link findOverlapping} returns undefined. */
  reserve(folder: Location, owner: string): Reservation {
    const reservation: Reservation = { folder, owner, release: () => void this.#reservations.delete(reservation) };
    this.#reservations.add(reservation);
    return reservation;
  }
}

/** Describes a reservation for an error message. */
export function describeReservation({ folder, owner }: Reservation): string {
  return `${owner} writes to ${formatLocation(folder)}`;
}

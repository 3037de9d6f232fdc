/** The queries that the service has accepted, as the checks know them. */
import { parseLocation, type Location } from "../../../contract";
import { outputFolder } from "../../../service/core/queries/output-folder";
import type { AcceptedQuery } from "../../../service/core/ports/state";
import { bucketsFolder } from "../actors/storage";
import type { QueryRow, Records } from "../records";

/** A query that the service has accepted. */
export interface Known {
  readonly id: number;
  readonly folder: Location;
  readonly label: string | null;
  /** The run of a deployment, or another caller, that has submitted it. */
  readonly caller: string;
  status: string;
  /** True when its record was deleted as an old one. */
  isForgotten: boolean;
  /** True when a cancel was answered with 204. */
  isCancelAnswered: boolean;
  /** True when it was decided that its result will not be published; a service that has no PostgreSQL forgets that when it ends. */
  isCancelled: boolean;
  /** Attempts whose result was moved to its place. */
  readonly published: number[];
}

export class KnownQueries {
  /** By their IDs. */
  readonly all = new Map<number, Known>();
  /** The attempts that a fault has hit, as `<query>/<epoch>`: they may fail. */
  readonly #hit = new Set<string>();
  /** The last query that published to a folder, by the folder's path. */
  readonly publishers = new Map<string, Known>();

  constructor(readonly records: Records) {}

  /** A fault hits the last attempt of a query. */
  faultHits(id: number): void {
    this.#hit.add(`${id}/${this.records.get(id)?.epoch}`);
  }

  /** Returns true when a fault has hit the last attempt of a query. */
  isHit(id: number): boolean {
    return this.#hit.has(`${id}/${this.records.get(id)?.epoch}`);
  }

  /** Returns the status of a query in the database; undefined without one. */
  status(id: number): string | undefined {
    return this.records.get(id)?.status;
  }
}

/** Returns the path of a folder on the disk. */
export function pathOf({ bucket, key }: Location): string {
  return `${bucketsFolder}/${bucket}/${key}`.replace(/\/$/, "");
}

/** Returns the folder that a stored query writes to. */
export function folderOfRow({ type, request }: QueryRow): Location {
  return outputFolder({ type, ...JSON.parse(request) } as AcceptedQuery);
}

/** Returns the URL of a folder. */
export const shown = ({ bucket, key }: Location) => `dag://${bucket}/${key}`;

/** Says what a query does. */
export function describe(query: AcceptedQuery): string {
  return query.type === "select"
    ? `${query.query} to ${shown(parseLocation(query.outputResourcePath))}`
    : `a split to ${query.outputDatabase}.${query.outputTable}`;
}

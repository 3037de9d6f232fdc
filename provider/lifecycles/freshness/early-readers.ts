/**
 * Finds queries that read a table which the program registers only after them. The engine checks a resource after those
 * that it depends on, so such a query does not depend on the table, and may run before it is made.
 */
import { nameOf } from "../queries/resource-name";
import { longestToken, TokenIndex, tokens } from "../overlap/location-index";
import type { Location } from "../../../contract/location";

/** A query that was checked. */
interface Reader {
  /** URN of the resource. */
  readonly urn: string;
  readonly query: string;
  /** True when an input is secret, so that no message quotes inputs. */
  readonly secret: boolean;
  /** Returns the tables that the statement reads. */
  tables(): readonly { readonly database: string; readonly table: string }[];
}

/** A query that reads a table without a dependency on it. */
interface EarlyRead {
  /** URN of the resource that reads the table. */
  readonly urn: string;
  /** Says which table it reads, and what to do. */
  readonly text: string;
}

/** The queries of one run, in the order in which the engine checks them. */
export class EarlyReaders {
  readonly #readers = new TokenIndex<Reader>();
  readonly #known = new Set<string>();
  #found: EarlyRead[] = [];

  /** Notes that a query was checked. A replaced resource is checked twice. */
  checked(reader: Reader): void {
    if (this.#known.has(reader.urn)) return;
    this.#known.add(reader.urn);
    this.#readers.add(tokens(reader.query), reader);
  }

  /**
   * Notes that a resource writes a folder, which no resource of the run did before.
   * @param maker URN of the resource.
   */
  registered({ bucket, key }: Location, maker: string): void {
    const [name = "", rest] = key.split("/");
    if (rest !== "") return;
    const isIt = (read: { readonly database: string; readonly table: string }) =>
      read.database.toLowerCase() === bucket.toLowerCase() && read.table.toLowerCase() === name.toLowerCase();
    for (const { urn, query, secret, tables } of this.#readers.matching([longestToken(name)])) {
      if (urn === maker || !query.toLowerCase().includes(bucket.toLowerCase()) || !tables().some(isIt)) continue;
      const table = secret ? "a table" : `${bucket}.${name}`;
      this.#found.push({
        urn,
        text:
          `it reads ${table}, which ${nameOf(maker)} makes, but does not depend on it, so it may read what was there ` +
          `before: add dependsOn, or use an output of ${nameOf(maker)} in the statement`,
      });
    }
  }

  /** Returns the queries that were found since the last call. */
  take(): readonly EarlyRead[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }
}

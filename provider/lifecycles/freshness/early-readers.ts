/**
 * Finds queries that do not depend on a table of the program that they read, and so may run before it is made. The engine
 * checks a resource when those that it depends on are made: a query is found when it is checked before the table's
 * resource, or while that is not made yet.
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
  /** Makers of tables that were checked, and are not made yet. */
  readonly #unmade = new Set<string>();
  #found: EarlyRead[] = [];

  /**
   * Notes that a query was checked. A replaced resource is checked twice.
   * @param made the tables that it reads and that resources of the program make, with the URNs of these.
   */
  checked(reader: Reader, made: readonly { readonly name: string; readonly maker: string }[]): void {
    if (this.#known.has(reader.urn)) return;
    this.#known.add(reader.urn);
    this.#readers.add(tokens(reader.query), reader);
    for (const { name, maker } of made)
      if (this.#unmade.has(maker) && maker !== reader.urn) this.#add(reader, name, maker);
  }

  /** Notes that a resource that makes a table was checked. @param exists true when it need not be made. */
  checkedMaker(maker: string, exists: boolean): void {
    if (exists) this.#unmade.delete(maker);
    else this.#unmade.add(maker);
  }

  /** Notes that a resource was made, or that this failed. */
  made(maker: string): void {
    this.#unmade.delete(maker);
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
    for (const reader of this.#readers.matching([longestToken(name)])) {
      // Parsing takes much longer.
      const mayRead = reader.urn !== maker && reader.query.toLowerCase().includes(bucket.toLowerCase());
      if (mayRead && reader.tables().some(isIt)) this.#add(reader, `${bucket}.${name}`, maker);
    }
  }

  /** Returns the queries that were found since the last call. */
  take(): readonly EarlyRead[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #add({ urn, secret }: Reader, name: string, maker: string): void {
    this.#found.push({
      urn,
      text:
        `it reads ${secret ? "a table" : name}, which ${nameOf(maker)} makes, but does not depend on it, so it may read what ` +
        `was there before: add dependsOn, or use an output of ${nameOf(maker)} in the statement`,
    });
  }
}

/**
 * Finds queries that do not depend on a table of the program that they read, and so may run before it is made. The engine
 * checks a resource when those that it depends on are made: a query is found when it is checked before the table's
 * resource, or while that is not made yet. Nothing runs such a query again for its table: what the table is now is known
 * only after the query was compared.
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
  /** The queries that were checked before a table's resource, by its URN. */
  readonly #before = new Map<string, { readonly reader: Reader; readonly name: string }[]>();
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
      if (!mayRead || !reader.tables().some(isIt)) continue;
      this.#add(reader, `${bucket}.${name}`, maker);
      this.#before.set(maker, [...(this.#before.get(maker) ?? []), { reader, name: `${bucket}.${name}` }]);
    }
  }

  /**
   * Notes that a resource that makes a table was compared with its state.
   * @param whyOutdated returns why the result of a query, by its URN, is not of the table; undefined if it may be.
   */
  comparedMaker(maker: string, whyOutdated: (urn: string, table: string) => string | undefined): void {
    for (const { reader, name } of this.#before.get(maker) ?? []) {
      const why = whyOutdated(reader.urn, tableOf(reader, name));
      if (why === undefined) continue;
      const text = `its result is out of date: ${why}. It runs again only when it depends on that: ${remedyFor(maker)}`;
      this.#found.push({ urn: reader.urn, text });
    }
  }

  /** Returns the queries that were found since the last call. */
  take(): readonly EarlyRead[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #add(reader: Reader, name: string, maker: string): void {
    this.#found.push({
      urn: reader.urn,
      text:
        `it reads ${tableOf(reader, name)}, which ${nameOf(maker)} makes, but does not depend on it, so it may read what ` +
        `was there before: ${remedyFor(maker)}`,
    });
  }
}

function tableOf({ secret }: Reader, name: string): string {
  return secret ? "a table" : name;
}

function remedyFor(maker: string): string {
  return `add dependsOn, or use an output of ${nameOf(maker)} in the statement`;
}

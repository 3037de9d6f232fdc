/**
 * Finds queries and splits that do not depend on a table or a result of the program that they read, and so may run before
 * it is made. The engine checks a resource when those that it depends on are made: a reader is found when it is checked
 * before the table's resource, or while that is not made yet. Nothing runs such a reader again for its table: what the
 * table is now is known only after the reader was compared.
 */
import { nameOf } from "../queries/resource-name";
import { FolderIndex, longestToken, TokenIndex, tokens } from "../overlap/location-index";
import { LocationError, parseLocation, type Location } from "../../../contract/location";

/** A query or a split that was checked. */
interface Reader {
  /** URN of the resource. */
  readonly urn: string;
  /** True when an input is secret, so that no message quotes inputs. */
  readonly secret: boolean;
  /** The inputs of a split; absent for a query. */
  readonly inputs?: readonly string[];
}

/** A query that was checked. */
interface QueryReader extends Reader {
  readonly query: string;
  /** Returns the tables that the statement reads. */
  tables(): readonly { readonly database: string; readonly table: string }[];
}

/** A table that a reader names, and the URN of the resource that makes it. */
interface Made {
  readonly name: string;
  readonly maker: string;
}

/** A reader of a table without a dependency on it, or of one that nobody makes. */
interface EarlyRead {
  /** URN of the resource that reads the table. */
  readonly urn: string;
  /** Says which table it reads, and what to do. */
  readonly text: string;
}

/** The readers of one run, in the order in which the engine checks them. */
export class EarlyReaders {
  readonly #queries = new TokenIndex<QueryReader>();
  readonly #inputs = new FolderIndex<{ readonly reader: Reader; readonly name: string }>();
  readonly #known = new Set<string>();
  /** Makers of tables that were checked, and are not made yet. */
  readonly #unmade = new Set<string>();
  /** The readers that were checked before a table's resource, by its URN. */
  readonly #before = new Map<string, { readonly reader: Reader; readonly name: string }[]>();
  #found: EarlyRead[] = [];

  /**
   * Notes that a query was checked. A replaced resource is checked twice.
   * @param made the tables that it reads and that resources of the program make, with the URNs of these.
   */
  checked(reader: QueryReader, made: readonly Made[]): void {
    if (this.#isNew(reader, made)) this.#queries.add(tokens(reader.query), reader);
  }

  /**
   * Notes that a split was checked.
   * @param made those of its inputs that resources of the program make.
   */
  checkedSplit(reader: Required<Reader>, made: readonly Made[]): void {
    if (!this.#isNew(reader, made)) return;
    for (const name of reader.inputs) {
      try {
        this.#inputs.add(parseLocation(name), { reader, name });
      } catch (error) {
        // The resource's own check reports the invalid location.
        if (!(error instanceof LocationError)) throw error;
      }
    }
  }

  #isNew(reader: Reader, made: readonly Made[]): boolean {
    if (this.#known.has(reader.urn)) return false;
    this.#known.add(reader.urn);
    const early = made.filter(({ maker }) => this.#unmade.has(maker) && maker !== reader.urn);
    for (const maker of new Set(early.map((each) => each.maker))) {
      this.#add(reader, early.find((each) => each.maker === maker)!.name, maker);
    }
    return true;
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

  /** Returns true for a resource that was checked, and is not made yet. */
  isAwaited(maker: string): boolean {
    return this.#unmade.has(maker);
  }

  /**
   * Notes that a resource writes a folder, which no resource of the run did before.
   * @param maker URN of the resource.
   */
  registered(folder: Location, maker: string): void {
    const { bucket, key } = folder;
    const inputs = this.#inputs.within(folder).filter(({ reader }) => reader.urn !== maker);
    for (const reader of new Set(inputs.map((input) => input.reader))) {
      this.#addBefore(reader, inputs.find((input) => input.reader === reader)!.name, maker);
    }
    const [name = "", rest] = key.split("/");
    if (rest !== "") return;
    const isIt = (read: { readonly database: string; readonly table: string }) =>
      read.database.toLowerCase() === bucket.toLowerCase() && read.table.toLowerCase() === name.toLowerCase();
    for (const reader of this.#queries.matching([longestToken(name)])) {
      // Parsing takes much longer.
      const mayRead = reader.urn !== maker && reader.query.toLowerCase().includes(bucket.toLowerCase());
      if (mayRead && reader.tables().some(isIt)) this.#addBefore(reader, `${bucket}.${name}`, maker);
    }
  }

  /**
   * Notes that a resource that makes a table was compared with its state.
   * @param whyOutdated returns why the result of a reader, by its URN, is not of the table; undefined if it may be.
   */
  comparedMaker(maker: string, whyOutdated: (urn: string, table: string) => string | undefined): void {
    for (const { reader, name } of this.#before.get(maker) ?? []) {
      const why = whyOutdated(reader.urn, tableOf(reader, name));
      if (why === undefined) continue;
      const text = `its result is out of date: ${why}. It runs again only when it depends on that: ${remedyFor(reader, maker)}`;
      this.#found.push({ urn: reader.urn, text });
    }
  }

  /** Adds a reader that was found otherwise. */
  found(reader: EarlyRead): void {
    this.#found.push(reader);
  }

  /** Returns the readers that were found since the last call. */
  take(): readonly EarlyRead[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #addBefore(reader: Reader, name: string, maker: string): void {
    this.#add(reader, name, maker);
    this.#before.set(maker, [...(this.#before.get(maker) ?? []), { reader, name }]);
  }

  #add(reader: Reader, name: string, maker: string): void {
    this.#found.push({
      urn: reader.urn,
      text:
        `it reads ${tableOf(reader, name)}, which ${nameOf(maker)} makes, but does not depend on it, so it may read what ` +
        `was there before: ${remedyFor(reader, maker)}`,
    });
  }
}

function tableOf({ secret, inputs }: Reader, name: string): string {
  if (secret) return inputs ? "an object" : "a table";
  return name;
}

function remedyFor({ inputs }: Reader, maker: string): string {
  return `add dependsOn, or use an output of ${nameOf(maker)} in ${inputs ? "inputObjectKeys" : "the statement"}`;
}

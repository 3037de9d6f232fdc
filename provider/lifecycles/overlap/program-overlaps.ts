/** Detects resources of one run with conflicting locations, from what the engine has asked the provider to check. */
import { checkStatement } from "../../../hiveql/syntax";
import type { Waiting } from "../freshness/waiting";
import type { CheckFailure } from "../lifecycle";
import { hasUnknown } from "../schema/check";
import { LocationClaims, OverlapError } from "./overlap";

type Values = Readonly<Record<string, unknown>>;

/** Adds the locations of a resource. Returns one promise per property, which rejects with an OverlapError. */
type ClaimAdder = (
  claims: LocationClaims,
  owner: string,
  inputs: Values,
) => readonly [property: string, work: Promise<void>][];

/** Milliseconds without a further resource after which a program is taken to have registered those it makes at once. */
const quietTime = 1_500;
/** Milliseconds between two checks for a further resource. */
const interval = 250;

/** Collects the locations of all resources in one run of the engine. */
export class ProgramOverlaps {
  readonly #claims = new LocationClaims((statement) => Promise.resolve(checkStatement(statement).tables));
  /** Number of resources that the engine has asked about. */
  #registrations = 0;
  /** Number of questions that are not answered. */
  #unanswered = 0;

  /** Runs the check or the comparison of a resource. The engine sends those of a run one after another. */
  async registering<Result>(answer: () => Promise<Result>): Promise<Result> {
    this.#registrations += 1;
    this.#unanswered += 1;
    try {
      return await answer();
    } finally {
      this.#unanswered -= 1;
    }
  }

  /** Adds the locations that a resource writes and reads. Returns its conflicts with other resources. */
  async check(urn: string, inputs: object): Promise<CheckFailure[]> {
    const kind = (urn.split("::")[2] ?? "").split(":").at(-1)!;
    const additions = claimsByKind[kind]?.(this.#claims, ownerOf(urn), inputs as Values) ?? [];
    const found = await Promise.all(additions.map(([property, work]) => failureOf(property, work)));
    return found.flat();
  }

  /**
   * Waits until the engine has asked about no further resource for a moment: the engine creates a resource while it
   * checks the next ones.
   */
  async registered({ sleep, signal }: Waiting): Promise<void> {
    for (let quiet = 0; quiet < quietTime; quiet += interval) {
      const before = this.#registrations;
      await sleep(interval, signal);
      if (this.#unanswered > 0 || this.#registrations > before) quiet = -interval;
    }
  }

  /**
   * Waits until the program has registered its resources.
   * @throws {OverlapError} when the resource has a conflict with one of them.
   */
  async requireNoConflict(urn: string, context: Waiting): Promise<void> {
    await this.registered(context);
    await this.#claims.requireNoConflict(ownerOf(urn));
  }
}

/** Returns a resource for messages. Resources of one type may have the same name in components of different types. */
function ownerOf(urn: string): string {
  const [types = "", ...name] = urn.split("::").slice(2);
  const components = types.slice(0, Math.max(0, types.lastIndexOf("$")));
  return `${types.split(":").at(-1)!} "${name.join("::")}"${components === "" ? "" : ` of ${components}`}`;
}

const claimsByKind: Readonly<Record<string, ClaimAdder>> = {
  SelectQuery: (claims, owner, { outputResourcePath, query, rerunWithTables }) => [
    ...text(outputResourcePath, "outputResourcePath", (path) => claims.addOutput(owner, path, { deletes: true })),
    ...text(query, "query", (statement) =>
      claims.addStatement(owner, statement, { follows: rerunWithTables !== false }),
    ),
  ],
  SplitTable: (claims, owner, { outputDatabase, outputTable, inputObjectKeys }) => [
    ...text(hasUnknown(outputDatabase) ? outputDatabase : outputTable, "outputTable", (table) =>
      claims.addOutput(owner, `dag://${String(outputDatabase)}/${table}/`, { deletes: false }),
    ),
    ...(Array.isArray(inputObjectKeys) ? inputObjectKeys : []).flatMap((key: unknown) =>
      text(key, "inputObjectKeys", async (location) => claims.addInput(owner, location)),
    ),
  ],
  ClusterLogExport: (claims, owner, { outputLogPath }) =>
    text(outputLogPath, "outputLogPath", (path) => claims.addOutput(owner, path, { deletes: false })),
};

function text(value: unknown, property: string, work: (value: string) => Promise<void>): [string, Promise<void>][] {
  return typeof value === "string" ? [[property, work(value)]] : [];
}

async function failureOf(property: string, work: Promise<void>): Promise<CheckFailure[]> {
  try {
    await work;
    return [];
  } catch (error) {
    if (error instanceof OverlapError) return [{ property, reason: error.message }];
    throw error;
  }
}

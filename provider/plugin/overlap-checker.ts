/** Detects resources of one program with conflicting locations. The plugin checks all resources of a run. */
import { checkStatement } from "../../hiveql/syntax";
import { hasUnknown, type CheckFailure } from "../lifecycles";
import { LocationClaims, OverlapError } from "../lifecycles/overlap/overlap";
import type { Values } from "./struct-values";

/** Adds the locations of a resource. Returns one promise per property, which rejects with an OverlapError. */
type ClaimAdder = (
  claims: LocationClaims,
  owner: string,
  inputs: Values,
) => readonly [property: string, work: Promise<void>][];

/** Collects the locations of all resources in one run of the engine. */
export class OverlapChecker {
  readonly #claims = new LocationClaims((statement) => Promise.resolve(checkStatement(statement).tables));

  /** Adds the locations that a resource writes and reads. Returns its conflicts with other resources. */
  async check(urn: string, inputs: Values): Promise<CheckFailure[]> {
    const [types = "", ...name] = urn.split("::").slice(2);
    const kind = types.split(":").at(-1)!;
    // Resources of one type may have the same name in components of different types.
    const components = types.slice(0, Math.max(0, types.lastIndexOf("$")));
    const owner = `${kind} "${name.join("::")}"${components === "" ? "" : ` of ${components}`}`;
    const additions = claimsByKind[kind]?.(this.#claims, owner, inputs) ?? [];
    const found = await Promise.all(additions.map(([property, work]) => failureOf(property, work)));
    return found.flat();
  }
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

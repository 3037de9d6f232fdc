/** Resources of one program that would get into each other's way: the plugin sees them all in their checks. */
import { checkStatement } from "../../hiveql/syntax";
import { hasUnknown, type CheckFailure } from "../lifecycles";
import { LocationClaims, OverlapError } from "../lifecycles/overlap/overlap";
import type { Values } from "./values";

/** Which resource a request is of. */
type Claim = (
  claims: LocationClaims,
  owner: string,
  inputs: Values,
) => readonly [property: string, work: Promise<void>][];

/** Watches over the resources of one run of the engine. */
export class Overlaps {
  readonly #claims = new LocationClaims((statement) => Promise.resolve(checkStatement(statement).tables));

  /** Adds what a resource writes and reads; says what of it gets into another's way. */
  async claim(urn: string, inputs: Values): Promise<CheckFailure[]> {
    const kind = urn.slice(0, urn.lastIndexOf("::")).split(":").at(-1)!;
    const owner = `${kind} "${urn.split("::").slice(3).join("::")}"`;
    const works = claimsOf[kind]?.(this.#claims, owner, inputs) ?? [];
    const found = await Promise.all(works.map(([property, work]) => failureOf(property, work)));
    return found.flat();
  }
}

const claimsOf: Readonly<Record<string, Claim>> = {
  SelectQuery: (claims, owner, { outputResourcePath, query }) => [
    ...text(outputResourcePath, "outputResourcePath", (path) => claims.addOutput(owner, path, { deletes: true })),
    ...text(query, "query", (statement) => claims.addStatement(owner, statement)),
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

/** Generates the name of a table when the program does not set one. */
import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { fields, problems } from "../../../contract";
import type { CheckFailure, CheckOptions } from "../lifecycle";

/** Returns the existing name of the resource or a generated one; undefined when autonaming is disabled. */
export function autonamedTable({ urn, olds, randomSeed, autonaming }: CheckOptions): string | undefined {
  const before = (olds as { readonly outputTable?: string } | undefined)?.outputTable;
  if (before !== undefined) return before;
  if (autonaming?.mode === "disable") return undefined;
  if (autonaming?.mode === "enforce") return autonaming.proposedName;
  if (autonaming) return toTableName(autonaming.proposedName).slice(0, 128);
  const name = urn.split("::").slice(3).join("::") || "table";
  const suffix = randomSeed ? createHash("sha256").update(randomSeed).digest() : randomBytes(4);
  return `${toTableName(name).slice(0, 120)}_${suffix.toString("hex").slice(0, 7)}`;
}

function toTableName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_]/g, "_");
}

/** Returns the problem of a generated name. */
export function namingProblem(outputTable: string | undefined): CheckFailure[] {
  const remedy = 'set outputTable, or change "pulumi:autonaming"';
  if (outputTable === undefined) {
    return [{ property: "outputTable", reason: `outputTable is not set, and autonaming is disabled: ${remedy}` }];
  }
  const found = problems(z.object({ outputTable: fields.outputTable }), { outputTable });
  return found.map(({ message }) => ({ property: "outputTable", reason: `${message}: ${remedy}` }));
}

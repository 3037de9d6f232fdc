/** The name of a table that the program leaves to us. */
import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { fields, problems } from "../../../contract";
import type { CheckFailure, CheckOptions } from "../lifecycle";

/** The name that the resource has, or a new one; undefined where none is to be made up. */
export function tableName({ urn, olds, randomSeed, autonaming }: CheckOptions): string | undefined {
  const before = (olds as { readonly outputTable?: string } | undefined)?.outputTable;
  if (before !== undefined) return before;
  if (autonaming?.mode === "disable") return undefined;
  if (autonaming?.mode === "enforce") return autonaming.proposedName;
  if (autonaming) return tableWord(autonaming.proposedName).slice(0, 128);
  const name = urn.split("::").slice(3).join("::") || "table";
  const chance = randomSeed ? createHash("sha256").update(randomSeed).digest() : randomBytes(4);
  return `${tableWord(name).slice(0, 120)}_${chance.toString("hex").slice(0, 7)}`;
}

function tableWord(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_]/g, "_");
}

/** What is wrong with a name that was filled in. */
export function namingProblem(outputTable: string | undefined): CheckFailure[] {
  const remedy = 'give outputTable, or change "pulumi:autonaming"';
  if (outputTable === undefined) {
    return [{ property: "outputTable", reason: `outputTable is left out, and autonaming is off: ${remedy}` }];
  }
  const found = problems(z.object({ outputTable: fields.outputTable }), { outputTable });
  return found.map(({ message }) => ({ property: "outputTable", reason: `${message}: ${remedy}` }));
}

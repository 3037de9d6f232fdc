/** The input `resultRows` of a SelectQuery. */
import * as z from "zod";
import type { CheckFailure, CheckOptions } from "../../lifecycle";
import { hasUnknown } from "../../schema/check";
import { optional } from "../../schema/properties";
import { storageRemedy } from "../../configuration";
import { maxRows, type ObjectList } from "../results";

const rule = `it must be a whole number from 0 to ${maxRows}`;

/** Declares the input. */
export const resultRowsInput = {
  resultRows: optional(z.int({ error: rule }).min(0, rule).max(maxRows, rule), {
    change: "update",
    fallback: 0,
    description: `Number of the result's first rows to store in \`result.rows\`, 0 to ${maxRows}. Requires \`dag:storage\`. Default 0.`,
  }),
};

/** Returns the problem of rows that cannot be read, because no storage is configured. */
export function resultRowsProblems(
  { resultRows }: { readonly resultRows?: number | undefined },
  { storage, secret }: Pick<CheckOptions, "storage" | "secret">,
): CheckFailure[] {
  if (storage || hasUnknown(resultRows) || (resultRows ?? 0) === 0) return [];
  const given = secret ? "[secret]" : resultRows;
  const reason = `resultRows ${given} needs access to the object storage: ${storageRemedy()}, or remove resultRows`;
  return [{ property: "resultRows", reason }];
}

/** Returns true when an update must read rows that the stored result does not have. */
export function needsRows(rows = 0, before = 0, stored?: ObjectList): boolean {
  return rows > 0 && (rows !== before || stored === undefined);
}

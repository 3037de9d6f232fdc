/** Which deletionPolicy counts for the objects of a resource that is replaced. */

/** Inputs that say where the objects are. */
const folderInputs: ReadonlySet<string> = new Set(["outputResourcePath", "outputDatabase", "outputTable"]);

export type Policy = "keep" | "purge" | undefined;

/**
 * Returns the policy for the objects of a replaced resource. It is that of its last `up`; but one that moves to another
 * folder, and whose program keeps objects by now, leaves the old ones. What the program says may not be known yet: Pulumi
 * deletes a resource before what it is made from is replaced.
 *
 * @param replaces the inputs whose change replaces the resource
 * @param isGenerated true when the name of the table is generated, so that each replacement has another folder
 */
export function policyOfReplaced(
  before: object,
  news: object,
  replaces: readonly string[],
  isGenerated = false,
): Policy {
  const { deletionPolicy } = before as { readonly deletionPolicy?: Policy };
  const { deletionPolicy: now } = news as { readonly deletionPolicy?: Policy };
  const isMoved = (isGenerated && replaces.length > 0) || replaces.some((input) => folderInputs.has(input));
  // An unknown value is neither.
  const isKept = now === undefined || now === "keep";
  return isKept && isMoved ? "keep" : deletionPolicy;
}

/** The queries whose resources this run replaces. */
interface ReplacedQueries {
  replaced(queryId: number): { readonly deletionPolicy: Policy } | undefined;
}

/** Returns the policy that counts when a resource is deleted, which this run may replace. */
export function policyAtDelete(
  queryId: number,
  { deletionPolicy }: { readonly deletionPolicy?: Policy },
  { programTables }: { readonly programTables?: ReplacedQueries | undefined },
): Policy {
  return programTables?.replaced(queryId)?.deletionPolicy ?? deletionPolicy;
}
